"""Bradley and Terry's model against two published fits."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bbs_gym.scoring.pairwise import PairResult, covariance, fitted, standard_errors, strengths

CITATIONS = {
    ("Biometrika", "Comm Statist"): (730, 33),
    ("Biometrika", "JASA"): (498, 320),
    ("Biometrika", "JRSS-B"): (221, 284),
    ("Comm Statist", "JASA"): (68, 813),
    ("Comm Statist", "JRSS-B"): (17, 276),
    ("JASA", "JRSS-B"): (142, 325),
}
"""S. Stigler, Statistical Science 9 (1994), as in A. Agresti, Categorical Data Analysis (2002), p. 448: how often one
journal cites another. Fitted in H. Turner and D. Firth, Journal of Statistical Software 48 (2012), section 2."""

FOUR_TEAMS = {"A": {"B": 2, "D": 1}, "B": {"A": 3, "C": 5}, "C": {"B": 3, "D": 1}, "D": {"A": 4, "C": 3}}
"""The worked example of the article "Bradley-Terry model" in Wikipedia."""


def counts() -> dict[str, dict[str, float]]:
    wins: dict[str, dict[str, float]] = {}
    for (first, second), (won, lost) in CITATIONS.items():
        wins.setdefault(first, {})[second] = won
        wins.setdefault(second, {})[first] = lost
    return wins


def test_the_journals_as_turner_and_firth_have_them() -> None:
    fit = fitted(counts())
    against = {name: round(at - fit["Biometrika"], 4) for name, at in fit.items()}
    assert against == {"Biometrika": 0.0, "Comm Statist": -2.9491, "JASA": -0.4796, "JRSS-B": 0.2690}


def test_their_standard_errors_against_biometrika() -> None:
    spread = covariance(counts(), fitted(counts()))
    errors = {
        name: round(math.sqrt(row[name] + spread["Biometrika"]["Biometrika"] - 2 * row["Biometrika"]), 5)
        for name, row in spread.items()
        if name != "Biometrika"
    }
    assert errors == {"Comm Statist": 0.10255, "JASA": 0.06059, "JRSS-B": 0.07083}


def test_the_four_teams_of_the_worked_example() -> None:
    fit = fitted({name: {other: float(won) for other, won in row.items()} for name, row in FOUR_TEAMS.items()})
    assert {name: round(math.exp(at), 3) for name, at in fit.items()} == {
        "A": 0.640,
        "B": 1.043,
        "C": 0.660,
        "D": 2.270,
    }


def test_the_strongest_first_with_intervals_that_hold_the_fit() -> None:
    found = strengths(
        PairResult(name, other, 1.0)
        for name, row in FOUR_TEAMS.items()
        for other, won in row.items()
        for _ in range(won)
    )
    assert [one.name for one in found] == ["D", "B", "C", "A"]
    assert found[0].meetings == 9
    assert found[0].wins == 7
    assert found[0].rate.mean == 7 / 9
    assert all(one.strength and one.strength.low < one.strength.mean < one.strength.high for one in found)


def test_who_never_lost_has_a_rate_and_no_strength() -> None:
    found = strengths([PairResult("a", "b", 1.0), PairResult("a", "b", 1.0), PairResult("b", "c", 0.5)])
    assert [one.name for one in found] == ["a", "c", "b"]
    assert all(one.strength is None for one in found)
    assert found[0].rate.low > 0.3


def test_ties_alone_make_equals() -> None:
    found = strengths([PairResult("a", "b", 0.5)] * 6)
    assert [one.strength.mean if one.strength else None for one in found] == [0.0, 0.0]
    assert standard_errors({"a": {"b": 3.0}, "b": {"a": 3.0}}, {"a": 0.0, "b": 0.0})["a"] > 0


def test_nobody_meets_itself() -> None:
    for wrong in (PairResult("a", "a", 1.0), PairResult("a", "b", 1.5)):
        with pytest.raises(ValueError, match="no meeting"):
            strengths([wrong])
    assert strengths([]) == ()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.sampled_from([0.0, 0.5, 1.0])), max_size=20
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_and_the_sides_do_not_matter(met: list[tuple[str, str, float]], chance: random.Random) -> None:
    results = [PairResult(first, second, result) for first, second, result in met if first != second]
    mixed = [PairResult(one.second, one.first, 1 - one.result) if chance.random() < 0.5 else one for one in results]
    chance.shuffle(mixed)
    assert strengths(results) == strengths(mixed)
