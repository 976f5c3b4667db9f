"""Intervals of means and proportions. Pure: the only chance is a generator of our own with a fixed seed, so that the
same values give the same interval everywhere.

Means have a bootstrap interval: the values are drawn again with replacement, many times, and the means of the draws
say how far the mean may be off. Plain percentiles of them are too narrow for few values, so they are taken further
out, by the factor that Student's t and the divisor n - 1 ask for (T. Hesterberg, "What Teachers Should Know About the
Bootstrap", The American Statistician 69 (2015), section 4.3: the expanded percentile interval). The means of draws
never leave the range of the values, though, so that of 3 values no more than 3 of 4 intervals would hold the true
mean: below `FEWEST_DRAWN` values the interval is that of Student's t. Proportions have the interval of E. B. Wilson
("Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from bbs_gym.scoring.result import Interval

LEVEL: Final = 0.95

RESAMPLES: Final = 2_000
"""The ends of the interval then move by some hundredths of its width from seed to seed."""

FEWEST_RESAMPLES: Final = 500
"""For very many values, whose means hardly spread."""

FEWEST_DRAWN: Final = 8
"""Values: from here on 94 of 100 intervals hold the true mean, of skewed values too."""

MAX_DRAWS: Final = 400_000
"""Values drawn for one interval: a tenth of a second."""

KEPT: Final = 1_024
"""Intervals: a table asks for the same one by model and by agent."""

SEED: Final = 20_000_101

_MASK: Final = 2**64 - 1
_FACTOR: Final = 6_364_136_223_846_793_005
_STEP: Final = 1_442_695_040_888_963_407
"""Knuth's MMIX: a linear congruential generator modulo 2**64, of which the high bits are used."""

_HALVINGS: Final = 80
"""Of an interval of 2,000: below what a float can tell."""


def mean_interval(
    values: Iterable[float], *, level: float = LEVEL, seed: int = SEED, resamples: int = RESAMPLES
) -> Interval | None:
    """The mean of `values` with its interval; their order does not matter. None for no value."""
    return _mean_interval(tuple(sorted(values)), level, seed, resamples)


@lru_cache(maxsize=KEPT)
def _mean_interval(found: tuple[float, ...], level: float, seed: int, resamples: int) -> Interval | None:
    if not found:
        return None
    if found[0] == found[-1]:
        return Interval(found[0], found[0], found[0], len(found), level if len(found) > 1 else 0.0)
    mean = math.fsum(found) / len(found)
    if len(found) < FEWEST_DRAWN:
        reach = _student_reach(found, mean, level)
        return Interval(mean, mean - reach, mean + reach, len(found), level)
    means = _means_of_draws(found, seed, resamples)
    outside = _tail(len(found), level)
    low, high = _percentile(means, outside), _percentile(means, 1 - outside)
    return Interval(mean, min(low, mean), max(high, mean), len(found), level)


def paired_difference(pairs: Iterable[tuple[float, float]], *, level: float = LEVEL) -> Interval | None:
    """How much more the first of each pair has, on average: the pairs are those of one seed each, so that what a seed
    does to both takes itself away. None for no pair."""
    return mean_interval((first - second for first, second in pairs), level=level)


def wilson(passed: float, of: int, *, level: float = LEVEL) -> Interval | None:
    """A proportion with Wilson's interval; a half may be counted for a tie. None if nothing was tried.

    Raises ValueError if `passed` is below 0 or above `of`.
    """
    if not 0 <= passed <= of:
        raise ValueError(f"{passed} of {of} is no proportion")
    if not of:
        return None
    z = normal_quantile((1 + level) / 2)
    share = passed / of
    middle = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return Interval(share, 0.0 if passed == 0 else low, 1.0 if passed == of else high, of, level)


def normal_quantile(probability: float) -> float:
    """Where the standard normal distribution has `probability` (above 0, below 1) to its left."""
    return _inverse(normal_probability, probability)


def normal_probability(value: float) -> float:
    """What the standard normal distribution has to the left of `value`."""
    return math.erfc(-value / math.sqrt(2)) / 2


def student_quantile(probability: float, degrees: int) -> float:
    """The same of Student's t with so many degrees of freedom, at least 1."""
    return _inverse(lambda value: student_probability(value, degrees), probability)


def student_probability(value: float, degrees: int) -> float:
    """What Student's t has to the left of `value`: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(value / math.sqrt(degrees))
    square = math.cos(angle) ** 2
    term, total = 1.0, 0.0
    if degrees % 2:
        for power in range(1, degrees - 1, 2):
            total += term
            term *= square * (power + 1) / (power + 2)
        within = 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)
    else:
        for power in range(0, degrees - 1, 2):
            total += term
            term *= square * (power + 1) / (power + 2)
        within = math.sin(angle) * total
    return (1 + within) / 2


def _means_of_draws(values: Sequence[float], seed: int, resamples: int) -> list[float]:
    """The means of `resamples` draws with replacement, fewer where there are very many values; sorted."""
    size = len(values)
    rounds = max(min(resamples, MAX_DRAWS // size), min(resamples, FEWEST_RESAMPLES))
    state = seed & _MASK
    means = []
    for _ in range(rounds):
        total = 0.0
        for _ in range(size):
            state = (state * _FACTOR + _STEP) & _MASK
            total += values[(state >> 32) * size >> 32]
        means.append(total / size)
    means.sort()
    return means


def _student_reach(values: Sequence[float], mean: float, level: float) -> float:
    """How far Student's interval goes to each side."""
    size = len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (size - 1)
    return student_quantile((1 + level) / 2, size - 1) * math.sqrt(variance / size)


def _tail(size: int, level: float) -> float:
    """The share of the bootstrap means to leave out on each side, by Hesterberg's expansion."""
    reach = math.sqrt(size / (size - 1)) * student_quantile((1 + level) / 2, size - 1)
    return normal_probability(-reach)


def _percentile(ordered: Sequence[float], share: float) -> float:
    """Between the two that are nearest, in proportion."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _inverse(rising: Callable[[float], float], wanted: float) -> float:
    low, high = -1_000.0, 1_000.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if rising(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2
