"""Who is on, asked over the network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from bbs_gym.hosts.host import Endpoint, HostFault, Seat
from bbs_gym.hosts.seats import MAX_ANSWER_BYTES, seats

JSON = "200 OK"


@asynccontextmanager
async def answering(status: str, body: bytes) -> AsyncIterator[Endpoint]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        assert asked.startswith(b"GET /nodes HTTP/1.1\r\n")
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield Endpoint(*server.sockets[0].getsockname()[:2])


async def test_each_node_is_a_seat() -> None:
    body = b'[{"node":2,"account":1,"name":"ada","transport":"ssh","sinceMs":5,"doing":"Starlane"}]'
    async with answering(JSON, body) as game_port:
        assert await seats(game_port) == (Seat(node=2, alias="ada", doing="Starlane"),)


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (JSON, b"<html>", "is no venue"),
        (JSON, b'[{"node":1}]', "is no venue"),
        (JSON, b" " * (MAX_ANSWER_BYTES + 10), "is no venue"),
        ("404 Not Found", b"", "no venue answers"),
        ("302 Found", b"", "is no venue"),
    ],
)
async def test_what_is_no_venue_is_a_fault(status: str, body: bytes, told: str) -> None:
    async with answering(status, body) as game_port:
        with pytest.raises(HostFault, match=told):
            await seats(game_port)


async def test_nobody_there_is_a_fault(unused: Callable[[], Awaitable[Endpoint]]) -> None:
    with pytest.raises(HostFault, match=r"no venue answers at http://127\.0\.0\.1:"):
        await seats(await unused())


@pytest.fixture
def unused() -> Callable[[], Awaitable[Endpoint]]:
    async def find() -> Endpoint:
        async with answering(JSON, b"") as game_port:
            return game_port

    return find
