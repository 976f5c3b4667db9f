"""One timer of the event loop for every deadline of the venue: move clocks, queue waits, idle connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count

from agentbbs.play.clock import Deadlines


class Alarms:
    """Rings callbacks at their times. Belongs to one running event loop and its clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.now: Callable[[], float] = loop.time
        """The clock of the times that `set` takes, in seconds."""
        self._deadlines = Deadlines()
        self._bells: dict[int, Callable[[], None]] = {}
        self._keys = count()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0

    def add(self, ring: Callable[[], None]) -> int:
        """A new alarm, not set yet, that calls `ring`; returns its key. End it with `drop`."""
        key = next(self._keys)
        self._bells[key] = ring
        return key

    def set(self, key: int, at: float) -> None:
        """Ring at loop time `at`, in place of the time that was set; an alarm rings once and stays."""
        self._deadlines.arm(key, at)
        if self._timer is None or at < self._timer_at:
            self._wind()

    def clear(self, key: int) -> None:
        """Take the time of an alarm away, if it has one."""
        self._deadlines.disarm(key)

    def drop(self, key: int) -> None:
        """Forget an alarm."""
        self._deadlines.disarm(key)
        self._bells.pop(key, None)

    def stop(self) -> None:
        """Ring no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._bells.clear()

    def _wind(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        look = self._deadlines.next_look()
        if look is not None:
            self._timer_at = look
            self._timer = self._loop.call_at(look, self._ring)

    def _ring(self) -> None:
        self._timer = None
        try:
            for key in self._deadlines.due(self.now()):
                bell = self._bells.get(key)
                if bell is not None:
                    bell()
        finally:
            self._wind()  # a bell that fails is reported by the loop; the others ring in its next turn
