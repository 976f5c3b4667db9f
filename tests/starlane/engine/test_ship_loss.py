"""The loss of a ship."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.engine.front import bargains, fighter_pilot, gazette, in_a_bargain, told
from tests.starlane.worlds import pilot, place, six_sectors

from starlane.engine.ship_loss import DAYS_OF_GRACE, lose_ship
from starlane.flows import Flow
from starlane.goods import Good
from starlane.orders import Actor
from starlane.records import NOBODY, FlowTotal, Pilot
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Ada", credits=4_000, bank=777, holds=44, tools=7, colonists=3, turns=31)


def lose(universe: Universe, who: Actor) -> Pilot:
    with universe.transaction() as world:
        victim = world.get(Pilot, who.pilot)
        assert victim is not None
        afresh = lose_ship(world, victim, "a comet")
    assert afresh == pilot(universe, who)
    return afresh


def flowed(universe: Universe, flow: Flow) -> dict[Good, int]:
    with universe.look() as sky:
        return {total.good: total.amount for total in sky.find(FlowTotal, flow=flow.value) if total.amount}


def test_all_that_was_aboard_goes_and_a_new_ship_comes(universe: Universe, ada: Actor) -> None:
    granted = flowed(universe, Flow.GRANT)
    afresh = lose(universe, ada)
    assert flowed(universe, Flow.WRECK) == {
        Good.CREDITS: -4_000,
        Good.TOOLS: -7,
        Good.COLONISTS: -3,
        Good.FIGHTERS: -100,
        Good.HOLDS: -44,
    }
    assert flowed(universe, Flow.LOSS) == {Good.CREDITS: -77}
    given = {good: amount - granted[good] for good, amount in flowed(universe, Flow.GRANT).items()}
    assert {good: amount for good, amount in given.items() if amount} == {
        Good.CREDITS: 1_000,
        Good.FIGHTERS: 25,
        Good.HOLDS: 20,
    }
    assert (afresh.bank, afresh.turns, afresh.deaths, afresh.sector) == (700, 15, 1, 1)


def test_landing_port_and_bargain_are_over(universe: Universe, ada: Actor) -> None:
    place(universe, ada, docked=True, spoilt=2, planet=1, scanner=True)
    in_a_bargain(universe, ada)
    afresh = lose(universe, ada)
    assert (afresh.docked, afresh.spoilt, afresh.planet, afresh.scanner) == (False, 0, NOBODY, False)
    assert bargains(universe) == 0


def test_a_day_of_grace_follows_and_a_longer_protection_stays(universe: Universe, ada: Actor) -> None:
    assert lose(universe, ada).protected_until == DAYS_OF_GRACE
    place(universe, ada, protected_until=7)
    assert lose(universe, ada).protected_until == 7


def test_the_pilot_and_the_gazette_are_told(universe: Universe, ada: Actor) -> None:
    lose(universe, ada)
    assert told(universe, ada) == (
        "Your ship was destroyed by a comet in sector 4. You start afresh at Haven. Your bank lost 77 credits."
    )
    assert "Ada's ship was destroyed by a comet in sector 4." in gazette(universe)


def test_a_pilot_with_nothing_can_still_fly(universe: Universe, ada: Actor) -> None:
    place(universe, ada, credits=0, bank=9, holds=20, tools=0, colonists=0, fighters=0)
    afresh = lose(universe, ada)
    assert (afresh.holds, afresh.credits, afresh.fighters, afresh.bank) == (20, 0, 0, 9)
