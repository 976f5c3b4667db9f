"""A transport without a line: the test is the program at the other end."""

from __future__ import annotations

import asyncio

from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.transports.inbox import Inbox
from tty_agent.transports.transport import CannotConnect, End, EndKind


class ScriptedLine:
    """`say` what the program writes, `expect` what it is typed; `clog` it, and it does not read."""

    name = "scripted"
    dialect = ANSI_BBS

    def __init__(self, *, refuses: bool = False) -> None:
        self.inbox = Inbox()
        self.typed = bytearray()
        self.sizes: list[tuple[int, int]] = []
        self.closed = 0
        self._refuses = refuses
        self._came = asyncio.Event()
        self._reads = asyncio.Event()
        self._reads.set()

    @property
    def metadata(self) -> dict[str, object]:
        return {"transport": self.name}

    @property
    def end(self) -> End | None:
        return self.inbox.end

    async def open(self, columns: int, rows: int) -> None:
        if self._refuses:
            raise CannotConnect("nobody is there")
        self.sizes.append((columns, rows))

    async def read(self) -> bytes:
        return await self.inbox.take()

    async def room(self) -> None:
        await self._reads.wait()

    async def write(self, data: bytes) -> None:
        await self._reads.wait()
        self.typed += data
        self._came.set()

    async def resize(self, columns: int, rows: int) -> None:
        self.sizes.append((columns, rows))

    async def close(self) -> None:
        self.closed += 1
        self._reads.set()
        self.inbox.finish(End(EndKind.HUNG_UP, "we hung up"))

    def say(self, data: bytes) -> None:
        self.inbox.feed(data)

    def hang_up(self, kind: EndKind = EndKind.EOF, code: int | None = None) -> None:
        self.inbox.finish(End(kind, "the program ended", code))

    def clog(self) -> None:
        self._reads.clear()

    def unclog(self) -> None:
        self._reads.set()

    async def expect(self, data: bytes) -> None:
        """Wait until exactly this was typed since the last time."""
        async with asyncio.timeout(5):
            while len(self.typed) < len(data):
                self._came.clear()
                await self._came.wait()
        assert bytes(self.typed) == data
        self.typed.clear()
