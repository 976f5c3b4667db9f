"""One at a time through the event loop's turns, so that work which blocks it for milliseconds never adds up.

The step of an SSH handshake takes two or three milliseconds of computing, and so does a portion of a flood. When
a hundred callers have one ready in the same turn, everybody who plays would wait for all of them; through the
turnstile they wait for one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Turnstile:
    """Belongs to one event loop. What is lined up runs in its order, one step a turn of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._line: deque[Callable[[], None]] = deque()

    def line_up(self, step: Callable[[], None]) -> None:
        """Run `step` in a later turn, when those before it have had theirs."""
        self._line.append(step)
        if len(self._line) == 1:
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        step = self._line[0]
        try:
            step()  # one that fails is reported by the loop and stops no other
        finally:
            self._line.popleft()
            if self._line:
                self._loop.call_soon(self._turn)
