"""The numbers of the Thorn, and what hunting it brings."""

from __future__ import annotations

import pytest

from starlane.dice import Dice
from starlane.rules.combat import OPEN_SPACE, fight
from starlane.rules.thorn import (
    MAX_SHIPS,
    MIN_SHIPS,
    average_fighters,
    built,
    most_fighters,
    new_ship,
    planned_ships,
    reward,
)
from starlane.rules.yard import FIGHTER_PRICE
from starlane.settings import MAX_SECTORS, MIN_SECTORS

HUNTS = 3_000


def hunt(times_as_strong: float, day: int = 5) -> float:
    """What a hunter earns, over what its fighters cost at the yard, who meets ships of that day with so many times
    their fighters: 0 is even."""
    dice, earned, paid = Dice(21), 0, 0
    for _ in range(HUNTS):
        ship = new_ship(dice, day)
        sent = max(1, int(ship * times_as_strong))
        lost, foe_lost = fight(dice, sent, ship, OPEN_SPACE)
        earned += reward(foe_lost, destroyed=foe_lost == ship)
        paid += lost * FIGHTER_PRICE
    return (earned - paid) / paid


def test_a_careful_hunter_comes_out_about_even() -> None:
    assert -0.10 < hunt(4) < 0.15
    assert -0.15 < hunt(3.5) < 0.10


def test_a_careless_one_loses_most_of_what_it_pays() -> None:
    assert hunt(1) < -0.6
    assert hunt(1.5) < -0.3
    assert hunt(0.5) < -0.7


def test_what_an_overwhelming_fleet_earns_is_bounded_by_what_the_empire_builds() -> None:
    """In a world of 500 sectors all that the Thorn builds in a day brings less than a good trader makes in one."""
    a_day = most_fighters(500, 11) - most_fighters(500, 10)
    assert reward(a_day, destroyed=False) + planned_ships(500) * reward(0, destroyed=True) < 4_500


@pytest.mark.parametrize("sectors", [MIN_SECTORS, 500, 9_999, MAX_SECTORS])
def test_the_empire_grows_with_the_world_and_its_days_up_to_a_bound(sectors: int) -> None:
    assert MIN_SHIPS <= planned_ships(sectors) <= MAX_SHIPS
    caps = [most_fighters(sectors, day) for day in (0, 1, 30, 200, 100_000)]
    assert caps == sorted(caps)
    assert caps[-1] == caps[-2]


@pytest.mark.parametrize("day", [0, 1, 40, 1_000])
def test_ships_differ_and_grow_slowly(day: int) -> None:
    dice = Dice(8)
    new = [new_ship(dice, day) for _ in range(500)]
    assert min(new) < average_fighters(day) // 3
    assert max(new) <= average_fighters(day)
    assert min(built(dice, day) for _ in range(500)) >= 0
    assert max(built(dice, day) for _ in range(500)) <= average_fighters(day) // 5
