"""What a model is told of its budget: what is limited, and nothing else."""

from __future__ import annotations

import pytest

from tty_agent.activity.activity import Budget
from tty_agent.activity.budget import Spent
from tty_agent.prompts.context import BudgetState

UNLIMITED = Budget(
    max_decision_ticks=None,
    max_wall_seconds=None,
    max_validation_failures=None,
    max_tokens=None,
    max_cost_usd=None,
)


def test_every_limit_is_told_with_what_is_left() -> None:
    limits = Budget(max_tokens=10_000, max_cost_usd=1.5)
    spent = Spent(
        decision_ticks=3,
        wall_seconds=100.4,
        validation_failures=1,
        input_tokens=900,
        output_tokens=100,
        cost_usd=0.25,
    )
    assert BudgetState(limits, spent).told(60).split("\n") == [
        "- Decisions left, this one included: 47 of 50",
        "- Deadline: your answer is due within 60 seconds; the run is over then",
        "- Answers without a valid action until the run ends: 4",
        "- Tokens left: 9000",
        "- Cost left: $1.2500",
    ]


def test_without_limits_that_is_told_of_the_time_alone() -> None:
    assert BudgetState(UNLIMITED).told(None) == "- Deadline: none, this run has no time limit"


@pytest.mark.parametrize(
    ("left", "shown"), [(899.9, "899"), (12.3, "12"), (9.99, "9.9"), (0.05, "0"), (4000.0, "4000")]
)
def test_the_time_is_rounded_down(left: float, shown: str) -> None:
    assert f"due within {shown} seconds" in BudgetState(UNLIMITED).told(left)


def test_what_no_call_told_is_not_shown_as_a_figure() -> None:
    limits = Budget(max_tokens=100, max_cost_usd=1.0)
    told = BudgetState(limits, Spent(calls=2, uncounted_calls=2, unpriced_calls=1, cost_usd=0.25)).told(None)
    assert "Tokens left: not counted by the provider" in told
    assert "Cost left: $0.7500" in told
    told = BudgetState(limits, Spent(calls=2, unpriced_calls=2, input_tokens=30)).told(None)
    assert "Tokens left: 70" in told
    assert "Cost left: not counted by the provider" in told
    assert "Tokens left: 100" in BudgetState(limits).told(None), "nothing was asked yet"


def test_nothing_left_is_zero_and_never_less() -> None:
    spent = Spent(
        decision_ticks=90, wall_seconds=1e6, validation_failures=9, input_tokens=99, output_tokens=9, cost_usd=3
    )
    told = BudgetState(Budget(max_tokens=5, max_cost_usd=1), spent).told(-3)
    assert "-" not in told.replace("\n- ", "\n").removeprefix("- ")
    assert "included: 0 of 50" in told
    assert "within 0 seconds" in told
