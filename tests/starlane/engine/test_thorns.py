"""The day of the Thorn: where its ships fly, whom they attack, and how the empire grows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.starlane.engine.front import fighter_pilot, gazette, picket, planet, settle, station, thornship, told
from tests.starlane.worlds import change, pilot, place, six_sectors, small_world

from starlane.engine.thorns import thorn_day
from starlane.flows import Flow
from starlane.goods import Good
from starlane.orders import OPERATOR, Actor, NewDay
from starlane.records import Sector, Thornship
from starlane.rules.thorn import HUNT_PERMILLE, MAX_LANES_A_DAY, most_fighters, planned_ships
from starlane.universe.universe import Universe

DAYS = 60
"""Enough for a thornship of `six_sectors` to meet everybody."""


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return fighter_pilot(universe, "Ada", fighters=5)


def arm(universe: Universe, fighters: int) -> None:
    ship = thornship(universe)
    assert ship is not None
    change(universe, ship, fighters=fighters)


def day(universe: Universe) -> None:
    """The Thorn's part of a day alone."""
    with universe.transaction() as world:
        thorn_day(world)


def until_it_strikes(universe: Universe) -> None:
    """Days on which thornships look for what is in sector 4."""
    for _ in range(DAYS):
        day(universe)
        if "sector 4" in gazette(universe):
            return
    raise AssertionError("the Thorn has done nothing")


def ships(universe: Universe) -> list[Thornship]:
    with universe.look() as sky:
        return sky.find(Thornship)


# Flying


def test_thornships_fly_a_few_lanes_and_never_where_the_watch_is() -> None:
    with small_world(sectors=60) as universe:
        for _ in range(8):
            before = {ship.id: ship.sector for ship in ships(universe)}
            universe.perform(OPERATOR, NewDay())
            with universe.look() as sky:
                for ship in sky.find(Thornship):
                    sector = sky.get(Sector, ship.sector)
                    assert sector is not None
                    assert not sector.safe
                    if ship.id in before:
                        reach = {before[ship.id]}
                        for _ in range(MAX_LANES_A_DAY):
                            reach |= {to for source in reach for to in sky.lanes.out_of(source)}
                        assert ship.sector in reach
        assert universe.verify() == []


# Hunting


def test_a_weak_ship_is_lost_to_the_thorn(universe: Universe, ada: Actor) -> None:
    until_it_strikes(universe)
    assert (pilot(universe, ada).sector, pilot(universe, ada).deaths) == (1, 1)
    assert re.search("destroyed by the thornship [A-Za-z ]+ in sector 4", told(universe, ada))
    assert "Ada's ship was destroyed by the thornship" in gazette(universe)


def test_a_protected_a_landed_and_a_stronger_one_are_left_alone(universe: Universe, ada: Actor) -> None:
    for fields in ({"protected_until": 9}, {"planet": 1, "protected_until": 0}, {"planet": 0, "fighters": 2_000}):
        place(universe, ada, **fields)
        for _ in range(DAYS):
            day(universe)
        assert pilot(universe, ada).deaths == 0
        assert told(universe, ada) == ""


def test_the_haven_is_safe(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=2)
    for _ in range(DAYS):
        day(universe)
    assert pilot(universe, ada).deaths == 0


def test_a_picket_falls(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=1)
    station(universe, ada, 4, 8)
    until_it_strikes(universe)
    assert picket(universe, 4) is None
    assert "attacked your fighters in sector 4: 8 fighters lost" in told(universe, ada)
    assert "destroyed the picket of Ada in sector 4" in gazette(universe)


def test_a_garrison_falls_and_the_planet_stays_its_owners(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=1)
    settle(universe, ada, fighters=8, credits=70)
    until_it_strikes(universe)
    assert (planet(universe).owner, planet(universe).fighters, planet(universe).credits) == (ada.pilot, 0, 70)
    assert "destroyed the garrison of Brine in sector 4" in gazette(universe)


def test_what_newcomers_own_is_left_alone(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=1, protected_until=9)
    settle(universe, ada, fighters=8)
    station(universe, ada, 6, 8)
    for _ in range(DAYS):
        day(universe)
    assert told(universe, ada) == ""


def test_who_is_nearly_as_strong_may_shoot_a_hunter_down(universe: Universe, ada: Actor) -> None:
    """The Thorn attacks whatever is weaker, and luck decides."""
    fallen = 0
    for _ in range(40):
        change(universe, Thornship(id=1, name="Bramble", sector=4, fighters=40))
        place(universe, ada, sector=4, fighters=39, protected_until=0, deaths=0)
        day(universe)
        fallen += thornship(universe) is None
    assert fallen
    assert "Ada fought off the thornship Bramble" in gazette(universe)


def test_it_hunts_a_third_of_its_days(universe: Universe, ada: Actor) -> None:
    attacks = 0
    for _ in range(300):
        change(universe, Thornship(id=1, name="Bramble", sector=4, fighters=40))
        station(universe, ada, 4, 1)
        place(universe, ada, sector=1)
        day(universe)
        attacks += picket(universe, 4) is None
    assert 20 < attacks < 300 * HUNT_PERMILLE // 1000


# Building


def test_the_empire_sends_new_ships_from_thornhold(universe: Universe) -> None:
    with universe.transaction() as world:
        for ship in world.find(Thornship):
            world.drop(ship)
            world.flow(Flow.BATTLE, Good.FIGHTERS, -ship.fighters)
    day(universe)
    assert [ship.sector for ship in ships(universe)] == [6]
    assert "sent out 1 new thornship from Thornhold" in gazette(universe)
    day(universe)
    assert len(ships(universe)) == planned_ships(6) == 2


def test_the_empire_grows_up_to_its_bound() -> None:
    with small_world(sectors=100) as universe:
        for today in range(1, 31):
            universe.perform(OPERATOR, NewDay())
            total = sum(ship.fighters for ship in ships(universe))
            assert total <= most_fighters(100, today)
        assert total > most_fighters(100, 30) * 8 // 10
        names = [ship.name for ship in ships(universe)]
        assert len(set(names)) == len(names) == planned_ships(100)
        assert universe.verify() == []


def test_no_new_ship_beyond_what_the_empire_may_have(universe: Universe) -> None:
    arm(universe, most_fighters(6, 0))
    day(universe)
    assert len(ships(universe)) == 1


def test_the_same_days_come_of_the_same_dice() -> None:
    courses = []
    for _ in range(2):
        with small_world(sectors=40) as universe:
            for _ in range(5):
                universe.perform(OPERATOR, NewDay())
            courses.append(ships(universe))
    assert courses[0] == courses[1]
