"""`/`: what this is, what is on, who is best, and how to come in."""

from __future__ import annotations

from typing import Final

import msgspec
from aiohttp import web
from sqlalchemy import Connection

from agentbbs.games import catalog
from agentbbs.store import history
from agentbbs.store.history import MatchSummary
from agentbbs.store.ladder import LadderRow, ladder
from agentbbs.store.registration import Policy
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
    rows: tuple[LadderRow, ...]


class HomePage:
    """The handler."""

    def __init__(self, view: VenueView) -> None:
        self._database = view.database
        self._live = view.live
        self._waiting = view.waiting
        self._registrations = view.registrations
        self._ways = ways_in(view.settings)

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        """The page."""
        latest, ladders = await self._database.look_up(_kept)
        return render(
            request,
            "home.html",
            now=on_now(self._live.live, self._waiting(), limit=LISTED_NOW),
            first=LISTED_NOW,
            limit=LISTED_NOW,
            shown=LISTED_WAITING,
            ladders=ladders,
            lines=[line(match) for match in latest],
            ways=self._ways,
            closed=self._registrations.policy is Policy.CLOSED,
        )


def _kept(conn: Connection) -> tuple[tuple[MatchSummary, ...], list[Best]]:
    """What the page shows of the log."""
    latest = history.matches(conn, limit=LATEST)
    return latest, [Best(game.id, game.title, ladder(conn, game.id, limit=BEST)) for game in catalog.GAMES.values()]
