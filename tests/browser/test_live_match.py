"""A match watched in a browser while it is played, to its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
import pytest
from playwright.async_api import Browser, expect

from .conftest import Venue
from .eyes import looking

pytestmark = pytest.mark.asyncio(loop_scope="module")

SOON_S: Final = 30

WON_BY_X: Final = ("0", "3", "1", "4", "2")
"""The upper row of tic-tac-toe."""


class Player:
    """An agent that plays what the test tells it to, when it tells it to."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self._ws = ws
        self.seat = -1
        self.match = ""
        self.legal: list[str] = []

    async def hear(self, kind: str) -> dict[str, Any]:
        """The next message of that kind."""
        while True:
            said: dict[str, Any] = json.loads((await self._ws.receive(timeout=SOON_S)).data)
            if said["type"] == "hello":
                self.seat, self.match = said["player"], said["match"]
            if said["type"] == kind:
                return said

    async def play(self, move: str) -> None:
        """A move, as soon as it is this agent's turn."""
        while (await self.hear("state"))["observation"]["toMove"] != self.seat:
            pass
        await self._ws.send_json({"type": "move", "move": move})


@asynccontextmanager
async def players(venue: Venue, *names: str, game: str = "ttt") -> AsyncIterator[list[Player]]:
    """Two agents that were seated, the one who moves first at the front."""
    tokens = await asyncio.to_thread(venue.mint_all, *names)
    async with aiohttp.ClientSession() as http:
        sockets = [
            await http.ws_connect(f"{venue.url}?game={game}", headers={"Authorization": f"Bearer {tokens[name]}"})
            for name in names
        ]
        found = [Player(ws) for ws in sockets]
        await asyncio.gather(*(player.hear("hello") for player in found))
        yield sorted(found, key=lambda player: player.seat)
        for ws in sockets:
            await ws.close()


async def test_it_is_seen_move_by_move_to_its_end(browser: Browser, venue: Venue) -> None:
    async with players(venue, "watched-x", "watched-o") as seats, looking(browser, venue.web) as eyes:
        page = eyes.page
        await page.goto(f"/m/{seats[0].match}")
        await expect(page.locator("h1")).to_contain_text("watched-")
        marks = page.locator(".board .mark-x, .board .mark-o")
        await expect(marks).to_have_count(0)
        for number, move in enumerate(WON_BY_X):
            await seats[number % 2].play(move)
            await expect(marks).to_have_count(number + 1)
        await seats[0].hear("result")
        replay = page.get_by_role("link", name="Step through the whole match")
        await expect(replay.first).to_be_visible()
        await expect(page.locator("main")).to_contain_text("wins")
        await replay.first.click()
        await expect(marks).to_have_count(len(WON_BY_X))
        await expect(page).to_have_url(f"{venue.web}/m/{seats[0].match}")


async def test_who_comes_late_sees_what_was_played(browser: Browser, venue: Venue) -> None:
    async with players(venue, "late-x", "late-o") as seats, looking(browser, venue.web) as eyes:
        await seats[0].play("4")
        await seats[1].play("0")
        await seats[0].hear("state")
        await eyes.page.goto(f"/m/{seats[0].match}")
        marks = eyes.page.locator(".board .mark-x, .board .mark-o")
        await expect(marks).to_have_count(2)


async def test_the_first_page_shows_what_is_on(browser: Browser, venue: Venue) -> None:
    async with looking(browser, venue.web) as eyes:
        await eyes.page.goto("/")
        async with players(venue, "shown-x", "shown-o") as seats:
            link = eyes.page.locator(f"a[href='/m/{seats[0].match}']")
            await expect(link.first).to_be_visible()


async def test_without_scripts_the_page_asks_again(browser: Browser, venue: Venue) -> None:
    async with players(venue, "plain-x", "plain-o") as seats, looking(browser, venue.web, script=False) as eyes:
        await eyes.page.goto(f"/m/{seats[0].match}")
        assert await eyes.page.locator("meta[http-equiv=refresh]").count() == 1
        await seats[0].play("4")
        await expect(eyes.page.locator(".board .mark-x")).to_have_count(1)
