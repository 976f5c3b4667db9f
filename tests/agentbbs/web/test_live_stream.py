"""`/m/ID/events` over a real connection, with readers who come, go, stall, and are there when the site stops."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agentbbs.web.live.broadcast import Broadcasts
from agentbbs.web.live.event_stream import STREAMS, EventStreams
from agentbbs.web.live.telling import RETRY_MS

from .live_tables import Table
from .site import SOON_S, Site


def port(site: Site) -> int:
    return int(site.base.rpartition(":")[2])


class Events:
    """A stream as a browser reads it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self.status = 0
        self.headers: dict[str, str] = {}
        self.retry = ""

    async def begin(self) -> None:
        self.status = int((await self._reader.readline()).split()[1])
        while line := (await self._reader.readline()).decode().strip():
            name, _, value = line.partition(": ")
            self.headers[name.lower()] = value

    async def chunk(self) -> bytes:
        """The next piece; empty at the end of the stream."""
        async with asyncio.timeout(SOON_S):
            size = int(await self._reader.readline(), 16)
            return (await self._reader.readexactly(size + 2))[:-2]

    async def event(self) -> tuple[str, Any]:
        """The name and the data of the next event; ("", None) at the end."""
        while piece := await self.chunk():
            fields = dict(line.split(": ", 1) for line in piece.decode().splitlines() if line)
            if "event" in fields:
                return fields["event"], {"id": fields.get("id"), **json.loads(fields["data"])}
            self.retry = fields.get("retry", self.retry)
        return "", None


@asynccontextmanager
async def following(site: Site, path: str, **headers: str) -> AsyncIterator[Events]:
    """A connection that asks for a stream."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port(site))
    sent = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{sent}\r\n".encode())
    events = Events(reader, writer)
    try:
        async with asyncio.timeout(SOON_S):
            await events.begin()
        yield events
    finally:
        writer.close()


async def until(true: Any) -> None:
    """Wait until `true()` is."""
    async with asyncio.timeout(SOON_S):
        while not true():  # noqa: ASYNC110 - what changes has no event
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("path", ["/m/{}/events", "/api/v1/live/{}/events"])
async def test_a_match_is_followed_to_its_end(site: Site, path: str) -> None:
    table = Table(site)
    async with following(site, path.format(table.id)) as events:
        assert events.status == 200
        assert events.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert events.headers["cache-control"] == "no-store"
        name, state = await events.event()
        assert events.retry == str(RETRY_MS)
        assert (name, state["id"], state["ply"], state["to_move"]) == ("state", "0", 0, 0)
        assert state["scene"]["columns"] == 3
        table.play("4")
        name, state = await events.event()
        assert (name, state["id"], state["move"], state["mark"]) == ("state", "1", "4", "X")
        assert state["scene"]["fresh"] == [4]
        table.seats[1].resign()
        name, over = await events.event()
        while name == "state":
            name, over = await events.event()
        assert (name, over["outcome"]) == ("over", "X ann wins (forfeit: resign).")
        assert over["href"] == f"/m/{table.id}"
        assert await events.event() == ("", None)


async def test_who_comes_back_is_told_what_came_meanwhile(site: Site) -> None:
    table = Table(site)
    table.play("4", "0", "8")
    path = f"/m/{table.id}/events"
    async with following(site, path, Last_Event_ID="1") as events:
        assert [(await events.event())[1]["ply"] for _ in range(2)] == [2, 3]
    async with following(site, f"{path}?after=2") as events:
        assert (await events.event())[1]["ply"] == 3
    for nonsense in ("-1", "x", "9" * 40, "1;2"):
        async with following(site, path, Last_Event_ID=nonsense) as events:
            assert (await events.event())[1]["ply"] == 3


async def test_a_match_that_is_over_says_so_at_once(site: Site) -> None:
    table = Table(site)
    table.seats[0].resign()
    status, headers, text = await site.ask("GET", f"/m/{table.id}/events")
    assert status == 200
    assert headers["content-type"].startswith("text/event-stream")
    assert text.startswith("event: over\ndata: ")
    assert json.loads(text.partition("data: ")[2])["outcome"] == "O bob wins (forfeit: resign)."


async def test_a_match_that_can_not_be_stored_yet_lets_its_readers_come_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentbbs.web.live.event_stream.STORED_S", 0.1)
    kept: list[Any] = []
    monkeypatch.setattr(site.writer, "record", lambda match, settled: kept.append((match, settled)))
    table = Table(site)
    table.seats[0].resign()
    status, _, text = await site.ask("GET", f"/m/{table.id}/events")
    assert (status, text) == (200, f"retry: {RETRY_MS}\n\n")
    kept[0][1](None)


@pytest.mark.parametrize("match_id", ["unknown", "a" * 65, "%00", "%3Cb%3E"])
async def test_an_unknown_match_is_refused_so_that_browsers_give_up(site: Site, match_id: str) -> None:
    for path in (f"/m/{match_id}/events", f"/api/v1/live/{match_id}/events"):
        status, headers, text = await site.ask("GET", path)
        assert (status, headers["content-type"]) == (404, "application/json")
        assert json.loads(text)["error"]["code"] == "not_found"


async def test_head_is_answered_and_not_followed(site: Site) -> None:
    table = Table(site)
    for path in (f"/m/{table.id}/events", f"/api/v1/live/{table.id}/events"):
        status, headers, text = await site.ask("HEAD", path)
        assert (status, text) == (200, "")
        assert headers["content-type"].startswith("text/event-stream")
    assert len(streams(site)._broadcasts) == 0


async def test_who_goes_leaves_nothing_behind(site: Site) -> None:
    table = Table(site, "c4")
    async with following(site, f"/m/{table.id}/events") as events:
        await events.event()
        assert site.audience.count() == 1
    moves = iter(["3", "2"] * 3)
    async with asyncio.timeout(SOON_S):
        while site.audience.count():
            if (move := next(moves, None)) is not None:
                table.play(move)
            await asyncio.sleep(0.01)
    assert not streams(site)._open


async def test_a_full_house_says_when_to_come_again(site: Site) -> None:
    streams(site)._broadcasts = Broadcasts(site.audience, site.runner.now, max_readers=1)
    table = Table(site)
    async with following(site, f"/m/{table.id}/events"):
        status, headers, text = await site.ask("GET", f"/m/{table.id}/events")
        assert status == 429
        assert int(headers["retry-after"]) > 0
        assert json.loads(text)["error"]["key"] == "readers"


async def test_a_reader_who_takes_nothing_is_cut_and_slows_nobody(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its buffers are made to fill by events of a size that no match has."""
    monkeypatch.setattr("agentbbs.web.live.broadcast.state_event", lambda state: b": %b\n\n" % (b"x" * 1_000_000))
    streams(site)._stalled_s = 0.2
    table = Table(site, "c4")
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port(site)))
        request = f"GET /m/{table.id}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        await asyncio.get_running_loop().sock_sendall(sock, request)
        await until(lambda: streams(site)._open)
        async with following(site, f"/m/{table.id}/events") as events:
            for column in "01010122":
                table.play(column)
                while len(await events.chunk()) < 1_000:
                    pass
            await until(lambda: len(streams(site)._open) == 1)
            assert len(streams(site)._broadcasts) == 1


async def test_the_end_of_the_site_ends_streams_at_once(site: Site) -> None:
    table = Table(site)
    async with following(site, f"/m/{table.id}/events") as events:
        await events.event()
        began = asyncio.get_running_loop().time()
        await site.app.shutdown()
        assert await events.event() == ("", None)
        assert asyncio.get_running_loop().time() - began < 1
        assert (await site.ask("GET", f"/m/{table.id}/events"))[0] == 429


def streams(site: Site) -> EventStreams:
    return site.app[STREAMS]
