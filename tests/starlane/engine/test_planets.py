"""Planets as pilots use them: landing, claims, stores, work and works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.starlane.worlds import change, enroll, pilot, place, six_sectors

from starlane.engine.refusal import Refused
from starlane.goods import Good
from starlane.orders import Actor, Build, Claim, Employ, Found, Invite, Join, Land, LiftOff, Load, Quit
from starlane.records import NOBODY, Bargain, Job, Kind, News, Notice, Planet
from starlane.reports import Done
from starlane.rules.planets import MAX_PLANETS, MIN_SETTLERS, build_cost
from starlane.settings import MAX_AMOUNT, MAX_FIGHTERS
from starlane.universe.universe import Universe

BRINE, CINDER, RIME = 1, 2, 3


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def ada(universe: Universe) -> Actor:
    actor = enroll(universe, "Ada")
    place(universe, actor, sector=4, holds=100, colonists=40)
    return actor


@pytest.fixture
def bob(universe: Universe) -> Actor:
    actor = enroll(universe, "Bob")
    place(universe, actor, sector=4, holds=100)
    return actor


def planet(universe: Universe, number: int = BRINE) -> Planet:
    with universe.look() as sky:
        found = sky.get(Planet, number)
    assert found is not None
    return found


def settle(universe: Universe, who: Actor, number: int = BRINE, **fields: Any) -> Planet:
    """The planet is that pilot's, with these stores."""
    made = change(universe, planet(universe, number), owner=who.pilot, **fields)
    assert isinstance(made, Planet)
    return made


def make_allies(universe: Universe, one: Actor, other: Actor) -> None:
    universe.perform(one, Found(name="The Ring"))
    universe.perform(one, Invite(pilot=other.pilot))
    universe.perform(other, Join(alliance=pilot(universe, one).alliance))


def done(universe: Universe, actor: Actor, order: Any) -> str:
    report = universe.perform(actor, order)
    assert isinstance(report, Done)
    assert len(report.text) <= 160
    return report.text


def notices(universe: Universe, who: Actor) -> list[str]:
    with universe.look() as sky:
        return [notice.text for notice in sky.find(Notice, pilot=who.pilot)]


# Landing


def test_landing_takes_a_turn_and_leaves_the_port_and_its_bargain(universe: Universe, ada: Actor) -> None:
    place(universe, ada, docked=True, turns=10)
    bargain = Bargain(
        pilot=ada.pilot, sector=4, good=Good.ICE, buying=True, quantity=1, fair=9, ask=10, reserve=8, patience=2
    )
    change(universe, bargain)

    text = done(universe, ada, Land(planet=BRINE))

    ship = pilot(universe, ada)
    assert (ship.planet, ship.docked, ship.turns) == (BRINE, False, 9)
    assert text == "You have landed on Brine, ocean. It is nobody's: 10 colonists can claim it."
    with universe.look() as sky:
        assert sky.count(Bargain) == 0


def test_from_one_planet_to_the_other_is_one_landing(universe: Universe, ada: Actor) -> None:
    done(universe, ada, Land(planet=BRINE))
    done(universe, ada, Land(planet=CINDER))

    assert pilot(universe, ada).planet == CINDER


@pytest.mark.parametrize(
    ("number", "why"), [(RIME, "no such planet in this sector"), (99, "no such planet"), (BRINE, "already")]
)
def test_nobody_lands_where_it_is_not_or_where_it_stands(universe: Universe, ada: Actor, number: int, why: str) -> None:
    done(universe, ada, Land(planet=BRINE))

    with pytest.raises(Refused, match=why):
        universe.perform(ada, Land(planet=number))


def test_a_strangers_planet_must_be_attacked(universe: Universe, ada: Actor, bob: Actor) -> None:
    settle(universe, bob)
    turns = pilot(universe, ada).turns

    with pytest.raises(Refused, match="Brine belongs to Bob; it must be attacked first"):
        universe.perform(ada, Land(planet=BRINE))
    assert pilot(universe, ada).turns == turns


def test_a_garrison_without_a_master_lets_nobody_land(universe: Universe, ada: Actor) -> None:
    change(universe, planet(universe), fighters=5)

    with pytest.raises(Refused, match="5 fighters hold Brine"):
        universe.perform(ada, Land(planet=BRINE))


def test_without_turns_nobody_lands(universe: Universe, ada: Actor) -> None:
    place(universe, ada, turns=0)

    with pytest.raises(Refused, match="no turns left"):
        universe.perform(ada, Land(planet=BRINE))


def test_lifting_off_costs_nothing(universe: Universe, ada: Actor) -> None:
    done(universe, ada, Land(planet=BRINE))
    turns = pilot(universe, ada).turns

    done(universe, ada, LiftOff())

    assert (pilot(universe, ada).planet, pilot(universe, ada).turns) == (NOBODY, turns)
    with pytest.raises(Refused, match="not on a planet"):
        universe.perform(ada, LiftOff())


# Claims


def test_a_claim_leaves_all_colonists_and_names_the_planet(universe: Universe, ada: Actor) -> None:
    change(universe, planet(universe), colonists=3, ice=7)
    done(universe, ada, Land(planet=BRINE))

    done(universe, ada, Claim(name="  New   Hope "))

    claimed = planet(universe)
    assert (claimed.owner, claimed.name, claimed.colonists, claimed.ice) == (ada.pilot, "New Hope", 43, 7)
    assert claimed.job is Job.GRAIN
    assert pilot(universe, ada).colonists == 0
    with universe.look() as sky:
        assert any("Ada has settled the ocean planet New Hope" in line.text for line in sky.find(News))


def test_a_claim_takes_settlers(universe: Universe, ada: Actor) -> None:
    place(universe, ada, colonists=MIN_SETTLERS - 1)
    done(universe, ada, Land(planet=BRINE))

    with pytest.raises(Refused, match="takes 10 colonists aboard, and you have 9"):
        universe.perform(ada, Claim(name="Hope"))


@pytest.mark.parametrize("name", ["", "   ", "\x1b\u202e", "x" * 25])
def test_a_planet_needs_a_fit_name(universe: Universe, ada: Actor, name: str) -> None:
    done(universe, ada, Land(planet=BRINE))

    with pytest.raises(Refused):
        universe.perform(ada, Claim(name=name))


def test_no_two_planets_get_one_name_but_a_planet_may_keep_its_own(universe: Universe, ada: Actor) -> None:
    done(universe, ada, Land(planet=BRINE))
    with pytest.raises(Refused, match="called Cinder already"):
        universe.perform(ada, Claim(name="CINDER"))

    done(universe, ada, Claim(name="Brine"))


def test_nobody_claims_twice_or_what_is_taken(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, bob, colonists=20)
    done(universe, ada, Land(planet=BRINE))
    done(universe, bob, Land(planet=BRINE))
    done(universe, ada, Claim(name="Hope"))

    assert pilot(universe, bob).planet == NOBODY  # and in orbit, for it is a stranger's now
    assert notices(universe, bob)[-1] == "Hope is no longer open to you; your ship is in orbit."
    place(universe, ada, colonists=20)
    with pytest.raises(Refused, match="belongs to Ada already"):
        universe.perform(ada, Claim(name="Hope"))


def test_a_pilot_has_so_many_planets(universe: Universe, ada: Actor) -> None:
    for number in range(MAX_PLANETS):
        change(universe, Planet(id=100 + number, sector=6, name=f"P{number}", kind=Kind.ASH, owner=ada.pilot))
    done(universe, ada, Land(planet=BRINE))

    with pytest.raises(Refused, match="You have 12 planets"):
        universe.perform(ada, Claim(name="Hope"))


# Stores


@pytest.mark.parametrize("good", [Good.CREDITS, Good.ICE, Good.GRAIN, Good.TOOLS, Good.COLONISTS, Good.FIGHTERS])
def test_an_owner_brings_and_takes_everything(universe: Universe, ada: Actor, good: Good) -> None:
    place(universe, ada, **{"colonists": 0, good.value: 30})
    settle(universe, ada)
    done(universe, ada, Land(planet=BRINE))

    done(universe, ada, Load(good=good, amount=25))
    assert (pilot(universe, ada).amount(good), planet(universe).amount(good)) == (5, 25)
    done(universe, ada, Load(good=good, amount=-24))
    assert (pilot(universe, ada).amount(good), planet(universe).amount(good)) == (29, 1)


@pytest.mark.parametrize(
    ("good", "amount", "why"),
    [
        (Good.HOLDS, 1, "part of the ship"),
        (Good.ICE, 0, "name an amount"),
        (Good.ICE, 11, "You have 10 ice aboard"),
        (Good.TOOLS, -5, "Brine has 4 tools"),
        (Good.GRAIN, -51, "50 free holds"),
        (Good.FIGHTERS, -1, "takes 0 fighters more"),
        (Good.CREDITS, -2, "takes 1 credit more"),
        (Good.CREDITS, 2, "room for 1 credit more"),
    ],
)
def test_what_does_not_fit_is_refused(universe: Universe, ada: Actor, good: Good, amount: int, why: str) -> None:
    place(universe, ada, ice=10, fighters=MAX_FIGHTERS, credits=MAX_AMOUNT - 1)
    settle(universe, ada, tools=4, grain=500, fighters=9, credits=MAX_AMOUNT - 1)
    done(universe, ada, Land(planet=BRINE))

    with pytest.raises(Refused, match=why):
        universe.perform(ada, Load(good=good, amount=amount))


def test_an_ally_trades_goods_and_takes_nothing_else(universe: Universe, ada: Actor, bob: Actor) -> None:
    make_allies(universe, ada, bob)
    settle(universe, ada, grain=50, credits=50, fighters=50, colonists=50)
    place(universe, bob, ice=5)
    assert done(universe, bob, Land(planet=BRINE)).endswith("It belongs to your ally Ada.")

    done(universe, bob, Load(good=Good.GRAIN, amount=-10))
    done(universe, bob, Load(good=Good.ICE, amount=5))
    done(universe, bob, Load(good=Good.FIGHTERS, amount=5))
    for good in (Good.CREDITS, Good.FIGHTERS, Good.COLONISTS):
        with pytest.raises(Refused, match="Only Ada takes"):
            universe.perform(bob, Load(good=good, amount=-1))
    for order in (Employ(job=Job.ICE), Build()):
        with pytest.raises(Refused, match="who alone gives orders"):
            universe.perform(bob, order)


def test_who_leaves_the_alliance_leaves_its_planets(universe: Universe, ada: Actor, bob: Actor) -> None:
    make_allies(universe, ada, bob)
    settle(universe, ada)
    done(universe, bob, Land(planet=BRINE))

    done(universe, ada, Quit())

    assert pilot(universe, bob).planet == NOBODY
    with pytest.raises(Refused, match="not on a planet"):
        universe.perform(bob, Load(good=Good.GRAIN, amount=-1))


def test_a_pilot_who_stands_on_a_planet_that_fell_to_a_stranger_takes_nothing(
    universe: Universe, ada: Actor, bob: Actor
) -> None:
    settle(universe, bob, grain=5)
    place(universe, ada, planet=BRINE)

    with pytest.raises(Refused, match="no friend of yours"):
        universe.perform(ada, Load(good=Good.GRAIN, amount=-1))


def test_what_is_nobodys_is_claimed_first(universe: Universe, ada: Actor) -> None:
    done(universe, ada, Land(planet=BRINE))

    for order in (Load(good=Good.COLONISTS, amount=1), Employ(job=Job.ICE), Build()):
        with pytest.raises(Refused, match="claim it first"):
            universe.perform(ada, order)


# Work and works


def test_the_owner_says_what_is_made(universe: Universe, ada: Actor) -> None:
    settle(universe, ada, colonists=1_000)
    done(universe, ada, Land(planet=BRINE))

    assert done(universe, ada, Employ(job=Job.ICE)) == "The colonists of Brine make ice now: 60 the coming day."
    assert planet(universe).job is Job.ICE


def test_works_are_paid_with_credits_aboard_and_tools_on_the_planet(universe: Universe, ada: Actor) -> None:
    settle(universe, ada, works=3, tools=500)
    price, tools = build_cost(planet(universe))
    place(universe, ada, credits=price + 20_000)
    done(universe, ada, Land(planet=BRINE))

    assert done(universe, ada, Build()) == "The works of Brine are at level 4 now."

    assert (planet(universe).works, planet(universe).tools) == (4, 500 - tools)
    assert pilot(universe, ada).credits == 20_000
    done(universe, ada, Build())
    with pytest.raises(Refused, match="highest level"):
        universe.perform(ada, Build())


def test_works_are_not_built_on_credit(universe: Universe, ada: Actor) -> None:
    settle(universe, ada, tools=39)
    place(universe, ada, credits=2_000)
    done(universe, ada, Land(planet=BRINE))

    with pytest.raises(Refused, match="takes 40 tools on the planet, and 39 lie there"):
        universe.perform(ada, Build())
    settle(universe, ada, tools=40)
    place(universe, ada, credits=1_999)
    with pytest.raises(Refused, match="takes 2,000 credits aboard, and you have 1,999"):
        universe.perform(ada, Build())
