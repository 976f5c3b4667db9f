"""Strengths from results of pairs, by the model of Bradley and Terry. Pure.

R. A. Bradley and M. E. Terry, "Rank Analysis of Incomplete Block Designs", Biometrika 39 (1952): the chance that i
beats j is p_i / (p_i + p_j). The p are found by D. R. Hunter's iteration ("MM algorithms for generalized Bradley-Terry
models", The Annals of Statistics 32 (2004), equation 3): p_i becomes i's wins over the sum of n_ij / (p_i + p_j), until
it stays. A tie is half a win for each. There is a best fit only if nobody stands apart (L. R. Ford, The American
Mathematical Monthly 64 (1957)): however the players are parted in two, one of each part has beaten one of the other.
Where that is not so, strengths are None, and the rates of wins are all that can be told.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from bbs_gym.scoring.intervals import LEVEL, normal_quantile, wilson
from bbs_gym.scoring.result import Interval

MAX_ROUNDS: Final = 10_000
"""Of the iteration: far beyond what a table of results has taken."""

CLOSE_ENOUGH: Final = 1e-12
"""Change of a strength in one round, in natural logarithms."""


class PairResult(msgspec.Struct, frozen=True):
    """One meeting: what the first had of it, 1 a win, 0.5 a tie, 0 a loss."""

    first: str
    second: str
    result: float


class Strength(msgspec.Struct, frozen=True, kw_only=True):
    """How one of them stands."""

    name: str
    meetings: int
    wins: float
    """Ties count a half."""
    rate: Interval
    """Of wins, with Wilson's interval. It depends on whom it met."""
    strength: Interval | None
    """The logarithm of p, the mean of all being 0, with the interval of its standard error. A difference of 1 makes
    wins 2.7 times as likely as losses. None: there is no best fit."""


Counts = Mapping[str, Mapping[str, float]]


def strengths(results: Iterable[PairResult], *, level: float = LEVEL) -> tuple[Strength, ...]:
    """All who met somebody, the strongest first, equals by name. The order of `results` does not matter."""
    wins = _wins(results)
    names = sorted(wins)
    fit = fitted(wins) if _is_connected(wins, names) else {}
    errors = standard_errors(wins, fit) if fit else {}
    z = normal_quantile((1 + level) / 2)
    found = []
    for name in names:
        won = math.fsum(wins[name].values())
        meetings = round(won + math.fsum(wins[other].get(name, 0.0) for other in names))
        rate = wilson(won, meetings, level=level)
        assert rate is not None
        reach = z * errors.get(name, 0.0)
        at = fit.get(name)
        strength = None if at is None else Interval(at, at - reach, at + reach, meetings, level)
        found.append(Strength(name=name, meetings=meetings, wins=won, rate=rate, strength=strength))
    return tuple(sorted(found, key=_place))


def fitted(wins: Counts) -> dict[str, float]:
    """The logarithms of the best p, their mean 0. `wins[i][j]` is how often i beat j; nobody may stand apart."""
    names = sorted(wins)
    logs = dict.fromkeys(names, 0.0)
    for _ in range(MAX_ROUNDS):
        p = {name: math.exp(at) for name, at in logs.items()}
        new = {name: math.log(_next(wins, names, name, p)) for name in names}
        middle = math.fsum(new.values()) / len(names)
        new = {name: at - middle for name, at in new.items()}
        change = max(abs(new[name] - logs[name]) for name in names)
        logs = new
        if change < CLOSE_ENOUGH:
            break
    return logs


def standard_errors(wins: Counts, fit: Mapping[str, float]) -> dict[str, float]:
    """Of each logarithm, by the information of the fit: the roots of the diagonal of its pseudo-inverse."""
    return {name: math.sqrt(max(row[name], 0.0)) for name, row in covariance(wins, fit).items()}


def covariance(wins: Counts, fit: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Of the logarithms, their mean held at 0. The information is a Laplacian with the weights n p q, whose null space
    is that mean: with 1/k added everywhere it can be inverted, and 1/k is taken away again."""
    names = sorted(fit)
    size = len(names)
    matrix = [[1 / size] * size for _ in names]
    for row, first in enumerate(names):
        for column, second in enumerate(names):
            if row != column:
                chance = 1 / (1 + math.exp(fit[second] - fit[first]))
                met = wins[first].get(second, 0.0) + wins[second].get(first, 0.0)
                weight = met * chance * (1 - chance)
                matrix[row][row] += weight
                matrix[row][column] -= weight
    inverse = _inverse(matrix)
    return {
        first: {second: inverse[row][column] - 1 / size for column, second in enumerate(names)}
        for row, first in enumerate(names)
    }


def _wins(results: Iterable[PairResult]) -> dict[str, dict[str, float]]:
    parts: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in results:
        if not 0 <= one.result <= 1 or one.first == one.second:
            raise ValueError(f"{one} is no meeting of two")
        parts[one.first, one.second].append(one.result)
        parts[one.second, one.first].append(1 - one.result)
    wins: dict[str, dict[str, float]] = {first: {} for first, _ in sorted(parts)}
    for (first, second), results_of in sorted(parts.items()):
        wins[first][second] = math.fsum(results_of)
    return wins


def _is_connected(wins: Counts, names: Sequence[str]) -> bool:
    """Whether a path of wins leads from everyone to everyone: Ford's condition."""
    backward = {name: {other: 1.0 for other in names if wins[other].get(name, 0) > 0} for name in names}
    forward = {name: {other: 1.0 for other, won in wins[name].items() if won > 0} for name in names}
    return bool(names) and all(len(_reached(edges, names[0])) == len(names) for edges in (forward, backward))


def _reached(edges: Counts, start: str) -> set[str]:
    seen, left = {start}, [start]
    while left:
        new = [other for other in edges[left.pop()] if other not in seen]
        seen.update(new)
        left.extend(new)
    return seen


def _next(wins: Counts, names: Sequence[str], name: str, p: Mapping[str, float]) -> float:
    met = ((other, wins[name].get(other, 0.0) + wins[other].get(name, 0.0)) for other in names if other != name)
    return math.fsum(wins[name].values()) / math.fsum(times / (p[name] + p[other]) for other, times in met)


def _place(one: Strength) -> tuple[float, float, str]:
    return (-(one.strength.mean if one.strength else 0.0), -one.rate.mean, one.name)


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Of a symmetric, positive definite matrix, by elimination."""
    size = len(matrix)
    rows = [[*row, *(1.0 if at == column else 0.0 for column in range(size))] for at, row in enumerate(matrix)]
    for at in range(size):
        pivot = rows[at][at]
        rows[at] = [value / pivot for value in rows[at]]
        for other in range(size):
            if other != at and (factor := rows[other][at]):
                rows[other] = [value - factor * by for value, by in zip(rows[other], rows[at], strict=True)]
    return [row[size:] for row in rows]
