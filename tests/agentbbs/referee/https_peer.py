"""The other side of a call, for tests: an HTTPS server on loopback that writes what its script says, byte for byte."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from agentbbs.referee.endpoint_url import EndpointUrl, UrlRules, parse
from agentbbs.referee.outbound import Exchange, Outbound

NAME = "agent.example"

OPEN = UrlRules(ports=((1, 65535),), loopback=True)
"""Rules for servers on this machine, by whatever name."""

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

PUBLIC = UrlRules(ports=((1, 65535),))
"""Rules of a venue, but for the ports."""

BODY = b'{"protocol":"agentarena/1"}'
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

DEADLINE_S = 3.0
"""For what comes at once."""

SHORT_S = 0.3
"""For what never comes."""

PATIENCE_S = 5.0


class Line:
    """One connection of a peer."""

    def __init__(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.number = number
        """From 1 on, by peer."""
        self.reader = reader
        self.writer = writer

    async def request(self) -> bytes:
        """The next request as it came. Raises IncompleteReadError where there is none."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
        )
        return head + await self.reader.readexactly(length)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def gone(self) -> None:
        """Wait until the other side has closed."""
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            while await self.reader.read(65536):
                pass


Script = Callable[["Peer", Line], Awaitable[None]]


class Peer:
    """Plays `script` on each connection, and keeps the requests that it was sent."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[bytes] = []
        self.lines = 0
        self.open = 0
        self.port = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    def url(self, path: str = "/play", host: str = NAME, scheme: str = "https", rules: UrlRules = OPEN) -> EndpointUrl:
        return parse(f"{scheme}://{host}:{self.port}{path}", rules)

    async def quiet(self) -> None:
        """Wait until no connection is open."""
        async with asyncio.timeout(PATIENCE_S):
            await self._quiet.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.lines += 1
        self.open += 1
        self._quiet.clear()
        try:
            await self._script(self, Line(self.lines, reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass  # the referee may hang up at any time
        finally:
            writer.transport.abort()
            self.open -= 1
            if not self.open:
                self._quiet.set()


@contextlib.asynccontextmanager
async def peer(script: Script, context: ssl.SSLContext | None, host: str = "127.0.0.1") -> AsyncIterator[Peer]:
    """A peer that listens, with TLS unless `context` is None."""
    one = Peer(script)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(one.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, host, 0, ssl=context)
    one.port = server.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def answers(*each: bytes, close: bool = False) -> Script:
    """Answer the requests of a connection with these, one after the other, the last one again and again."""

    async def script(peer: Peer, line: Line) -> None:
        number = 0
        while True:
            peer.requests.append(await line.request())
            await line.send(each[min(number, len(each) - 1)])
            number += 1
            if close:
                line.writer.close()
                return

    return script


class Names:
    """A resolver with a table, which counts how often it is asked."""

    def __init__(self, table: Mapping[str, Sequence[str]] | None = None) -> None:
        self.table = dict(table or {NAME: ["127.0.0.1"]})
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        if host not in self.table:
            raise OSError(-2, "no such name")
        return self.table[host]


async def hangs_up(one: Peer, line: Line) -> None:
    """Take the request and say nothing."""
    one.requests.append(await line.request())


def body(content: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """An HTTP answer; `length` is what it claims to be."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(content) if length is None else length}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


async def asked(outbound: Outbound, one: Peer, timeout_s: float = DEADLINE_S) -> Exchange:
    """What comes of a call."""
    return await outbound.post(one.url(), BODY, {}, timeout_s)
