"""SIGTERM drains: nobody new is paired, matches may end, the rest is void, everything told is stored."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from .conftest import VenueProcess

OpenVenue = Callable[..., VenueProcess]
LIMIT_S = 30


async def join(venue: VenueProcess, token: str) -> ClientConnection:
    return await connect(venue.url + "?game=ttt", additional_headers={"Authorization": f"Bearer {token}"})


async def hear(connection: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of that kind."""
    while True:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(connection.recv(), LIMIT_S))
        if message["type"] == kind:
            return message


@asynccontextmanager
async def paired(
    venue: VenueProcess, tokens: dict[str, str]
) -> AsyncIterator[tuple[ClientConnection, ClientConnection]]:
    """Two in a match, who moves first in front. They hang up in the end, whatever the venue did."""
    ann, bob = tokens.values()
    async with await join(venue, ann) as one, await join(venue, bob) as two:
        first = (await hear(one, "hello"))["player"] == 0
        await hear(two, "hello")
        yield (one, two) if first else (two, one)


def sigterm(venue: VenueProcess) -> None:
    assert venue.process is not None
    venue.process.send_signal(signal.SIGTERM)


def exit_code(venue: VenueProcess) -> int:
    assert venue.process is not None
    return venue.process.wait(LIMIT_S)


def test_who_waits_is_told_and_the_venue_ends_at_once(open_venue: OpenVenue) -> None:
    venue = open_venue()
    token = venue.mint("ann")

    async def wait_in_the_queue() -> tuple[str, int | None]:
        async with await join(venue, token) as connection:
            await hear(connection, "queued")
            sigterm(venue)
            error = await hear(connection, "error")
            await asyncio.wait_for(connection.wait_closed(), LIMIT_S)
        return error["code"], connection.close_code

    assert asyncio.run(wait_in_the_queue()) == ("server_shutdown", 1001)
    assert exit_code(venue) == 0
    assert not (venue.data / "venue.json").exists()


def test_a_match_that_is_on_may_end(open_venue: OpenVenue) -> None:
    venue = open_venue()
    tokens = venue.mint_all("ann", "bob")

    async def end_after_sigterm() -> dict[str, Any]:
        async with paired(venue, tokens) as (first, second):
            await hear(first, "state")
            sigterm(venue)
            for ply, move in enumerate("30415"):
                await (first, second)[ply % 2].send(json.dumps({"type": "move", "move": move, "ply": ply}))
                for connection in (first, second):
                    while (await hear(connection, "state"))["ply"] <= ply:
                        pass
            result = await hear(first, "result")
            await asyncio.wait_for(first.wait_closed(), LIMIT_S)
        return result

    result = asyncio.run(end_after_sigterm())
    assert (result["outcome"], result["rated"]) == ("win", True)
    assert exit_code(venue) == 0
    (row, _) = json.loads(venue.cli("ladder", "ttt", "--json").stdout)
    assert (row["rating"], row["wins"]) == (1516, 1)


def test_what_does_not_end_in_time_is_void_and_costs_nobody(open_venue: OpenVenue) -> None:
    venue = open_venue(AGENTBBS_DRAIN="0.2")
    tokens = venue.mint_all("ann", "bob")

    async def sit_it_out() -> list[dict[str, Any]]:
        async with paired(venue, tokens) as pair:
            sigterm(venue)
            return [await hear(connection, "result") for connection in pair]

    for result in asyncio.run(sit_it_out()):
        assert (result["outcome"], result["winner"], result["rated"]) == ("void", -1, False)
        assert result["reason"] == result["why"] == "void: server shutdown"
        assert result["rating"] == result["ratingBefore"] == 1500
    assert exit_code(venue) == 0
    (match,) = json.loads(venue.cli("matches", "--json").stdout)
    assert match["outcome"]["rated"] is False
    assert venue.cli("ratings", "rebuild", "--check").returncode == 0


def test_nobody_comes_in_during_the_drain(open_venue: OpenVenue) -> None:
    venue = open_venue(AGENTBBS_DRAIN="20")
    tokens = venue.mint_all("ann", "bob")

    async def knock() -> tuple[int, dict[str, Any]]:
        refused: tuple[int, dict[str, Any]] = (101, {})
        async with asyncio.timeout(LIMIT_S), paired(venue, tokens) as (first, second):
            sigterm(venue)
            while refused[0] == 101:
                reader, writer = await asyncio.open_connection(*venue.http.removeprefix("http://").split(":"))
                writer.write(b"GET /play?token=x HTTP/1.1\r\nHost: venue\r\nConnection: close\r\n\r\n")
                head, _, body = (await reader.read()).partition(b"\r\n\r\n")
                writer.close()
                await writer.wait_closed()
                status = int(head.split()[1])
                if status == 503:
                    refused = (status, json.loads(body))
            await first.send('{"type":"resign"}')
            await hear(second, "result")
        return refused

    status, error = asyncio.run(knock())
    assert (status, error["code"]) == (503, "server_shutdown")
    assert exit_code(venue) == 0
