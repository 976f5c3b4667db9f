"""Trade between two known ports: what it would bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from starlane.bots.brains.atlas import Atlas, Berth, Stall, goods_by_value
from starlane.goods import Good

_LEAST_UNITS: Final = 1


class Lot(msgspec.Struct, frozen=True, kw_only=True):
    """Some of one good."""

    good: Good
    units: int


class Trip(msgspec.Struct, frozen=True, kw_only=True):
    """Fly to `source`, buy the lots, fly to `target`, sell them."""

    source: int
    target: int
    lots: tuple[Lot, ...]
    gain: int
    """Credits, by the boards as they are known."""
    turns: int
    """From where the ship is now."""

    def per_turn(self) -> int:
        """Thousandths of a credit that a turn brings."""
        return 1000 * self.gain // max(self.turns, 1)


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What a ship can trade with."""

    sector: int
    docked: bool
    holds: int
    credits: int


def trips(atlas: Atlas, means: Means, *, to_source: int, between: int) -> Iterator[Trip]:
    """Every trip worth making whose ports are at most so many turns away: the first from here, the second from it."""
    for source, target, turns in _pairs(atlas, means, to_source, between):
        trip = priced(source, target, means, turns=turns)
        if trip is not None:
            yield trip


def best_trip(
    atlas: Atlas, means: Means, *, to_source: int, between: int, fits: Callable[[int, int], bool]
) -> Trip | None:
    """Of those trips the one that brings most for a turn. `fits` says whether so many turns, with an end in that
    sector, are allowed."""
    best: Trip | None = None
    floor = 0
    for source, target, turns in _pairs(atlas, means, to_source, between):
        if 100 * means.holds * _spread(source, target) // turns <= floor or not fits(turns, target.sector):
            continue
        trip = priced(source, target, means, turns=turns)
        if trip is not None and trip.per_turn() > floor:
            best, floor = trip, trip.per_turn()
    return best


def _pairs(atlas: Atlas, means: Means, to_source: int, between: int) -> Iterator[tuple[Berth, Berth, int]]:
    """Pairs of known ports, with the turns that a trip between them takes."""
    reach = atlas.reach(means.sector)
    near = [(atlas.ports[sector], turns) for sector, turns in reach.items() if sector in atlas.ports]
    for source, turns in near:
        if turns > to_source:
            continue
        docking = 0 if means.docked and source.sector == means.sector else 1
        ways = atlas.reach(source.sector)
        for target, _ in near:
            way = ways.get(target.sector, between + 1)
            if target is not source and way <= between:
                yield source, target, turns + docking + way + 1


def _spread(source: Berth, target: Berth) -> int:
    """The most that a unit of anything can gain, in tenths of a credit: each further one gains less."""
    most = 0
    for good, selling in source.stalls.items():
        buying = target.stalls[good]
        if selling.sells and not buying.sells and selling.open_for and buying.open_for:
            most = max(most, buying.tenths - selling.tenths)
    return most


def priced(source: Berth, target: Berth, means: Means, *, turns: int) -> Trip | None:
    """What is best carried from one port to the other; None if nothing is."""
    lots: list[Lot] = []
    gain, room, purse = 0, means.holds, means.credits
    for good in goods_by_value():
        selling, buying = source.stalls[good], target.stalls[good]
        if not selling.sells or buying.sells or not room:
            continue
        units = _affordable(selling, min(room, best_units(selling, buying)), purse)
        if units < _LEAST_UNITS:
            continue
        cost = selling.total(units)
        profit = buying.total(units) - cost
        if profit > 0:
            lots.append(Lot(good=good, units=units))
            gain, room, purse = gain + profit, room - units, purse - cost
    if not lots:
        return None
    return Trip(source=source.sector, target=target.sector, lots=tuple(lots), gain=gain, turns=turns)


def best_units(selling: Stall, buying: Stall) -> int:
    """How many units to carry until the next would cost as much as it brings: where both price lines meet."""
    a, b = selling.size, buying.size
    meet = (2 * selling.open_for * b + 2 * buying.open_for * a - a * b) // (2 * (a + b))
    return max(0, min(meet, selling.open_for, buying.open_for))


def _affordable(stall: Stall, units: int, purse: int) -> int:
    """How many of `units` the purse pays for, with a little left for what the port opens worse with."""
    purse -= purse // 40
    if units < 1 or stall.total(units) <= purse:
        return max(units, 0)
    low, high = 0, units
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if stall.total(middle) <= purse else (low, middle - 1)
    return low
