"""Bounties: how credits get on a head, and off it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.engine.front import ally, fighter_pilot, gazette, told
from tests.starlane.worlds import change, pilot, place, six_sectors

from starlane.engine.bounties import MIN_BOUNTY_CREDITS, collect
from starlane.engine.refusal import Refused
from starlane.orders import Actor, PostBounty
from starlane.records import Bounty, Pilot
from starlane.settings import MAX_AMOUNT
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Ada", sector=1, credits=1_000)


@pytest.fixture
def bob(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Bob")


def lying(universe: Universe) -> list[tuple[int, int, int]]:
    with universe.look() as sky:
        return [(bounty.poster, bounty.target, bounty.credits) for bounty in sky.find(Bounty)]


def test_credits_lie_on_a_head_and_all_are_told(universe: Universe, ada: Actor, bob: Actor) -> None:
    universe.perform(ada, PostBounty(target=bob.pilot, credits=400))
    assert pilot(universe, ada).credits == 600
    assert lying(universe) == [(ada.pilot, bob.pilot, 400)]
    assert "Ada has put 400 credits on your head." in told(universe, bob)
    assert "Ada offers 400 credits" in gazette(universe)


def test_more_by_the_same_pilot_adds_up(universe: Universe, ada: Actor, bob: Actor) -> None:
    for _ in range(3):
        universe.perform(ada, PostBounty(target=bob.pilot, credits=100))
    assert lying(universe) == [(ada.pilot, bob.pilot, 300)]


def test_what_is_no_bounty(universe: Universe, ada: Actor, bob: Actor) -> None:
    for target, amount, why in (
        (ada.pilot, 100, "another pilot"),
        (99, 100, "another pilot"),
        (bob.pilot, MIN_BOUNTY_CREDITS - 1, "at least"),
        (bob.pilot, -500, "at least"),
        (bob.pilot, 1_001, "1,000 credits aboard"),
    ):
        with pytest.raises(Refused, match=why):
            universe.perform(ada, PostBounty(target=target, credits=amount))
    place(universe, ada, sector=2)
    with pytest.raises(Refused, match="at Haven"):
        universe.perform(ada, PostBounty(target=bob.pilot, credits=100))
    place(universe, ada, sector=1)
    ally(universe, ada, bob)
    with pytest.raises(Refused, match="your alliance"):
        universe.perform(ada, PostBounty(target=bob.pilot, credits=100))


def test_no_head_is_worth_more_than_there_can_be(universe: Universe, ada: Actor, bob: Actor) -> None:
    change(universe, Bounty(id=1, target=bob.pilot, poster=ada.pilot, credits=MAX_AMOUNT - 150))
    universe.perform(ada, PostBounty(target=bob.pilot, credits=150))
    with pytest.raises(Refused, match="No more"):
        universe.perform(ada, PostBounty(target=bob.pilot, credits=100))


def test_a_full_purse_leaves_the_rest(universe: Universe, ada: Actor, bob: Actor) -> None:
    cem = fighter_pilot(universe, "Cem")
    change(universe, Bounty(id=1, target=bob.pilot, poster=ada.pilot, credits=300))
    change(universe, Bounty(id=2, target=bob.pilot, poster=cem.pilot, credits=300))
    place(universe, ada, credits=MAX_AMOUNT - 450)
    with universe.transaction() as world:
        killer, victim, _ = world.find(Pilot)
        paid = collect(world, killer, victim)
        world.put(killer.with_more(credits=paid))
    assert paid == 450
    assert lying(universe) == [(cem.pilot, bob.pilot, 150)]
