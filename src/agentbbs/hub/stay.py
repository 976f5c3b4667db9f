"""What holds a visit together from outside: others reach it, and it ends soon after its line does.

A plugin sees that its caller is gone when it next reads or writes. One that waits for something else, or that is
broken, would keep its node for ever: so the line is watched, and a visit that goes on for `GRACE_S` after its end is
cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from agentbbs.calls.line import Line, LineGone, Size
from agentbbs.hub.caller import Caller
from agentbbs.hub.text import Text

GRACE_S: Final = 15.0
"""For what a visit has to put in order after its line is gone: a door that heeds no signal takes most of it."""


class VisitCut(Exception):
    """The visit went on without a line, and was cancelled."""


class Stay:
    """One visit's outside. Implements `presence.Reachable`. Everything of the visit uses `line` of here."""

    def __init__(self, line: Line, *, grace_s: float = GRACE_S) -> None:
        self.line: Final[Line] = _Watched(line, self._over)
        self.caller: Caller | None = None
        """Set it as soon as there is one."""
        self.why = ""
        """What somebody else ended it for."""
        self._grace_s = grace_s
        self._limit: asyncio.Timeout | None = None

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """The visit, in the task that runs it. Raises VisitCut if it had to be cancelled."""
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._limit = limit
                try:
                    yield
                finally:
                    self._limit = None
        except TimeoutError as fault:
            if not limit.expired():
                raise
            raise VisitCut("it went on after its line was gone") from fault

    def tell(self, *texts: Text) -> None:
        """Show a notice when it disturbs nothing."""
        if self.caller is not None:
            self.caller.post(*texts)

    def end(self, why: str) -> None:
        """Say why and hang up, whatever is on the screen: a prompt, or a door."""
        self.why = self.why or why
        if self.caller is not None:
            self.caller.control("\x1b[0m\r\n" if self.caller.ansi else "\r\n")
            self.caller.control(self.caller.fit(why).replace("\n", "\r\n") + "\r\n")
        self.line.hang_up()
        self._over()

    def _over(self) -> None:
        if self._limit is not None and self._limit.when() is None:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._grace_s)


class _Watched:
    """`Line` that says when it is gone. `Caller` reads ahead, so that is at once."""

    def __init__(self, line: Line, gone: Callable[[], None]) -> None:
        self._line = line
        self._tell_gone = gone

    @property
    def transport(self) -> str:
        return self._line.transport

    @property
    def address(self) -> str:
        return self._line.address

    @property
    def private(self) -> bool:
        return self._line.private

    @property
    def terminal(self) -> str:
        return self._line.terminal

    @property
    def size(self) -> Size:
        return self._line.size

    @property
    def size_known(self) -> bool:
        return self._line.size_known

    def on_resize(self, told: Callable[[Size], None] | None) -> None:
        self._line.on_resize(told)

    async def read(self) -> bytes:
        try:
            return await self._line.read()
        except LineGone:
            self._tell_gone()
            raise

    def write(self, data: bytes) -> None:
        self._line.write(data)

    async def drain(self) -> None:
        try:
            await self._line.drain()
        except LineGone:
            self._tell_gone()
            raise

    def hang_up(self) -> None:
        self._line.hang_up()
