"""Elo with K = 32 against figures from outside: the seed's, and Elo's own table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.ratings import elo

RATINGS = st.floats(min_value=0, max_value=4000)


def test_the_first_win_between_new_players_gives_1516_and_1484() -> None:
    assert elo.updated(elo.START, elo.START, 1.0) == (1516.0, 1484.0)


def test_a_draw_between_equals_changes_nothing() -> None:
    assert elo.updated(1623.5, 1623.5, 0.5) == (1623.5, 1623.5)


@pytest.mark.parametrize(
    ("difference", "percent"),
    [(0, 50), (25, 54), (50, 57), (100, 64), (150, 70), (200, 76), (250, 81), (300, 85), (400, 91), (500, 95)],
)
def test_the_expected_score_is_that_of_the_published_table(difference: int, percent: int) -> None:
    # FIDE Handbook B.02, table 8.1.2 (rounded to whole percents; the logistic curve is within one).
    assert round(100 * elo.expected(1500 + difference, 1500)) == pytest.approx(percent, abs=1)


def test_1500_against_1900_is_expected_to_score_a_little_over_nine_percent() -> None:
    assert elo.expected(1500, 1900) == pytest.approx(0.0909, abs=5e-5)


@pytest.mark.parametrize("score", [-1.0, 0.25, 2.0, float("nan")])
def test_a_score_that_is_no_result_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match=r"a score is 0, 0.5 or 1"):
        elo.updated(1500, 1500, score)


@given(RATINGS, RATINGS)
def test_both_expectations_add_up_to_one(one: float, other: float) -> None:
    assert elo.expected(one, other) + elo.expected(other, one) == pytest.approx(1)


@given(RATINGS, RATINGS)
def test_a_win_never_costs_and_a_loss_never_gains(one: float, other: float) -> None:
    winner, loser = elo.updated(one, other, 1.0)
    assert winner >= one
    assert loser <= other
    assert winner - one <= elo.K_FACTOR


@given(RATINGS, RATINGS)
def test_a_draw_brings_unequal_players_nearer(one: float, other: float) -> None:
    first, second = elo.updated(one, other, 0.5)
    assert abs(first - second) <= abs(one - other) + 1e-9
