"""What games of Starlane say: means with intervals, wins beside chance. For `starlane.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Final

import msgspec
from bench.starlane_games import Played, Seat

from starlane.dice import Dice

_RESAMPLES: Final = 1_000
_DICE: Final = 2024
"""Of the bootstrap: the same games give the same intervals."""
_TAIL: Final = 0.025
_SEAT_TAIL: Final = _TAIL / 6
"""Six seats are looked at: with this, chance alone puts any of them outside in 5 % of all benchmarks."""


class Interval(msgspec.Struct, frozen=True):
    """A figure and the 95 % interval around it."""

    mean: float
    low: float
    high: float


class LevelFigures(msgspec.Struct, frozen=True):
    """How a level did."""

    player: str
    pilots: int
    net_worth: Interval
    games: int
    """In which it had a seat."""
    wins: int
    cycle_share: float
    """Of its winners' turns those in their most repeated cycle: the mean."""
    worst_cycle_share: float


class SeatFigures(msgspec.Struct, frozen=True):
    """How a seat did."""

    seat: int
    games: int
    wins: int
    chance: float
    """Wins that chance gives it on the average."""
    low: int
    high: int
    """Within these all seats lie together in 95 % of what chance gives."""
    edge: Interval
    """Net worth over the mean of the same level among the same players: 1 is no edge."""


def bootstrap(values: Sequence[float], dice: Dice) -> Interval:
    """The mean with the percentile interval of resampled means."""
    count = len(values)
    means = sorted(fmean([values[dice.below(count)] for _ in range(count)]) for _ in range(_RESAMPLES))
    return Interval(fmean(values), means[int(_TAIL * _RESAMPLES)], means[-1 - int(_TAIL * _RESAMPLES)])


def by_level(played: Sequence[Played]) -> list[LevelFigures]:
    """The levels, the poorest first. Pilots of one level in one game are one value, for they are no two games."""
    dice = Dice(_DICE)
    rows = []
    for player in {seat.player for each in played for seat in each.seats}:
        with_it = [each for each in played if player in each.game.players]
        means = [fmean([seat.net_worth for seat in each.seats if seat.player == player]) for each in with_it]
        won = [each.seats[each.winner()] for each in with_it]
        shares = [seat.cycle_share for seat in won if seat.player == player]
        rows.append(
            LevelFigures(
                player=player,
                pilots=sum(each.game.players.count(player) for each in with_it),
                net_worth=bootstrap(means, dice),
                games=len(with_it),
                wins=len(shares),
                cycle_share=fmean(shares) if shares else 0.0,
                worst_cycle_share=max(shares, default=0.0),
            )
        )
    return sorted(rows, key=lambda row: row.net_worth.mean)


def by_seat(played: Sequence[Played]) -> list[SeatFigures]:
    """The seats, each with the exact distribution of wins by chance: a sum of coins that fall by 1 in so many seats."""
    dice = Dice(_DICE)
    usual = _usual(played)
    wins = Counter(each.winner() for each in played)
    rows = []
    for seat in range(max(len(each.seats) for each in played)):
        there = [each for each in played if len(each.seats) > seat]
        chances = [1 / len(each.seats) for each in there]
        low, high = chance_range(chances)
        edges = [each.seats[seat].net_worth / usual[_kind(each, each.seats[seat])] for each in there]
        rows.append(
            SeatFigures(
                seat=seat + 1,
                games=len(there),
                wins=wins[seat],
                chance=sum(chances),
                low=low,
                high=high,
                edge=bootstrap(edges, dice),
            )
        )
    return rows


def _kind(played: Played, seat: Seat) -> tuple[str, tuple[str, ...]]:
    """Like with like: a level among the same players."""
    return seat.player, tuple(sorted(played.game.players))


def _usual(played: Sequence[Played]) -> dict[tuple[str, tuple[str, ...]], float]:
    """The mean net worth of each kind."""
    worths: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for each in played:
        for seat in each.seats:
            worths.setdefault(_kind(each, seat), []).append(seat.net_worth)
    return {kind: fmean(values) for kind, values in worths.items()}


def chance_range(chances: Sequence[float]) -> tuple[int, int]:
    """The lowest and the highest number of successes that chance is likely to give, by exact convolution."""
    odds = [1.0]
    for chance in chances:
        odds = [
            (odds[k] * (1 - chance) if k < len(odds) else 0.0) + (odds[k - 1] * chance if k else 0.0)
            for k in range(len(odds) + 1)
        ]
    low, below = 0, odds[0]
    while below < _SEAT_TAIL:
        low += 1
        below += odds[low]
    high, above = len(odds) - 1, odds[-1]
    while above < _SEAT_TAIL:
        high -= 1
        above += odds[high]
    return low, high


def ranked(levels: Sequence[LevelFigures], order: Sequence[str]) -> bool:
    """Whether the levels are in this order and no interval reaches into the next."""
    rows = {row.player: row.net_worth for row in levels}
    return all(rows[low].high < rows[high].low for low, high in pairwise(order))
