"""What the transports over TCP share: connecting, reading, writing and how it ends. Telnet and rlogin add what
they put around the bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from abc import ABC, abstractmethod
from typing import Final, cast

from tty_agent.transports.inbox import Inbox
from tty_agent.transports.transport import DEFAULT_OPEN_TIMEOUT_S, READ_BYTES, CannotConnect, End, EndKind

_KEEPALIVE: Final = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4))
"""A peer that vanished is found within two minutes, also while nothing is typed. Seconds, seconds, probes."""

HUNG_UP: Final = End(EndKind.HUNG_UP, "we hung up")


CLOSE_TIMEOUT_S: Final = 1.0
"""What is still unsent at a hang-up gets this long, then it is dropped: the other side may never read again."""


_BUFFER_BYTES: Final = 32 * 1024
"""Read from the socket at once; one for each connection."""


class TcpLine(asyncio.BufferedProtocol):
    """One connection: an inbox, and the wait while too much is on its way out.

    With `watch_urgent` the values of urgent bytes are collected in `urgent`. asyncio has no event for them, and the
    kernel forgets one as soon as what follows it is read, so they are looked for before each read.
    """

    def __init__(self, *, watch_urgent: bool = False) -> None:
        self.inbox = Inbox(self._pause, self._resume)
        self.urgent: set[int] = set()
        self._watch_urgent = watch_urgent
        self._urgent_socket: socket.socket | None = None
        self._buffer = bytearray(_BUFFER_BYTES)
        self._transport: asyncio.Transport
        self._writable = asyncio.Event()
        self._writable.set()
        self._lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Asyncio: it is up."""
        self._transport = cast("asyncio.Transport", transport)
        if self._watch_urgent:
            self._urgent_socket = self.socket()

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - asyncio's
        """Asyncio: bytes are about to be read."""
        self.look_for_urgent()
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Asyncio: bytes came."""
        self.inbox.feed(self._buffer[:nbytes])

    def look_for_urgent(self) -> None:
        """Take an urgent byte that waits; usually there is none."""
        if self._urgent_socket is not None:
            with contextlib.suppress(OSError):  # none, as the system says it
                self.urgent.update(self._urgent_socket.recv(1, socket.MSG_OOB | socket.MSG_DONTWAIT))

    def eof_received(self) -> bool:
        """Asyncio: the other side closed. What it asked before still gets its answer; we close when all is read."""
        self.inbox.finish(End(EndKind.EOF, "the other side closed the connection"))
        return True

    def pause_writing(self) -> None:
        """Asyncio: too much is under way."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Asyncio: it went out."""
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Asyncio: it is gone."""
        self.inbox.finish(End(EndKind.LOST, f"the connection broke: {reason_of(exc)}") if exc else HUNG_UP)
        self._writable.set()
        self._lost.set()
        if self._urgent_socket is not None:
            self._urgent_socket.close()
            self._urgent_socket = None

    def socket(self) -> socket.socket:
        """A duplicate of the socket, for what asyncio has no word for; the caller closes it."""
        return cast("socket.socket", self._transport.get_extra_info("socket").dup())

    async def room(self) -> None:
        """Wait while too much is under way."""
        await self._writable.wait()

    async def write(self, data: bytes) -> None:
        """Send, once there is room. After the end nothing happens."""
        await self._writable.wait()
        if data and not self._transport.is_closing():
            self._transport.write(data)

    def hang_up(self) -> None:
        """Begin to close it."""
        self._transport.close()

    async def close(self) -> None:
        """Close it and wait until it is gone."""
        self.inbox.finish(HUNG_UP)
        self.hang_up()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._lost.wait()
        except TimeoutError:
            self._transport.abort()
            await self._lost.wait()

    def _pause(self) -> None:
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def _resume(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()


class TcpTransport(ABC):
    """A transport over TCP. What is put around the terminal's bytes is said by the four methods at its end; they find
    the size of the window, columns and rows, in `_size`."""

    name: str
    _watch_urgent = False

    def __init__(self, host: str, port: int, *, open_timeout_s: float = DEFAULT_OPEN_TIMEOUT_S) -> None:
        self._host = host
        self._port = port
        self._open_timeout_s = open_timeout_s
        self._size = (0, 0)
        self._line: TcpLine | None = None

    @property
    def metadata(self) -> dict[str, object]:
        """As the contract says."""
        return {"transport": self.name, "host": self._host, "port": self._port}

    @property
    def end(self) -> End | None:
        """As the contract says."""
        return self._line.inbox.end if self._line is not None else None

    async def open(self, columns: int, rows: int) -> None:
        """Connect and greet. Raises CannotConnect."""
        self._size = (columns, rows)
        greeting = self._greeting()
        self._line = await connect(self._host, self._port, self._open_timeout_s, watch_urgent=self._watch_urgent)
        await self._line.write(greeting)

    async def read(self) -> bytes:
        """The next bytes of the terminal; replies of the protocol go out before they are returned."""
        line = self._opened()
        while data := await line.inbox.take(READ_BYTES - 1):  # a held IAC may make it one byte longer
            terminal, replies = self._incoming(data)
            if replies:
                await line.write(replies)
            if terminal:
                return terminal
        line.hang_up()
        return b""

    async def room(self) -> None:
        """As the contract says."""
        await self._opened().room()

    async def write(self, data: bytes) -> None:
        """As the contract says."""
        await self._opened().room()  # before the bytes are made: what was agreed may change while we wait
        await self._opened().write(self._outgoing(data))

    async def resize(self, columns: int, rows: int) -> None:
        """As the contract says."""
        self._size = (columns, rows)
        await self._opened().write(self._resized())

    async def close(self) -> None:
        """As the contract says."""
        if self._line is not None:
            await self._line.close()

    def _opened(self) -> TcpLine:
        if self._line is None:
            raise RuntimeError("open() comes first")
        return self._line

    @abstractmethod
    def _greeting(self) -> bytes:
        """What is sent first. Raises CannotConnect if that cannot be."""

    @abstractmethod
    def _incoming(self, data: bytes) -> tuple[bytes, bytes]:
        """The terminal's bytes among those of the wire, and what is to be replied."""

    @abstractmethod
    def _outgoing(self, data: bytes) -> bytes:
        """The terminal's bytes as the wire has them."""

    @abstractmethod
    def _resized(self) -> bytes:
        """What tells the other side the size of the window; b"" if it does not care."""


async def connect(host: str, port: int, timeout_s: float, *, watch_urgent: bool = False) -> TcpLine:
    """A connection. Raises CannotConnect, which says why and what to do."""
    where = f"{host} port {port}"
    try:
        async with asyncio.timeout(timeout_s):
            _, line = await asyncio.get_running_loop().create_connection(
                lambda: TcpLine(watch_urgent=watch_urgent), host, port
            )
    except TimeoutError:
        raise CannotConnect(f"{where} did not answer within {timeout_s:g} s: is the address right?") from None
    except socket.gaierror as error:
        raise CannotConnect(f"there is no host {host} ({error.strerror}): check the name") from error
    except OSError as error:
        if is_refused(error):
            raise CannotConnect(f"nothing listens at {where}: start the server, or check the port") from error
        raise CannotConnect(f"cannot connect to {where}: {reason_of(error)}") from error
    with line.socket() as duplicate:
        _keep_alive(duplicate)
    return line


def is_refused(error: OSError) -> bool:
    """Whether nothing listens there. A name with several addresses gives one error whose text has those of all."""
    return isinstance(error, ConnectionRefusedError) or (
        error.errno is None and f"[Errno {errno.ECONNREFUSED}]" in str(error)
    )


def reason_of(error: BaseException | None) -> str:
    """An error of the system in words."""
    strerror = getattr(error, "strerror", None)
    return strerror if isinstance(strerror, str) else str(error) or type(error).__name__


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _KEEPALIVE:
        if hasattr(socket, option):  # not every system has all three
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
