"""A TCP port that callers of the hub come to: its door, its connections, its stop. Telnet and rlogin have one each.

Until a connection is put through it is a stranger's: it needs a place at the door, must be quick and may send little
(`bounded.py`). From then on it is one of the callers whose number the switchboard bounds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, cast

import structlog

from agentbbs.calls.identity import Identity
from agentbbs.calls.reception import Call
from agentbbs.play.alarms import Alarms
from agentbbs.servers.admission import Admission
from agentbbs.servers.bounded import LOGIN_TIMEOUT_S, BoundedPipe
from agentbbs.servers.caller_line import CallerLine
from agentbbs.servers.switchboard import Switchboard, is_loopback
from agentbbs.servers.turnstile import Turnstile

BACKLOG: Final = 512
"""Connections that may wait to be accepted: a campaign of agents that begins at once."""

SETTLE_S: Final = 0.15
"""How long a call waits for the client to say what its terminal is. It may say so later, too; a client that never does
shall have its first prompt within 0.3 s."""

CLOSED: Final = "the caller closed the connection"

_log = structlog.get_logger(__name__)


class CallerConnection:
    """One connection, and the line that it carries. Implements `bounded.Speaker` and `caller_line.Carrier`.

    A transport says what it does by `_begin`, `_receive` and `_outgoing`, and calls `_settle` once it knows who calls.
    """

    transport_name: str

    def __init__(self, pipe: BoundedPipe, switchboard: Switchboard) -> None:
        self.pipe: Final = pipe
        private = switchboard.plaintext_login or is_loopback(pipe.address)
        self.line: Final = CallerLine(self, transport=self.transport_name, address=pipe.address, private=private)
        self._switchboard = switchboard
        self._transport: asyncio.Transport
        self._caller: tuple[Identity, str | None] | None = None
        self._settling: asyncio.TimerHandle | None = None
        self._closing = False

    # What a transport is made of

    def _begin(self) -> None:
        """The connection is there."""

    def _receive(self, data: bytes) -> None:
        """Bytes of the wire."""
        raise NotImplementedError

    def _outgoing(self, data: bytes) -> bytes:
        """Terminal bytes as the wire has them."""
        return data

    def _settle(self, identity: Identity, door: str | None = None) -> None:
        """It is known who calls: put the call through at `_settled`, or in `SETTLE_S`."""
        self._caller = (identity, door)
        self._settling = asyncio.get_running_loop().call_later(SETTLE_S, self._settled)

    def _settled(self) -> None:
        """What the terminal is is known, or will not be waited for. Does nothing before `_settle`, or a second time."""
        if self._caller is None or self._closing:
            return
        (identity, door), self._caller = self._caller, None
        self._forget_timer()
        self.pipe.proved()
        self.pipe.session_began()
        self.pipe.pace(self.line)
        self._switchboard.put_through(Call(self.line, identity, door))

    def _wire(self, data: bytes) -> None:
        """Send bytes of the wire."""
        if data and not self._closing and not self._transport.is_closing():
            self._transport.write(data)

    def _forget_timer(self) -> None:
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None

    # What the pipe calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one without being of the class
        self._begin()

    def data_received(self, data: bytes) -> None:
        if not self._closing:
            self._receive(data)

    def eof_received(self) -> bool:
        """The other direction stays open for a caller who was put through: an answer may be on its way."""
        self.line.input_ended(CLOSED)
        return self.pipe.had_session

    def connection_lost(self, exc: Exception | None) -> None:
        self._closing = True
        self._forget_timer()
        self.line.lost(CLOSED if exc is None else f"the connection broke: {exc}")

    def abort(self) -> None:
        self._transport.abort()

    # What the line calls

    @property
    def unsent_bytes(self) -> int:
        return self.pipe.unsent_bytes

    def send(self, data: bytes) -> None:
        self._wire(self._outgoing(data))

    def hold(self) -> None:
        self.pipe.hold()

    def release(self) -> None:
        self.pipe.release()

    def hang_up(self) -> None:
        self._closing = True
        self.pipe.hang_up()

    def cut(self, why: str) -> None:
        self.line.lost(f"cut off: {why}")
        self.pipe.cut(why)


class CallerEndpoint:
    """Serves one transport. `connect` makes its connections. Implements `bounded.Door`."""

    def __init__(
        self,
        connect: Callable[[BoundedPipe, Switchboard], CallerConnection],
        transport: str,
        switchboard: Switchboard,
        alarms: Alarms,
        *,
        login_timeout_s: float = LOGIN_TIMEOUT_S,
    ) -> None:
        self.admission: Admission[BoundedPipe] = Admission()
        self.strangers = Turnstile(asyncio.get_running_loop())
        self.bulk = Turnstile(asyncio.get_running_loop())
        self.alarms = alarms
        self.login_timeout_s = login_timeout_s
        self._connect = connect
        self._transport = transport
        self._switchboard = switchboard
        self._server: asyncio.Server | None = None
        self._pipes: set[BoundedPipe] = set()
        self._empty = asyncio.Event()
        self._empty.set()

    async def listen(self, host: str, port: int) -> tuple[str, int]:
        """Begin to serve; returns the address, with the port that was taken for 0. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: BoundedPipe(loop, self), host, port, backlog=BACKLOG)
        address: tuple[str, int] = self._server.sockets[0].getsockname()[:2]
        return address

    @property
    def connections(self) -> int:
        """How many TCP connections are open, those that were not put through among them."""
        return len(self._pipes)

    async def shut_down(self, timeout_s: float) -> None:
        """Take no more connections, tell the callers that the venue stops, and wait for them to close."""
        if self._server is not None:
            self._server.close()
        self._switchboard.hang_up(self._transport)
        for pipe in tuple(self._pipes):
            if not pipe.had_session:
                pipe.cut("the venue stops")
        try:
            async with asyncio.timeout(timeout_s):
                await self._empty.wait()
        except TimeoutError:
            _log.info("connections_left_open", transport=self._transport, count=len(self._pipes))
            for pipe in tuple(self._pipes):
                pipe.cut("the venue stops")

    def speaker(self, pipe: BoundedPipe) -> CallerConnection:
        return self._connect(pipe, self._switchboard)

    def came(self, pipe: BoundedPipe) -> None:
        self._pipes.add(pipe)
        self._empty.clear()

    def gone(self, pipe: BoundedPipe) -> None:
        self._pipes.discard(pipe)
        if not self._pipes:
            self._empty.set()
