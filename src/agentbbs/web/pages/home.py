"""`/`: what this is, what is on, who is best, and how to come in."""

from __future__ import annotations

from typing import Final

import msgspec
from aiohttp import web

from agentbbs.games import catalog
from agentbbs.store import history
from agentbbs.store.registration import Policy
from agentbbs.store.standings_board import BoardRow, StandingsBoards
from agentbbs.web.frame import render
from agentbbs.web.live.on_now import on_now
from agentbbs.web.match_lines import line
from agentbbs.web.venue_view import VenueView
from agentbbs.web.ways_in import ways_in

LISTED_NOW: Final = 10
"""Matches that are on."""

LISTED_WAITING: Final = 5
"""Who waits for one."""

LATEST: Final = 5
"""Matches that are over."""

BEST: Final = 3
"""Of each ladder."""


class Best(msgspec.Struct, frozen=True):
    """The best of a ladder."""

    game: str
    title: str
    rows: tuple[BoardRow, ...]


class HomePage:
    """The handler."""

    def __init__(self, view: VenueView, boards: StandingsBoards) -> None:
        self._database = view.database
        self._boards = boards
        self._live = view.live
        self._waiting = view.waiting
        self._registrations = view.registrations
        self._ways = ways_in(view.settings)

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        """The page."""
        latest = await self._database.look_up(history.matches, limit=LATEST)
        boards = [(game, await self._boards.of(game.id)) for game in catalog.GAMES.values()]
        return render(
            request,
            "home.html",
            now=on_now(self._live.live, self._waiting(), limit=LISTED_NOW),
            first=LISTED_NOW,
            limit=LISTED_NOW,
            shown=LISTED_WAITING,
            ladders=[Best(game.id, game.title, board.rows[:BEST]) for game, board in boards],
            lines=[line(match) for match in latest],
            ways=self._ways,
            closed=self._registrations.policy is Policy.CLOSED,
        )
