"""What trade earns: round trips between two ports with the rules alone, by several ways to haggle."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from tests.starlane.rules.hagglers import WAYS, Way, haggle, haggle_on

from starlane.dice import Dice
from starlane.goods import TRADE_GOODS, Good
from starlane.making.markets import haven_port, port
from starlane.records import Port
from starlane.rules.prices import fair_at

TURNS_A_TRIP = 4
"""Move, dock, move, dock."""

PAIRS = 60
"""Of ports, each by its own chance."""

Haggle = Callable[..., int | None]


def _pair(seed: int, lanes_away: int) -> list[Port]:
    """Haven and the port beside it, or a pair of the same classes so many lanes away."""
    dice = Dice(seed)
    if lanes_away == 0:
        return [haven_port(dice, 1, "Haven"), port(dice, 2, "Lantern", lanes_away=1, leaning=Good.ICE, letters="BSB")]
    return [
        port(dice, sector, letters, lanes_away=lanes_away, leaning=Good.ICE, letters=letters)
        for sector, letters in ((1, "SBS"), (2, "BSB"))
    ]


def _leg(dice: Dice, ports: list[Port], source: int, holds: int, way: Way, trade: Haggle) -> int:
    """Buys the most profitable load at ports[source] and sells it at the other; returns what the purse has more."""
    here, there = ports[source], ports[1 - source]
    loads = []
    for good in TRADE_GOODS:
        units = min(holds, here.open_for(good), there.open_for(good))
        if here.sells(good) and not there.sells(good) and units:
            loads.append((fair_at(there, good, units) - fair_at(here, good, units), good, units))
    profit, good, units = max(loads, default=(0, Good.ICE, 0))
    if profit <= 0:
        return 0
    paid = trade(dice, way, fair_at(here, good, units), buying=True)
    if paid is None:
        return 0
    got = trade(dice, way, fair_at(there, good, units), buying=False)
    ports[source] = here.traded(good, -units)
    if got is None:
        return -paid  # dumped: the hold must be free for the way back
    ports[1 - source] = there.traded(good, units)
    return got - paid


@cache
def _earned(way: str, *, holds: int, lanes_away: int, trips: int, trade: Haggle = haggle_on) -> tuple[int, ...]:
    """Credits of each round trip, the mean of PAIRS pairs of ports."""
    sums = [0] * trips
    for seed in range(PAIRS):
        dice, ports = Dice(seed), _pair(seed, lanes_away)
        for trip in range(trips):
            sums[trip] += sum(_leg(dice, ports, source, holds, WAYS[way], trade) for source in (0, 1))
    return tuple(each // PAIRS for each in sums)


def _fresh(way: str, trade: Haggle = haggle_on) -> int:
    """Credits of the first three trips of a newcomer beside Haven."""
    return sum(_earned(way, holds=20, lanes_away=0, trips=3, trade=trade))


def test_a_newcomer_earns_a_living_beside_haven() -> None:
    trips = _earned("accept", holds=20, lanes_away=0, trips=6)
    assert 150 <= sum(trips) // 6 <= 400
    assert trips[0] < 500


def test_a_large_ship_earns_in_proportion_where_ports_are_large() -> None:
    small, large = (_earned("accept", holds=holds, lanes_away=25, trips=1)[0] for holds in (20, 100))
    assert 4 * small <= large <= 6 * small


@pytest.mark.parametrize("lanes_away", [0, 10])
def test_a_pair_of_ports_is_worn_out_after_some_trips(lanes_away: int) -> None:
    trips = _earned("accept", holds=40, lanes_away=lanes_away, trips=7)
    assert trips[6] < trips[0] // 2
    assert list(trips) == sorted(trips, reverse=True)


def test_no_pair_lasts_a_day() -> None:
    trips = _earned("patient", holds=40, lanes_away=25, trips=250 // TURNS_A_TRIP)
    assert sum(trips[-10:]) < trips[0]


def test_a_patient_haggler_earns_more_than_who_takes_the_first_price() -> None:
    accept, patient = _fresh("accept"), _fresh("patient")
    assert 104 * accept <= 100 * patient <= 118 * accept


@pytest.mark.parametrize("way", ["insulting", "stubborn", "5 % off the ask", "10 % off the ask"])
def test_greed_earns_less_than_the_first_price(way: str) -> None:
    assert _fresh(way) < _fresh("accept")


@pytest.mark.parametrize("way", ["insulting", "stubborn"])
def test_greed_mostly_breaks_the_deal(way: str) -> None:
    dice = Dice(3)
    broken = [haggle(dice, WAYS[way], 800, buying=turn % 2 == 0) for turn in range(2_000)].count(None)
    assert broken > 1_000


@pytest.mark.parametrize("way", sorted(WAYS))
def test_no_way_earns_more_than_to_listen(way: str) -> None:
    assert 100 * _fresh(way) <= 101 * _fresh("patient")


def _in_two(dice: Dice, way: Way, fair: int, *, buying: bool) -> int | None:
    halves = [haggle_on(dice, way, part, buying=buying) for part in (fair // 2, fair - fair // 2)]
    return None if None in halves else sum(half for half in halves if half is not None)


@pytest.mark.parametrize("way", ["accept", "patient"])
def test_to_split_each_trade_in_two_wins_nothing(way: str) -> None:
    assert 100 * _fresh(way, _in_two) <= 101 * _fresh(way)


def _walking_out_once(dice: Dice, way: Way, fair: int, *, buying: bool) -> int | None:
    found = haggle(dice, WAYS["reopening"], fair, buying=buying)
    return haggle(dice, way, fair, buying=buying, spoilt=1) if found is None else found


def test_to_walk_out_for_a_better_reserve_wins_nothing() -> None:
    assert _fresh("patient", _walking_out_once) < _fresh("patient")


def test_to_dock_once_more_for_a_better_reserve_costs_more_than_it_wins() -> None:
    docked = 0

    def docking_again(dice: Dice, way: Way, fair: int, *, buying: bool) -> int:
        nonlocal docked
        while (found := haggle(dice, way, fair, buying=buying)) is None:
            docked += 1
        return found

    won = _fresh("reopening", docking_again) - _fresh("patient")
    turn = _fresh("patient") // (3 * TURNS_A_TRIP)
    assert docked > 60
    assert 2 * won < turn * docked // PAIRS, "half of what the turns would have earned in trade"
