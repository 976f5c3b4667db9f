"""Pickets: who puts them where, whom they bar, and what hunters do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.engine.front import ally, fighter_pilot, gazette, picket, station, told
from tests.starlane.worlds import pilot, place, six_sectors

from starlane.engine.pickets import barrier, hunted
from starlane.engine.refusal import Refused
from starlane.orders import Actor, Deploy
from starlane.records import Pilot, Stance
from starlane.settings import MAX_FIGHTERS
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Ada")


@pytest.fixture
def bob(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Bob", sector=3)


def bars(universe: Universe, who: Actor, to: int) -> bool:
    with universe.transaction() as world:
        return barrier(world, pilot_in(world.get(Pilot, who.pilot)), to) is not None


def pilot_in(found: Pilot | None) -> Pilot:
    assert found is not None
    return found


def shoot(universe: Universe, who: Actor, sector: int) -> tuple[int, bool]:
    post = picket(universe, sector)
    assert post is not None
    with universe.transaction() as world:
        after, lost, destroyed = hunted(world, pilot_in(world.get(Pilot, who.pilot)), post)
    assert after == pilot(universe, who)
    return lost, destroyed


# Deploying


def test_a_picket_has_exactly_what_was_ordered(universe: Universe, ada: Actor) -> None:
    turns = pilot(universe, ada).turns
    universe.perform(ada, Deploy(fighters=60, stance=Stance.TOLL))
    universe.perform(ada, Deploy(fighters=25, stance=Stance.HUNT))
    post = picket(universe, 4)
    assert post is not None
    assert (post.owner, post.fighters, post.stance) == (ada.pilot, 25, Stance.HUNT)
    assert (pilot(universe, ada).fighters, pilot(universe, ada).turns) == (75, turns)
    universe.perform(ada, Deploy(fighters=0, stance=Stance.HUNT))
    assert picket(universe, 4) is None
    assert pilot(universe, ada).fighters == 100


@pytest.mark.parametrize("fighters", [-1, 101])
def test_no_more_than_there_are_and_no_fewer_than_none(universe: Universe, ada: Actor, fighters: int) -> None:
    with pytest.raises(Refused, match="0 to 100"):
        universe.perform(ada, Deploy(fighters=fighters, stance=Stance.GUARD))


def test_a_ship_takes_no_more_aboard_than_it_can_carry(universe: Universe, ada: Actor) -> None:
    station(universe, ada, 4, fighters=500)
    place(universe, ada, fighters=MAX_FIGHTERS - 100)
    with pytest.raises(Refused, match="400 to"):
        universe.perform(ada, Deploy(fighters=399, stance=Stance.GUARD))
    universe.perform(ada, Deploy(fighters=400, stance=Stance.GUARD))
    assert pilot(universe, ada).fighters == MAX_FIGHTERS


def test_nobody_deploys_where_the_watch_is_nor_at_anothers_picket(universe: Universe, ada: Actor, bob: Actor) -> None:
    place(universe, ada, sector=2)
    with pytest.raises(Refused, match="Watch"):
        universe.perform(ada, Deploy(fighters=5, stance=Stance.GUARD))
    place(universe, ada, sector=4)
    station(universe, bob, 4)
    with pytest.raises(Refused, match="picket of Bob"):
        universe.perform(ada, Deploy(fighters=5, stance=Stance.GUARD))


def test_who_is_protected_may_take_back_but_not_deploy(universe: Universe, ada: Actor) -> None:
    station(universe, ada, 4)
    place(universe, ada, protected_until=1, deaths=1)
    with pytest.raises(Refused, match="protection"):
        universe.perform(ada, Deploy(fighters=51, stance=Stance.GUARD))
    universe.perform(ada, Deploy(fighters=0, stance=Stance.GUARD))
    assert pilot(universe, ada).fighters == 150


# Barring


def test_a_strangers_picket_bars_the_way(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4)
    assert bars(universe, ada, 4)
    assert not bars(universe, ada, 5)
    assert not bars(universe, bob, 4)


def test_an_allys_does_not(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4)
    ally(universe, ada, bob)
    assert not bars(universe, ada, 4)


def test_newcomers_are_not_shut_in_and_shut_nobody_out(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4)
    place(universe, ada, protected_until=1)
    assert not bars(universe, ada, 4)
    place(universe, ada, protected_until=0)
    place(universe, bob, protected_until=1)
    assert not bars(universe, ada, 4)


def test_the_grace_after_a_death_opens_no_way(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4)
    place(universe, ada, protected_until=1, deaths=1)
    place(universe, bob, protected_until=1, deaths=1)
    assert bars(universe, ada, 4)


# Hunters


def test_hunters_shoot_down_a_part_of_a_strong_ship(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 200, Stance.HUNT)
    lost, destroyed = shoot(universe, ada, 4)
    assert 11 <= lost <= 21
    assert not destroyed
    assert pilot(universe, ada).fighters == 100 - lost
    assert "shot at Ada" in told(universe, bob)


def test_hunters_destroy_a_weak_one(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 200, Stance.HUNT)
    place(universe, ada, sector=3, fighters=5)
    assert shoot(universe, ada, 4) == (5, True)
    assert (pilot(universe, ada).sector, pilot(universe, ada).deaths) == (1, 1)
    assert pilot(universe, bob).kills == 1
    assert "destroyed the ship of Ada" in told(universe, bob)
    assert "destroyed by the hunters of Bob" in gazette(universe)


def test_hunters_spare_whoever_is_protected(universe: Universe, ada: Actor, bob: Actor) -> None:
    station(universe, bob, 4, 2_000, Stance.HUNT)
    place(universe, ada, protected_until=1, deaths=1)
    assert shoot(universe, ada, 4) == (0, False)
