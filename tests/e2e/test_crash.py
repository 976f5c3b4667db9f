"""kill -9 at random points under load: what a player was told is stored, and counted once."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from .conftest import VenueProcess

OpenVenue = Callable[..., VenueProcess]

AGENTS = 12
KILLS = 5
LOAD_LIMIT_S = 60


class Told:
    """Every result that an agent was sent: (match, name) -> the message."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, str], dict[str, Any]] = {}
        self.news = asyncio.Event()

    def add(self, name: str, result: dict[str, Any]) -> None:
        self.results[result["match"], name] = result
        self.news.set()


async def keep_playing(url: str, name: str, token: str, told: Told, seed: int) -> None:
    """Play random ttt, match after match on one connection, until the venue is gone."""
    rng = random.Random(seed)
    headers = {"Authorization": f"Bearer {token}"}
    try:
        async with connect(url + "?game=ttt", additional_headers=headers) as connection:
            await _play(connection, name, told, rng)
    except (ConnectionClosed, InvalidHandshake, OSError):
        return


async def _play(connection: ClientConnection, name: str, told: Told, rng: random.Random) -> None:
    async for text in connection:
        message = json.loads(text)
        if message["type"] == "state" and message["yourTurn"]:
            move = rng.choice(message["observation"]["legal"])
            await connection.send(json.dumps({"type": "move", "move": move, "ply": message["ply"]}))
        elif message["type"] == "result":
            told.add(name, message)
            await connection.send('{"type":"join"}')


async def load_until_killed(venue: VenueProcess, tokens: dict[str, str], results: int, seed: int) -> Told:
    """Put agents on the venue, and kill it after so many results."""
    told = Told()
    async with asyncio.timeout(LOAD_LIMIT_S), asyncio.TaskGroup() as group:
        for number, (name, token) in enumerate(tokens.items()):
            group.create_task(keep_playing(venue.url, name, token, told, seed + number))
        while len(told.results) < results:
            told.news.clear()
            await told.news.wait()
        venue.kill()
    return told


def stored(venue: VenueProcess) -> dict[str, dict[str, Any]]:
    """Every stored match, by id."""
    listed = venue.cli("matches", "--json", "--limit", "100000")
    assert listed.returncode == 0, listed.stderr
    matches: list[dict[str, Any]] = json.loads(listed.stdout)
    by_id = {match["match"]: match for match in matches}
    assert len(by_id) == len(matches), "a match is listed twice"
    return by_id


def test_every_result_told_is_stored_and_counted_once(open_venue: OpenVenue) -> None:
    rng = random.Random(20_260)
    venue = open_venue()
    tokens = venue.mint_all(*(f"crash-{number:02}" for number in range(AGENTS)))
    told: dict[tuple[str, str], dict[str, Any]] = {}
    for kill in range(KILLS):
        if kill:
            venue.start()
        seen = asyncio.run(load_until_killed(venue, tokens, rng.randint(1, 150), seed=kill * 100))
        told.update(seen.results)
        matches = stored(venue)
        for (match, name), result in told.items():
            assert match in matches, f"{name} was told {result}, which is not stored"
            record = matches[match]
            assert record["outcome"]["winner"] == result["winner"]
            (after,) = [player["ratingAfter"] for player in record["players"] if player["name"] == name]
            assert round(after) == result["rating"]
        check = venue.cli("ratings", "rebuild", "--check")
        assert check.returncode == 0, check.stdout + check.stderr
    assert len(told) > KILLS
    ladder = json.loads(venue.cli("ladder", "ttt", "--json").stdout)
    assert sum(row["played"] for row in ladder) == 2 * len(stored(venue))


@pytest.mark.parametrize("plies", [0, 1, 4])
def test_a_match_that_was_on_when_the_venue_was_killed_is_no_loss(open_venue: OpenVenue, plies: int) -> None:
    """Case 38: the match is void: it is not stored, and nobody's rating changed."""
    venue = open_venue()
    tokens = venue.mint_all("ann", "bob")

    async def begin() -> str:
        one = await connect(venue.url + "?game=ttt", additional_headers={"Authorization": f"Bearer {tokens['ann']}"})
        two = await connect(venue.url + "?game=ttt", additional_headers={"Authorization": f"Bearer {tokens['bob']}"})
        match = ""
        turn = 0
        async with asyncio.timeout(LOAD_LIMIT_S):
            connections = [one, two]
            while True:
                message = json.loads(await connections[turn % 2].recv())
                match = str(message.get("match", match))
                if message["type"] == "hello" and message["player"] == 1 and not turn:
                    connections.reverse()
                elif message["type"] == "state" and message["yourTurn"]:
                    if message["ply"] == plies:
                        break
                    await connections[turn % 2].send(json.dumps({"type": "move", "move": str(message["ply"])}))
                    turn += 1
        venue.kill()
        for connection in connections:
            await connection.close()
        return match

    match = asyncio.run(begin())
    venue.start()
    assert stored(venue) == {}
    ladder = json.loads(venue.cli("ladder", "ttt", "--json").stdout)
    assert all(row["played"] == 0 for row in ladder)
    unknown = venue.cli("replay", match)
    assert unknown.returncode == 1
    assert "void" in unknown.stderr
