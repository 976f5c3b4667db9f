"""The fault server: HTTPS on this machine, where the path says what to do wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from types import TracebackType
from typing import Any, Final, Self

from agentbbs.referee.faults.answers import ANSWERS, Conversation, http
from agentbbs.referee.throwaway_ca import ThrowawayCa

MAX_CONNECTIONS: Final = 256
"""More are closed at once: this is a tool for one person."""

MAX_REQUEST_BYTES: Final = 64 * 1024

HOST: Final = "127.0.0.1"


class FaultServer:
    """Serves every fault of the table; an async context manager. `url` is the base of the paths, `ports` are the bases
    of those faults that come before any path, by name."""

    def __init__(self, ca: ThrowawayCa, *, host: str = HOST, port: int = 0) -> None:
        self.url = ""
        self.ports: dict[str, str] = {}
        self.requests: list[dict[str, Any]] = []
        """What was asked, the newest last; for tests."""
        self._ca = ca
        self._host = host
        self._port = port
        self._servers: list[asyncio.Server] = []
        self._talks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        ca, host = self._ca, self._host
        other = ThrowawayCa.make(ca.folder / "untrusted")
        self.url = await self._listen(ca.server_context(host, "localhost"), self._port)
        self.ports = {
            "expired": await self._listen(ca.server_context(host, "localhost", expired=True)),
            "wrong-host": await self._listen(ca.server_context("elsewhere.example")),
            "untrusted": await self._listen(other.server_context(host, "localhost")),
            "plain": await self._listen(None),
            "mute": await self._listen(None, mute=True),
        }
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        for talk in tuple(self._talks):
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _listen(self, context: ssl.SSLContext | None, port: int = 0, *, mute: bool = False) -> str:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            if len(self._talks) >= MAX_CONNECTIONS:
                writer.close()
                return
            self._talks.add(task)
            try:
                if mute:
                    await asyncio.Event().wait()
                elif context is None:
                    await _answer_in_clear(reader, writer)
                else:
                    await self._talk(reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass  # the other side went, or the server ends
            finally:
                self._talks.discard(task)
                writer.close()
                with contextlib.suppress(OSError, asyncio.CancelledError):
                    await writer.wait_closed()

        server = await asyncio.start_server(connected, self._host, port, ssl=context)
        self._servers.append(server)
        return f"https://{self._host}:{server.sockets[0].getsockname()[1]}"

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Conversation(writer)
        while line.open:
            head = await reader.readuntil(b"\r\n\r\n")
            path, length = _read_head(head)
            body = await reader.readexactly(min(length, MAX_REQUEST_BYTES))
            answer = ANSWERS.get(path)
            if answer is None:
                await line.send(http(b'{"error":"no such fault"}', status="404 Not Found"))
                continue
            try:
                turn = json.loads(body)
                legal, nonce = turn["legal"], turn["nonce"]
            except (ValueError, KeyError, TypeError):
                await line.send(http(b'{"error":"no move request"}', status="400 Bad Request"))
                continue
            del legal
            self.requests.append(turn)
            line.asked += 1
            await answer(line, turn)
            line.last_nonce = str(nonce)


async def _answer_in_clear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What a web server says to the first bytes of TLS on a port for plain HTTP."""
    await reader.read(MAX_REQUEST_BYTES)
    await Conversation(writer).send(http(b"", status="400 Bad Request"))


def _read_head(head: bytes) -> tuple[str, int]:
    lines = head.decode("latin-1").split("\r\n")
    path = lines[0].split(" ")[1] if lines[0].count(" ") == 2 else ""
    lengths = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("content-length:")]
    return path.partition("?")[0], int(lengths[0]) if lengths and lengths[0].isdecimal() else 0
