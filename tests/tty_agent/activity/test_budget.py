"""Budgets: what is counted, and which limit ends a run."""

from __future__ import annotations

import pytest

from tty_agent.activity.activity import Budget
from tty_agent.activity.budget import Exhausted, Limit, Meter

NONE = Budget(max_decision_ticks=None, max_wall_seconds=None, max_validation_failures=None)


def call(meter: Meter, tokens: int | None = 100, cost: float | None = None) -> None:
    meter.call(input_tokens=tokens, output_tokens=tokens, cached_tokens=None, cost_usd=cost)


def test_a_run_without_limits_never_ends() -> None:
    meter = Meter(NONE)
    meter.start(5.0)
    for _ in range(1000):
        call(meter)
        meter.tick(valid=False)
    assert meter.exhausted(1e9) is None
    assert meter.deadline() is None


def test_everything_is_counted() -> None:
    meter = Meter(NONE)
    meter.start(100.0)
    call(meter, cost=0.25)
    call(meter, tokens=None)
    meter.tick(valid=True)
    meter.tick(valid=False)
    spent = meter.spent(101.5)
    assert (spent.decision_ticks, spent.validation_failures, spent.tokens, spent.cost_usd) == (2, 1, 200, 0.25)
    assert (spent.calls, spent.uncounted_calls, spent.wall_seconds) == (2, 1, 1.5)


@pytest.mark.parametrize(
    ("budget", "limit"),
    [
        (Budget(max_decision_ticks=1), Limit.DECISION_TICKS),
        (Budget(max_wall_seconds=10), Limit.WALL_SECONDS),
        (Budget(max_validation_failures=1), Limit.VALIDATION_FAILURES),
        (Budget(max_tokens=200), Limit.TOKENS),
        (Budget(max_cost_usd=0.5), Limit.COST_USD),
    ],
)
def test_the_limit_that_was_reached_is_named(budget: Budget, limit: Limit) -> None:
    meter = Meter(budget)
    meter.start(0.0)
    assert meter.exhausted(0.0) is None
    call(meter, cost=0.5)
    meter.tick(valid=False)
    reached = meter.exhausted(10.0)
    assert reached is not None
    assert reached.limit is limit


def test_words_for_people_have_the_measured_figure() -> None:
    """Case 24: the limit that fired, and the time that was measured."""
    meter = Meter(Budget(max_wall_seconds=30))
    meter.start(2.0)
    assert str(meter.exhausted(32.25)) == "wall_seconds: 30.25 of 30 used"
    assert str(Exhausted(Limit.TOKENS, 2_000_000, 2_000_001)) == "tokens: 2000001 of 2000000 used"


def test_time_runs_from_the_first_start() -> None:
    meter = Meter(Budget(max_wall_seconds=10))
    assert not meter.started
    assert meter.spent(50.0).wall_seconds == 0
    meter.start(50.0)
    meter.start(55.0)
    assert meter.deadline() == 60.0
    assert meter.exhausted(59.9) is None
    assert meter.exhausted(60.0) is not None


def test_the_defaults_are_those_of_the_design() -> None:
    budget = Budget()
    assert (budget.max_decision_ticks, budget.max_wall_seconds, budget.max_validation_failures) == (50, 900.0, 5)
    assert (budget.max_tokens, budget.max_cost_usd) == (None, None)
