"""Bytes that came in and wait to be read, and the end behind them: what every transport reads from.

The line calls `feed` and `finish`; one task calls `take`. What came before the end is always read before the end
is seen, unless the end is our own hang-up: nobody waits for the rest then. A reader that falls behind stops the line
(`pause`), so what waits is bounded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from tty_agent.transports.transport import READ_BYTES, End, EndKind

MAX_WAITING_BYTES: Final = 4 * READ_BYTES
"""The line is paused above it: enough that a fast program is not stopped for each read."""


class Inbox:
    """`pause` and `resume` stop the line and let it go on; a line that is there only later says so by `attach`."""

    def __init__(self, pause: Callable[[], object] = lambda: None, resume: Callable[[], object] = lambda: None) -> None:
        self._pause = pause
        self._resume = resume
        self._waiting = bytearray()
        self._changed = asyncio.Event()
        self._paused = False
        self._end: End | None = None

    @property
    def end(self) -> End | None:
        """How the line ended; None while it has not, or something that came before the other side ended it waits
        to be read."""
        return None if self._waiting else self._end

    def attach(self, pause: Callable[[], object], resume: Callable[[], object]) -> None:
        """The line is there; call it before anything comes."""
        self._pause, self._resume = pause, resume

    def feed(self, data: bytes | bytearray) -> None:
        """Bytes came; after our own hang-up they are dropped."""
        if self._end is not None and self._end.kind is EndKind.HUNG_UP:
            return
        self._waiting += data
        self._changed.set()
        if len(self._waiting) > MAX_WAITING_BYTES and not self._paused:
            self._paused = True
            self._pause()

    def finish(self, end: End) -> None:
        """The line ended. The first end counts; our own hang-up does while something of the line waits to be read,
        which is dropped then."""
        if self._end is None or (self._waiting and end.kind is EndKind.HUNG_UP):
            self._end = end
        if end.kind is EndKind.HUNG_UP:
            self._waiting.clear()
        self._changed.set()

    async def take(self, limit: int = READ_BYTES) -> bytes:
        """The next bytes, 1 to `limit`; b"" when all were taken and the line has ended."""
        while not self._waiting:
            if self._end is not None:
                return b""
            self._changed.clear()
            await self._changed.wait()
        data = bytes(self._waiting[:limit])
        del self._waiting[:limit]
        if self._paused and len(self._waiting) < READ_BYTES:
            self._paused = False
            self._resume()
        return data
