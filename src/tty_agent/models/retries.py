"""Repeating a call after a fault of the provider, with growing pauses.

This is apart from the repair attempt after a malformed answer: an answer, however bad, is never repeated here. The
random source, the clock and the pause itself come in, so that tests need none of them.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from tty_agent.models.model import ProviderFault

T = TypeVar("T")


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often and how fast. The defaults sit out a restart of a server and a minute of rate limiting."""

    max_attempts: int = 5
    """Calls in all; 1 repeats nothing."""
    first_delay_s: float = 1.0
    growth: float = 2.0
    max_delay_s: float = 30.0
    jitter: float = 0.5
    """The share of a pause that is drawn by lot, so that agents that failed together do not return together."""
    max_retry_after_s: float = 120.0
    """A provider that asks for a longer pause is given up at once: the run's clock goes on meanwhile."""
    give_up_after_s: float = 300.0
    """No new attempt starts later than this after the first."""

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise ValueError("max_attempts is at least 1")
        if not 0 <= self.jitter <= 1:
            raise ValueError("jitter is a share, 0 to 1")
        if min(self.first_delay_s, self.max_delay_s, self.max_retry_after_s, self.give_up_after_s) < 0:
            raise ValueError("a pause is not negative")
        if self.growth < 1:
            raise ValueError("growth is at least 1")

    def delay_s(self, failed: int, draw: float) -> float:
        """The pause after `failed` attempts (from 1); `draw` is a random number from 0 up to 1."""
        longest = min(self.max_delay_s, self.first_delay_s * self.growth ** (failed - 1))
        return longest * (1 - self.jitter * draw)


NO_RETRIES = RetryPolicy(max_attempts=1)


class Attempted(msgspec.Struct, Generic[T], frozen=True):
    """What a call gave, and what it took."""

    value: T
    attempts: int
    latency_s: float
    """Of the attempt that succeeded."""


class Retry(msgspec.Struct, frozen=True):
    """A call that failed and is to be repeated."""

    attempt: int
    """The one to come, from 2."""
    max_attempts: int
    delay_s: float
    """The pause before it."""
    fault: str


class Retrying:
    """Makes calls under a RetryPolicy."""

    def __init__(
        self,
        policy: RetryPolicy,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        draw: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
        told: Callable[[Retry], None] | None = None,
    ) -> None:
        """`told` gets each retry before its pause."""
        self.policy = policy
        self._told = told
        self._sleep = sleep
        self._draw = draw
        self._clock = clock

    async def call(self, once: Callable[[], Awaitable[T]]) -> Attempted[T]:
        """Await `once()` until it gives a value. Raises the last ProviderFault, with the number of attempts."""
        began = self._clock()
        attempts = 0
        while True:
            attempts += 1
            started = self._clock()
            try:
                value = await once()
            except ProviderFault as fault:
                fault.attempts = attempts
                delay = self._pause_after(fault, attempts)
                if delay is None or self._clock() + delay - began > self.policy.give_up_after_s:
                    raise
                if self._told is not None:
                    self._told(Retry(attempts + 1, self.policy.max_attempts, delay, str(fault)))
            else:
                return Attempted(value, attempts, self._clock() - started)
            await self._sleep(delay)

    def _pause_after(self, fault: ProviderFault, attempts: int) -> float | None:
        """Seconds until the next attempt, or None if there is none."""
        policy = self.policy
        if not fault.retryable or attempts >= policy.max_attempts:
            return None
        own = policy.delay_s(attempts, self._draw())
        if fault.retry_after_s is None:
            return own
        if fault.retry_after_s > policy.max_retry_after_s:
            return None
        return max(own, fault.retry_after_s)
