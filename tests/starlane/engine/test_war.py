"""War as a whole: the books agree, and nobody makes anything of it but the rewards of the Watch."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.starlane.engine.front import fighter_pilot, settle, station
from tests.starlane.worlds import place, six_sectors

from starlane.dice import Dice
from starlane.engine.refusal import Refused
from starlane.flows import Flow
from starlane.goods import Good
from starlane.orders import (
    OPERATOR,
    Actor,
    AttackPlanet,
    AttackShip,
    AttackThorn,
    Bank,
    Deploy,
    Force,
    Land,
    LiftOff,
    NewDay,
    Order,
    PostBounty,
    Waive,
)
from starlane.records import Bounty, FlowTotal, Picket, Pilot, Planet, Record, Stance, Thornship
from starlane.rules.worth import cargo_worth, picket_worth, planet_worth, ship_worth
from starlane.settings import MAX_AMOUNT
from starlane.universe.books import HOLDINGS
from starlane.universe.universe import Universe

PILOTS: Final = 3
SECTORS: Final = st.sampled_from((4, 3, 5, 6, 4, 1))
FIGHTERS: Final = st.integers(5, 40) | st.sampled_from((1, 5, 25, 30, 60, 100, 0, -1))
FOES: Final = st.integers(1, PILOTS)
ORDERS: Final = st.one_of(
    st.builds(AttackShip, pilot=FOES, fighters=FIGHTERS),
    st.builds(AttackThorn, thornship=st.integers(1, 4), fighters=FIGHTERS),
    st.builds(AttackPlanet, planet=st.integers(1, 3), fighters=FIGHTERS),
    st.builds(Force, to=SECTORS, fighters=FIGHTERS),
    st.builds(Deploy, fighters=FIGHTERS, stance=st.sampled_from(Stance)),
    st.builds(PostBounty, target=FOES, credits=st.integers(90, 600)),
    st.builds(Land, planet=st.integers(1, 3)),
    st.just(LiftOff()),
    st.just(Waive()),
)
MOVES: Final = st.tuples(FOES, SECTORS)
STEPS: Final = st.lists(st.tuples(FOES, ORDERS) | MOVES | st.just(NewDay()), min_size=20, max_size=60)


def front(universe: Universe) -> dict[int, Actor]:
    """Three pilots of different wealth; the third is a newcomer, and the first two have
    planets and pickets."""
    ada = fighter_pilot(universe, "Ada", credits=9_000, bank=5_000, tools=9, colonists=5, holds=40, scanner=True)
    bob = fighter_pilot(universe, "Bob", sector=4, fighters=30, credits=3, ice=4)
    cem = fighter_pilot(universe, "Cem", sector=6, fighters=60, protected_until=2, deaths=0)
    settle(universe, ada, 1, fighters=20, credits=500, works=2)
    settle(universe, bob, 3, fighters=5, grain=40)
    station(universe, ada, 3, 90, Stance.HUNT)
    station(universe, bob, 5, 10, Stance.GUARD)
    return {actor.pilot: actor for actor in (ada, bob, cem)}


def worth(universe: Universe) -> int:
    """What all pilots, their posts, all planets and all bounties count for together."""
    with universe.look() as sky:
        return (
            sum(ship_worth(ship) + cargo_worth(ship) + ship.credits + ship.bank for ship in sky.find(Pilot))
            + sum(picket_worth(picket) for picket in sky.find(Picket))
            + sum(planet_worth(planet) for planet in sky.find(Planet))
            + sum(bounty.credits for bounty in sky.find(Bounty))
        )


def worth_of(pilot: Pilot) -> int:
    return ship_worth(pilot) + cargo_worth(pilot) + pilot.credits + pilot.bank


def pilots(universe: Universe) -> dict[int, Pilot]:
    with universe.look() as sky:
        return {pilot.id: pilot for pilot in sky.find(Pilot)}


def rewards(universe: Universe) -> int:
    with universe.look() as sky:
        return sum(flow.amount for flow in sky.find(FlowTotal, flow=Flow.REWARD.value) if flow.good is Good.CREDITS)


def check_amounts(universe: Universe) -> None:
    with universe.look() as sky:
        records: list[Record] = []
        for kind in (Pilot, Planet, Picket, Thornship, Bounty):
            records += sky.find(kind)
    for record in records:
        for field in HOLDINGS[type(record)]:
            assert 0 <= getattr(record, field) <= MAX_AMOUNT
        if isinstance(record, Pilot):
            assert record.free_holds() >= 0
            assert record.turns >= 0
        if isinstance(record, Picket | Thornship | Bounty):
            assert any(getattr(record, field) for field in HOLDINGS[type(record)])


def order(universe: Universe, actor: Actor, what: Order) -> None:
    """Give the order, and see that it made nothing, and that no death made anybody richer."""
    total, paid, before = worth(universe), rewards(universe), pilots(universe)
    try:
        universe.perform(actor, what)
    except Refused:
        assert worth(universe) == total
        return
    assert worth(universe) <= total + rewards(universe) - paid
    for number, pilot in pilots(universe).items():
        if pilot.deaths > before[number].deaths:
            assert worth_of(pilot) <= worth_of(before[number])


@settings(max_examples=25, deadline=None)
@given(steps=STEPS)
def test_the_books_agree_and_war_makes_nothing(steps: list[NewDay | tuple[int, Order | int]]) -> None:
    with six_sectors() as universe:
        crew = front(universe)
        for step in steps:
            if isinstance(step, NewDay):
                universe.perform(OPERATOR, step)
            elif isinstance(step[1], int):
                place(universe, crew[step[0]], sector=step[1], planet=0, docked=False)
            else:
                order(universe, crew[step[0]], step[1])
            check_amounts(universe)
        assert universe.verify() == []


def campaign_order(dice: Dice, ship: Pilot, others: list[int], thorns: list[int]) -> Order:
    """One that has a chance to be carried out; `thorns` are the thornships about."""
    fighters = dice.between(1, max(1, ship.fighters))
    return dice.choice(
        (
            AttackShip(pilot=dice.choice(others), fighters=fighters),
            AttackShip(pilot=dice.choice(others), fighters=max(1, ship.fighters)),
            AttackThorn(thornship=dice.choice(thorns), fighters=fighters),
            AttackPlanet(planet=dice.between(1, 3), fighters=fighters),
            Force(to=dice.choice((3, 4, 5, 6)), fighters=fighters),
            Deploy(fighters=fighters, stance=dice.choice(tuple(Stance))),
            PostBounty(target=dice.choice(others), credits=150),
        )
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_of_a_long_campaign(seed: int) -> None:
    dice = Dice(seed)
    with six_sectors(seed=seed) as universe:
        crew = front(universe)
        for _ in range(300):
            number = dice.between(1, PILOTS)
            if dice.permille(150):
                place(universe, crew[number], fighters=dice.below(120), credits=dice.below(3_000), protected_until=0)
            if dice.permille(400):
                place(universe, crew[number], sector=dice.choice((1, 4, 4, 4, 6)), planet=0)
            if dice.permille(40):
                universe.perform(OPERATOR, NewDay())
            ship = pilots(universe)[number]
            with universe.look() as sky:
                thorns = [thorn.id for thorn in sky.find(Thornship, sector=ship.sector)] or [1]
            order(universe, crew[number], campaign_order(dice, ship, [n for n in crew if n != number], thorns))
            check_amounts(universe)
        assert universe.verify() == []
        fleet = pilots(universe).values()
        assert sum(pilot.deaths for pilot in fleet) > 2
        assert sum(pilot.kills for pilot in fleet) > 2
        assert sum(pilot.thorns for pilot in fleet) > 0


def test_two_pilots_who_shoot_each_other_all_day_only_lose() -> None:
    with six_sectors() as universe:
        ada = fighter_pilot(universe, "Ada", credits=800, bank=5_000)
        bob = fighter_pilot(universe, "Bob", credits=800, bank=5_000)
        start = worth(universe)
        for round_ in range(40):
            killer, victim = (ada, bob) if round_ % 2 else (bob, ada)
            for who in (ada, bob):
                place(universe, who, sector=1)
            for what in (Bank(credits=-100), PostBounty(target=victim.pilot, credits=100)):
                try:
                    universe.perform(killer, what)
                except Refused:
                    continue
            for who in (ada, bob):
                place(universe, who, sector=4, protected_until=0)
            ship = pilots(universe)[killer.pilot]
            if ship.fighters:
                universe.perform(killer, AttackShip(pilot=victim.pilot, fighters=ship.fighters))
            assert worth(universe) <= start
        assert sum(pilot.deaths for pilot in pilots(universe).values()) > 2
        assert universe.verify() == []
