"""What a run may use up, what it has used up, and the limit that ends it.

Time comes in as an argument: seconds of one monotonic clock.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tty_agent.activity.activity import Budget


class Limit(StrEnum):
    """What can run out. The names are those of the fields of `Budget`, `max_` and units left out."""

    DECISION_TICKS = "decision_ticks"
    WALL_SECONDS = "wall_seconds"
    VALIDATION_FAILURES = "validation_failures"
    TOKENS = "tokens"
    COST_USD = "cost_usd"


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has used up so far."""

    decision_ticks: int = 0
    wall_seconds: float = 0.0
    validation_failures: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float = 0.0
    calls: int = 0
    """Calls of the model."""
    uncounted_calls: int = 0
    """Those for which the provider told no tokens: they count as none."""
    unpriced_calls: int = 0
    """Those of which the cost is not known: they count as free."""

    @property
    def uncounted(self) -> frozenset[Limit]:
        """The figures that no call so far has told anything of; none before the first call."""
        told = ((Limit.TOKENS, self.uncounted_calls), (Limit.COST_USD, self.unpriced_calls))
        return frozenset(figure for figure, calls in told if self.calls and calls == self.calls)

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


class Exhausted(msgspec.Struct, frozen=True):
    """The limit that was reached, and the figure that reached it."""

    limit: Limit
    allowed: float
    used: float

    def __str__(self) -> str:
        """For people: `wall_seconds: 30.2 of 30 used`."""
        return f"{self.limit}: {self.used:.10g} of {self.allowed:.10g} used"


class Meter:
    """Counts what a run uses up. `start` once; all its figures are from then on."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._started: float | None = None
        self._spent = Spent()
        self._uncounted: set[Limit] = set()

    @property
    def started(self) -> bool:
        """`start` was called."""
        return self._started is not None

    def start(self, now: float) -> None:
        """The run begins. A second call changes nothing: observing twice before the first decision is one run."""
        if self._started is None:
            self._started = now

    def call(
        self, *, input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None, cost_usd: float | None
    ) -> None:
        """The model was called once; None is what the provider did not tell."""
        now = self._spent
        self._spent = msgspec.structs.replace(
            now,
            input_tokens=now.input_tokens + (input_tokens or 0),
            output_tokens=now.output_tokens + (output_tokens or 0),
            cached_tokens=now.cached_tokens + (cached_tokens or 0),
            cost_usd=now.cost_usd + (cost_usd or 0.0),
            calls=now.calls + 1,
            uncounted_calls=now.uncounted_calls + (input_tokens is None and output_tokens is None),
            unpriced_calls=now.unpriced_calls + (cost_usd is None),
        )

    def tick(self, *, valid: bool) -> None:
        """A decision was made, or failed to be one."""
        now = self._spent
        self._spent = msgspec.structs.replace(
            now,
            decision_ticks=now.decision_ticks + 1,
            validation_failures=now.validation_failures + (not valid),
        )

    def spent(self, now: float) -> Spent:
        """What is used up at that time."""
        wall = 0.0 if self._started is None else max(0.0, now - self._started)
        return msgspec.structs.replace(self._spent, wall_seconds=round(wall, 3))

    def newly_uncounted(self) -> list[Limit]:
        """What is limited and was not told of some call, so that the limit may be passed unseen: each once."""
        spent, budget = self._spent, self.budget
        found = [
            limit
            for limit, allowed, calls in (
                (Limit.TOKENS, budget.max_tokens, spent.uncounted_calls),
                (Limit.COST_USD, budget.max_cost_usd, spent.unpriced_calls),
            )
            if allowed is not None and calls and limit not in self._uncounted
        ]
        self._uncounted.update(found)
        return found

    def deadline(self) -> float | None:
        """The time at which the run must be over; None without a limit or before the start."""
        if self.budget.max_wall_seconds is None or self._started is None:
            return None
        return self._started + self.budget.max_wall_seconds

    def exhausted(self, now: float) -> Exhausted | None:
        """The first limit that is reached, in the order of `Limit`."""
        spent, budget = self.spent(now), self.budget
        for limit, allowed, used in (
            (Limit.DECISION_TICKS, budget.max_decision_ticks, spent.decision_ticks),
            (Limit.WALL_SECONDS, budget.max_wall_seconds, spent.wall_seconds),
            (Limit.VALIDATION_FAILURES, budget.max_validation_failures, spent.validation_failures),
            (Limit.TOKENS, budget.max_tokens, spent.tokens),
            (Limit.COST_USD, budget.max_cost_usd, spent.cost_usd),
        ):
            if allowed is not None and used >= allowed:
                return Exhausted(limit, allowed, used)
        return None
