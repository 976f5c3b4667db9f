"""A switchboard in the test's own loop, a scripted reception behind it, and a raw caller who comes by a socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from agentbbs.calls.line import Line, LineGone
from agentbbs.calls.reception import Call, LogIn
from agentbbs.play.alarms import Alarms
from agentbbs.play.tally import Tally
from agentbbs.servers.caller_endpoint import CallerEndpoint
from agentbbs.servers.switchboard import Switchboard
from tty_agent.session.session import TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.transports.pty import Pty

from .conftest import SOON_S

GREETING = b"Welcome! "

Visit = Callable[[Call], Awaitable[None]]


async def echo(call: Call) -> None:
    """Greets, shows what is typed, and hangs up at a `q`."""
    line = call.line
    with contextlib.suppress(LineGone):
        line.write(GREETING)
        while True:
            data = await line.read()
            line.write(data)
            await line.drain()
            if b"q" in data:
                break
    line.write(b"bye\r\n")
    line.hang_up()


class ScriptedReception:
    """Gives every call to `visit`, and remembers them."""

    def __init__(self, visit: Visit = echo) -> None:
        self.visit = visit
        self.calls: asyncio.Queue[Call] = asyncio.Queue()

    async def receive(self, call: Call) -> None:
        self.calls.put_nowait(call)
        await self.visit(call)

    async def call(self) -> Call:
        """The next call that came."""
        async with asyncio.timeout(SOON_S):
            return await self.calls.get()

    async def line(self) -> Line:
        return (await self.call()).line


class PasswordsInMemory:
    """Who has which password; accounts are numbered from 1."""

    def __init__(self, **passwords: str) -> None:
        self.passwords = passwords
        self.asked: list[tuple[str, str, str]] = []
        self.wait_s = 0.0
        self.broken = False

    async def check(self, name: str, password: str, address: str) -> LogIn:
        self.asked.append((name, password, address))
        if self.broken:
            raise OSError("the disk is gone")
        if self.wait_s:
            return LogIn(wait_s=self.wait_s)
        for number, (known, right) in enumerate(self.passwords.items(), 1):
            if (known, right) == (name, password):
                return LogIn(number, known, sysop=known == "sal")
        return LogIn()


class Exchange:
    """One switchboard, and the endpoints that were opened on it."""

    def __init__(self, visit: Visit = echo, **options: Any) -> None:
        self.reception = ScriptedReception(visit)
        self.tally = Tally()
        self.alarms = Alarms(asyncio.get_running_loop())
        self.switchboard = Switchboard(self.reception, self.tally, **options)
        self.endpoints: list[CallerEndpoint] = []

    async def open(self, make: Callable[..., CallerEndpoint], **options: Any) -> Door:
        endpoint = make(self.switchboard, self.alarms, **options)
        self.endpoints.append(endpoint)
        return Door(endpoint, *await endpoint.listen("127.0.0.1", 0))

    async def close(self) -> None:
        await asyncio.gather(*(endpoint.shut_down(1) for endpoint in self.endpoints))
        await self.switchboard.shut_down(1)
        self.alarms.stop()


@asynccontextmanager
async def exchanges() -> AsyncIterator[Callable[..., Exchange]]:
    """Makes them, and closes them in the end."""
    made: list[Exchange] = []

    def make(visit: Visit = echo, **options: Any) -> Exchange:
        made.append(Exchange(visit, **options))
        return made[-1]

    yield make
    for exchange in made:
        await exchange.close()


class Door:
    """Where one transport listens."""

    def __init__(self, endpoint: CallerEndpoint, host: str, port: int) -> None:
        self.endpoint = endpoint
        self.host = host
        self.port = port

    @asynccontextmanager
    async def caller(self) -> AsyncIterator[RawCaller]:
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            yield RawCaller(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


class RawCaller:
    """Bytes, and no protocol of its own."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def hear(self, end: bytes) -> bytes:
        """All up to and with `end`."""
        async with asyncio.timeout(SOON_S):
            return await self.reader.readuntil(end)

    async def hear_all(self) -> bytes:
        """All until the other side closes."""
        async with asyncio.timeout(SOON_S):
            return await self.reader.read()


@asynccontextmanager
async def at_a_terminal(*command: str, columns: int = 100, rows: int = 30) -> AsyncIterator[TerminalSession]:
    """A real client on a pseudo-terminal."""
    session = TerminalSession(Pty(command, dialect=XTERM), agent_id="caller", dialect=XTERM, columns=columns, rows=rows)
    async with session:
        yield session


async def shows(session: TerminalSession, text: str) -> None:
    """Wait until the screen shows it."""
    async with asyncio.timeout(SOON_S):
        while text not in session.screen.text():
            await session.observe(0.02)
