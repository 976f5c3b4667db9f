"""Attacks on pickets, ships, thornships and planets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.starlane.engine.front import (
    BRAMBLE,
    BRINE,
    ally,
    bargains,
    call_off,
    fighter_pilot,
    fought,
    gazette,
    in_a_bargain,
    picket,
    planet,
    settle,
    station,
    thornship,
    told,
)
from tests.starlane.worlds import change, pilot, place, six_sectors

from starlane.engine.refusal import Refused
from starlane.goods import Good
from starlane.orders import OPERATOR, Actor, AttackPlanet, AttackShip, AttackThorn, Force, NewDay
from starlane.records import NOBODY, Bounty, Stance
from starlane.rules.thorn import REWARD_PER_FIGHTER, REWARD_PER_SHIP
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Ada", holds=30)


@pytest.fixture
def bob(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Bob", fighters=10)


def refused(universe: Universe, who: Actor, order: Any, why: str) -> None:
    turns = pilot(universe, who).turns
    with pytest.raises(Refused, match=why):
        universe.perform(who, order)
    assert pilot(universe, who).turns == turns


# Ships


def test_the_winner_takes_half_and_what_its_holds_take(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, ada, credits=100, grain=20, turns=9)
    place(universe, bob, credits=5_001, holds=60, tools=11, ice=30, bank=1_000)
    report = fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=100))
    assert report.won
    assert (report.foe, report.foe_lost, report.foe_left) == ("Bob's ship", 10, 0)
    assert report.salvage == {Good.CREDITS: 2_500, Good.TOOLS: 5, Good.ICE: 5}
    winner = pilot(universe, ada)
    assert (winner.credits, winner.tools, winner.ice, winner.grain, winner.kills) == (2_600, 5, 5, 20, 1)
    assert winner.fighters == 100 - report.lost
    assert winner.turns == 8


def test_the_loser_starts_afresh_at_haven(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, bob, credits=5_000, holds=60, scanner=True, bank=1_009, turns=101, docked=True, tools=3)
    in_a_bargain(universe, bob)
    fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=100))
    loser = pilot(universe, bob)
    assert (loser.sector, loser.holds, loser.credits, loser.fighters) == (1, 20, 1_000, 25)
    assert (loser.bank, loser.turns, loser.deaths, loser.tools) == (909, 50, 1, 0)
    assert not loser.scanner
    assert not loser.docked
    assert bargains(universe) == 0
    assert "destroyed by Ada in sector 4" in told(universe, bob)
    assert "Bob's ship was destroyed by Ada in sector 4." in gazette(universe)


def test_nobody_is_killed_twice_in_a_row(universe: Universe, ada: Actor, bob: Actor) -> None:
    fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=100))
    place(universe, bob, sector=4)
    call_off(universe)
    refused(universe, ada, AttackShip(pilot=bob.pilot, fighters=1), "under protection")
    universe.perform(OPERATOR, NewDay())
    fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=50))


def test_who_was_not_in_yet_today_loses_half_of_todays_turns(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, bob, turns=7)
    call_off(universe)
    universe.perform(OPERATOR, NewDay())
    fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=100))
    loser = pilot(universe, bob)
    assert (loser.turns, loser.turns_day) == (125, 1)


def test_a_ship_without_fighters_is_lost_to_one(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, bob, fighters=0)
    report = fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=1))
    assert (report.won, report.lost, report.foe_lost) == (True, 0, 0)
    assert pilot(universe, bob).deaths == 1


def test_a_failed_attack_costs_what_was_sent(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, bob, fighters=500)
    report = fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=40))
    assert (report.won, report.lost, report.foe_left) == (False, 40, 500 - report.foe_lost)
    assert pilot(universe, ada).fighters == 60
    assert pilot(universe, bob).fighters == report.foe_left
    assert "Ada attacked your ship in sector 4" in told(universe, bob)


def test_the_winner_earns_what_lies_on_the_head(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, ada, credits=0)
    place(universe, bob, credits=0)
    change(universe, Bounty(id=1, target=bob.pilot, poster=ada.pilot, credits=300))
    change(universe, Bounty(id=2, target=bob.pilot, poster=bob.pilot, credits=400))
    report = fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=100))
    assert (report.bounty, report.salvage) == (700, {Good.CREDITS: 700})
    assert pilot(universe, ada).credits == 700
    with universe.look() as sky:
        assert sky.count(Bounty) == 0


@pytest.mark.parametrize(
    ("mine", "theirs", "why"),
    [
        ({"sector": 2}, {"sector": 2}, "Watch"),
        ({"sector": 3}, {}, "no such ship"),
        ({"protected_until": 1}, {}, "give it up"),
        ({}, {"protected_until": 1}, "under protection"),
        ({}, {"planet": BRINE}, "stands on a planet"),
        ({"fighters": 0}, {}, "no fighters"),
        ({"fighters": 4}, {}, "1 to 4"),
        ({"turns": 0}, {}, "no turns"),
    ],
)
def test_what_no_ship_may_attack(
    universe: Universe, ada: Actor, bob: Actor, mine: dict[str, Any], theirs: dict[str, Any], why: str
) -> None:
    place(universe, ada, **mine)
    place(universe, bob, **theirs)
    refused(universe, ada, AttackShip(pilot=bob.pilot, fighters=5), why)


def test_nobody_attacks_itself_an_ally_or_with_none(universe: Universe, ada: Actor, bob: Actor) -> None:
    refused(universe, ada, AttackShip(pilot=ada.pilot, fighters=5), "your own")
    refused(universe, ada, AttackShip(pilot=bob.pilot, fighters=0), "Send 1 to 100")
    refused(universe, ada, AttackShip(pilot=bob.pilot, fighters=-3), "Send 1 to 100")
    refused(universe, ada, AttackShip(pilot=77, fighters=5), "no such ship")
    ally(universe, ada, bob)
    refused(universe, ada, AttackShip(pilot=bob.pilot, fighters=5), "your alliance")


def test_an_attacker_leaves_port_planet_and_bargain(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, ada, docked=True, planet=BRINE)
    in_a_bargain(universe, ada)
    fought(universe, ada, AttackShip(pilot=bob.pilot, fighters=5))
    assert (pilot(universe, ada).docked, pilot(universe, ada).planet) == (False, NOBODY)
    assert bargains(universe) == 0


# Pickets


def test_who_breaks_a_picket_flies_in(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 3, 20)
    turns = pilot(universe, ada).turns
    report = fought(universe, ada, Force(to=3, fighters=100))
    assert (report.won, report.moved, report.foe) == (True, True, "Bob's picket")
    assert (pilot(universe, ada).sector, pilot(universe, ada).turns) == (3, turns - 1)
    assert picket(universe, 3) is None
    assert "attacked your picket in sector 3" in told(universe, bob)
    assert "Ada destroyed the picket of Bob in sector 3." in gazette(universe)


def test_a_picket_that_holds_keeps_its_rest(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 3, 300)
    report = fought(universe, ada, Force(to=3, fighters=50))
    assert (report.won, report.moved, report.destroyed, report.lost) == (False, False, False, 50)
    assert (pilot(universe, ada).sector, pilot(universe, ada).fighters) == (4, 50)
    left = picket(universe, 3)
    assert left is not None
    assert left.fighters == report.foe_left == 300 - report.foe_lost


def test_hunters_shoot_back(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 3, 300, Stance.HUNT)
    report = fought(universe, ada, Force(to=3, fighters=20))
    assert not report.destroyed
    assert pilot(universe, ada).fighters < 80
    assert "shot back" in told(universe, ada)
    report = fought(universe, ada, Force(to=3, fighters=pilot(universe, ada).fighters))
    assert report.destroyed
    assert (pilot(universe, ada).sector, pilot(universe, ada).deaths) == (1, 1)


def test_a_picket_can_be_fought_from_within_its_sector(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 5)
    report = fought(universe, ada, Force(to=4, fighters=100))
    assert (report.won, report.moved, pilot(universe, ada).sector) == (True, False, 4)


def test_what_no_force_may_be_used_on(universe: Universe, ada: Actor, bob: Actor) -> None:
    refused(universe, ada, Force(to=3, fighters=5), "Nobody bars")
    refused(universe, ada, Force(to=1, fighters=5), "No lane")
    station(universe, bob, 3)
    place(universe, ada, protected_until=1, deaths=1)
    refused(universe, ada, Force(to=3, fighters=5), "give it up")


# Thornships


def test_the_watch_pays_for_a_thornship(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=6, fighters=400, credits=0, protected_until=9)
    report = fought(universe, ada, AttackThorn(thornship=BRAMBLE, fighters=400))
    paid = 40 * REWARD_PER_FIGHTER + REWARD_PER_SHIP
    assert (report.won, report.bounty, report.salvage) == (True, paid, {Good.CREDITS: paid})
    assert (pilot(universe, ada).credits, pilot(universe, ada).thorns) == (paid, 1)
    assert thornship(universe) is None
    assert "Ada destroyed the thornship Bramble in sector 6." in gazette(universe)


def test_the_watch_pays_for_a_part_of_one(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=6, credits=0)
    report = fought(universe, ada, AttackThorn(thornship=BRAMBLE, fighters=20))
    assert (report.won, report.lost) == (False, 20)
    assert pilot(universe, ada).credits == report.bounty == report.foe_lost * REWARD_PER_FIGHTER
    left = thornship(universe)
    assert left is not None
    assert left.fighters == report.foe_left == 40 - report.foe_lost


def test_a_thornship_elsewhere_is_out_of_reach(universe: Universe, ada: Actor) -> None:
    refused(universe, ada, AttackThorn(thornship=BRAMBLE, fighters=5), "no such thornship")


# Planets


def test_a_planet_without_a_garrison_is_the_attackers(universe: Universe, ada: Actor, bob: Actor) -> None:
    settle(universe, bob, fighters=10, credits=900, colonists=50, works=1)
    report = fought(universe, ada, AttackPlanet(planet=BRINE, fighters=100))
    assert (report.won, report.foe, report.salvage) == (True, "the garrison of Brine", {})
    taken = planet(universe)
    assert (taken.owner, taken.fighters, taken.credits, taken.colonists, taken.works) == (ada.pilot, 0, 900, 50, 1)
    assert pilot(universe, ada).fighters == 100 - report.lost
    assert "Ada has taken the planet Brine in sector 4. It was yours." in told(universe, bob)
    assert "Ada has taken the planet Brine in sector 4 from Bob." in gazette(universe)


def test_ships_on_a_taken_planet_are_thrown_into_orbit(universe: Universe, ada: Actor, bob: Actor) -> None:
    settle(universe, bob)
    cem = fighter_pilot(universe, "Cem", planet=BRINE)
    place(universe, bob, planet=BRINE)
    ally(universe, ada, cem)
    fought(universe, ada, AttackPlanet(planet=BRINE, fighters=1))
    assert pilot(universe, bob).planet == NOBODY
    assert pilot(universe, cem).planet == BRINE
    assert "in orbit" in told(universe, bob)


def test_works_stand_by_a_garrison(universe: Universe, ada: Actor, bob: Actor) -> None:
    settle(universe, bob, fighters=70, works=5)
    report = fought(universe, ada, AttackPlanet(planet=BRINE, fighters=100))
    assert (report.won, report.lost) == (False, 100)
    assert planet(universe).fighters == report.foe_left > 0
    assert "Ada attacked Brine" in told(universe, bob)


def test_what_planets_may_not_be_attacked(universe: Universe, ada: Actor, bob: Actor) -> None:
    order = AttackPlanet(planet=BRINE, fighters=5)
    refused(universe, ada, order, "nobody's")
    refused(universe, ada, AttackPlanet(planet=3, fighters=5), "no such planet")
    settle(universe, ada)
    refused(universe, ada, order, "your own")
    settle(universe, bob)
    place(universe, bob, protected_until=1)
    refused(universe, ada, order, "newcomer's protection")
    place(universe, bob, protected_until=0)
    place(universe, ada, protected_until=1)
    refused(universe, ada, order, "give it up")
    place(universe, ada, protected_until=0)
    ally(universe, ada, bob)
    refused(universe, ada, order, "your alliance")


def test_the_grace_after_a_death_does_not_cover_planets(universe: Universe, ada: Actor, bob: Actor) -> None:
    settle(universe, bob, fighters=1)
    place(universe, bob, protected_until=1, deaths=1)
    assert fought(universe, ada, AttackPlanet(planet=BRINE, fighters=50)).won


def test_a_garrison_that_nobody_owns_can_be_fought(universe: Universe, ada: Actor) -> None:
    change(universe, planet(universe), fighters=3)
    assert fought(universe, ada, AttackPlanet(planet=BRINE, fighters=50)).won
    assert planet(universe).owner == ada.pilot
