"""Waiting for a turn: one future, and one timer that goes off at the observer's deadline.

A deadline moves on with almost every chunk, and the timer with it: that costs less than to be woken up for a deadline
that has moved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec

from tty_agent.observation.observation import Readiness
from tty_agent.observer.observer import Observer
from tty_agent.observer.readiness import PromptPattern, TurnPolicy

MIN_TIMEOUT_S: Final = 0.001
"""A policy's times are positive; a look without waiting is as short as this."""

TIMER_GRAIN_S: Final = 0.001
"""The timers of uvloop are whole milliseconds: one for less goes off at once, is too early and is set again, for as
long as the loop is idle."""


def with_timeout(policy: TurnPolicy, seconds: float) -> TurnPolicy:
    """The policy with another hard limit."""
    return msgspec.structs.replace(policy, timeout_s=max(seconds, MIN_TIMEOUT_S))


class TurnWait:
    """Who waits for the turns of one observer: nobody, or one at a time."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._turn: asyncio.Future[Readiness] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._hold_until = 0.0
        self._bytes_end_hold = True
        self._closed = False

    async def ready(
        self,
        policy: TurnPolicy,
        prompts: Sequence[PromptPattern],
        *,
        left_s: float | None = None,
        hold_s: float = 0.0,
        bytes_end_hold: bool = True,
    ) -> Readiness:
        """Start a turn and wait for it, `left_s` at most. For `hold_s` it is not ready whatever the observer finds,
        unless the connection ends or, with `bytes_end_hold`, something comes or has come since the last turn.

        Raises RuntimeError if somebody waits already.
        """
        if self._turn is not None:
            raise RuntimeError("somebody waits for this turn already: one reader a session")
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._observer.start_turn(now, policy=policy, prompts=prompts, left_s=left_s)
        self._hold_until = now + hold_s
        self._bytes_end_hold = bytes_end_hold
        self._turn = loop.create_future()
        try:
            self.look()
            return await self._turn
        finally:
            self._turn = None
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def heard(self) -> None:
        """The observer was told of bytes."""
        if self._bytes_end_hold:
            self._hold_until = 0.0
        self.look()

    def closed(self) -> None:
        """The observer was told of the end."""
        self._closed = True
        self.look()

    def fail(self, fault: Exception) -> None:
        """There will be no turn: whoever waits gets `fault`."""
        if self._turn is not None and not self._turn.done():
            self._turn.set_exception(fault)

    def look(self) -> None:
        """End the turn if it is ready, else see to it that we look again in time."""
        turn = self._turn
        if turn is None or turn.done():
            return
        now = turn.get_loop().time()
        due = self._due()
        if due is not None and due <= now:
            readiness = self._observer.poll(now)
            if readiness is not None:
                turn.set_result(readiness)
                return
            due = self._due()
        if due is None:
            return
        at = max(due, now + TIMER_GRAIN_S)
        if self._timer is None or self._timer_at != at:
            if self._timer is not None:
                self._timer.cancel()
            self._timer_at = at
            self._timer = turn.get_loop().call_at(at, self._timer_went_off)

    def _due(self) -> float | None:
        deadline = self._observer.deadline()
        if deadline is None or self._closed:
            return deadline
        return max(deadline, self._hold_until)

    def _timer_went_off(self) -> None:
        self._timer = None
        self.look()
