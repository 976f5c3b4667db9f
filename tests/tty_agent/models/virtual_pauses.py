"""Retries without waiting: pauses are written down, and virtual time passes by them."""

from __future__ import annotations

from tty_agent.models.retries import Retrying, RetryPolicy


class Pauses:
    """A clock that only pauses move."""

    def __init__(self, draw: float = 0.0) -> None:
        self.taken: list[float] = []
        self.now = 1000.0
        self._draw = draw

    async def sleep(self, seconds: float) -> None:
        """Pass the time."""
        self.taken.append(seconds)
        self.now += seconds

    def draw(self) -> float:
        """The random number of this test."""
        return self._draw

    def clock(self) -> float:
        """Seconds of virtual time."""
        return self.now

    def retrying(self, policy: RetryPolicy | None = None) -> Retrying:
        """A Retrying in this time."""
        return Retrying(policy or RetryPolicy(), sleep=self.sleep, draw=self.draw, clock=self.clock)
