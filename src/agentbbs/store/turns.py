"""Turns at something dear: a few have it at once, the others wait, each source in a line of its own, and the sources
take turns. So one source that wants much delays another by one turn, and not by its whole line.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class LineFull(Exception):
    """Too many wait already, in all or of this source."""


class Turns:
    """Belongs to one event loop. `at_once` have a turn at a time; `waiting` may wait, of each source `waiting_each`."""

    def __init__(self, at_once: int, *, waiting: int, waiting_each: int) -> None:
        self._free = at_once
        self._max_waiting = waiting
        self._max_waiting_each = waiting_each
        self._waiting = 0
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, source: str) -> AsyncIterator[None]:
        """`async with turns.turn(source):` waits for a turn, and has it until the end of the block. Raises LineFull."""
        if self._free:  # then nobody waits
            self._free -= 1
        else:
            await self._wait(source)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, source: str) -> None:
        line = self._lines.setdefault(source, deque())
        if self._waiting >= self._max_waiting or len(line) >= self._max_waiting_each:
            self._tidy(source)
            raise LineFull
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(mine)
        self._waiting += 1
        try:
            await mine
        except asyncio.CancelledError:
            if mine.cancelled():
                self._waiting -= 1
                self._lines[source].remove(mine)
                self._tidy(source)
            else:  # the turn came in the same moment
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        for source, line in self._lines.items():
            waiting = next((each for each in line if not each.done()), None)
            if waiting is not None:
                line.remove(waiting)
                self._waiting -= 1
                self._lines.move_to_end(source)
                self._tidy(source)
                waiting.set_result(None)
                return
        self._free += 1

    def _tidy(self, source: str) -> None:
        if not self._lines[source]:
            del self._lines[source]
