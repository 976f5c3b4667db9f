"""A server on loopback that the test plays itself."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from tty_agent.transports.transport import Transport

LIMIT_S = 10


class Caller:
    """The server's end of one connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    async def say(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.connection, data)

    async def hear(self, count: int) -> bytes:
        """Exactly so many bytes; fewer if the other side closes."""
        heard = b""
        async with asyncio.timeout(LIMIT_S):
            while len(heard) < count:
                data = await asyncio.get_running_loop().sock_recv(self.connection, count - len(heard))
                if not data:
                    break
                heard += data
        return heard

    async def expect(self, data: bytes) -> None:
        assert await self.hear(len(data)) == data

    def ask_for_size(self) -> None:
        """Rlogin's request, as urgent data."""
        self.connection.send(b"\x80", socket.MSG_OOB)

    def reset(self) -> None:
        """Close with RST."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.connection.close()


class Listener:
    """`port`, and `accept` for the next caller."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self.port: int = listening.getsockname()[1]
        self.callers: list[Caller] = []

    async def accept(self) -> Caller:
        async with asyncio.timeout(LIMIT_S):
            connection, _ = await asyncio.get_running_loop().sock_accept(self._listening)
        self.callers.append(Caller(connection))
        return self.callers[-1]


@asynccontextmanager
async def listening(family: socket.AddressFamily = socket.AF_INET) -> AsyncIterator[Listener]:
    """On a free port of 127.0.0.1 or ::1."""
    with socket.socket(family) as sock:
        sock.bind(("127.0.0.1" if family == socket.AF_INET else "::1", 0))
        sock.listen()
        sock.setblocking(False)
        listener = Listener(sock)
        try:
            yield listener
        finally:
            for caller in listener.callers:
                caller.connection.close()


def free_port() -> int:
    """One where nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


T = TypeVar("T", bound=Transport)


@asynccontextmanager
async def calling(server: Listener, transport: T) -> AsyncIterator[tuple[T, Caller]]:
    """Both ends of a connection; ours is closed whatever happens."""
    await transport.open(80, 24)
    try:
        yield transport, await server.accept()
    finally:
        await transport.close()
