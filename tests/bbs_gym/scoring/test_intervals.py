"""Intervals against published examples, and by how often they hold what they should."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bbs_gym.scoring.intervals import (
    mean_interval,
    normal_quantile,
    paired_difference,
    student_quantile,
    wilson,
)

NEWCOMBE = [
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0, 0.1611),
    (1, 29, 0.0061, 0.1718),
]
"""R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3: Wilson's score without continuity correction."""


@pytest.mark.parametrize(("passed", "of", "low", "high"), NEWCOMBE)
def test_wilson_as_newcombe_has_it(passed: int, of: int, low: float, high: float) -> None:
    found = wilson(passed, of)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    assert found.mean == passed / of


def test_wilson_as_r_has_it() -> None:
    """6 of the 32 cars of R's `mtcars` go 25 miles and more; the interval is that of a published R session."""
    found = wilson(6, 32)
    assert found is not None
    assert found.low == pytest.approx(0.08889545, abs=5e-8)
    assert found.high == pytest.approx(0.35309155, abs=5e-8)


def test_wilson_of_nothing_is_nothing_and_nonsense_is_refused() -> None:
    assert wilson(0, 0) is None
    for passed, of in ((3, 2), (-1, 2)):
        with pytest.raises(ValueError, match="no proportion"):
            wilson(passed, of)


def test_quantiles_as_tables_have_them() -> None:
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
    for degrees, value in ((1, 12.7062), (2, 4.3027), (4, 2.7764), (5, 2.5706), (9, 2.2622), (30, 2.0423)):
        assert student_quantile(0.975, degrees) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize("size", [3, 5, 8, 14])
def test_intervals_hold_the_mean_as_often_as_they_say(size: int) -> None:
    """Drawn from a normal and from a skewed world. Plain percentiles hold the mean of 5 values in 83 % only; with all
    draws in place of these few the share is 94 %."""
    chance = random.Random(20260131)
    held = 0
    for number in range(400):
        values = [chance.gauss(10, 3) if number % 2 else chance.gammavariate(4, 2.5) for _ in range(size)]
        found = mean_interval(values, resamples=400)
        assert found is not None
        held += found.low <= 10 <= found.high
    assert 0.90 <= held / 400 <= 0.98


def test_three_values_as_a_table_of_student_has_them() -> None:
    found = mean_interval([1.0, 2.0, 3.0])
    assert found is not None
    assert found.high - found.mean == pytest.approx(4.3027 / 3**0.5, abs=1e-4)


def test_of_one_value_no_interval_is_told() -> None:
    found = mean_interval([7.0])
    assert found is not None
    assert (found.mean, found.low, found.high, found.n, found.level) == (7.0, 7.0, 7.0, 1, 0.0)
    assert mean_interval([]) is None


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_values_does_not_matter(values: list[float], chance: random.Random) -> None:
    mixed = values[:]
    chance.shuffle(mixed)
    found = mean_interval(values, resamples=200)
    assert found == mean_interval(mixed, resamples=200)
    assert found is not None
    assert found.low <= found.mean <= found.high


def test_pairs_take_away_what_a_seed_does_to_both() -> None:
    seeds = [10.0, 500.0, 90.0, 4000.0, 1200.0]
    apart = mean_interval(value + 5 for value in seeds)
    between = paired_difference(
        (value + 5 + small, value) for value, small in zip(seeds, (1, -1, 0, 1, -1), strict=True)
    )
    assert apart is not None
    assert between is not None
    assert between.mean == 5
    assert between.low > 0
    assert between.high - between.low < (apart.high - apart.low) / 100
