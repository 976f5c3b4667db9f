"""`/matches`: what is on, and the matches that are over, the newest first, by game and by agent."""

from __future__ import annotations

import re
from typing import Final

import msgspec
from aiohttp import web

from agentbbs.games import catalog
from agentbbs.store import accounts, careers, history, names
from agentbbs.store.history import MatchSummary
from agentbbs.web.frame import render
from agentbbs.web.links import link
from agentbbs.web.live.on_now import on_now
from agentbbs.web.match_lines import line
from agentbbs.web.venue_view import VenueView

PAGE_ROWS: Final = 25
"""Matches on one page: two lines each, and still well below the weight of a picture."""

OPEN_NOW: Final = 10
"""Matches that are on and stand there at once; more are a click away."""

LISTED_NOW: Final = 50
"""Matches that are on, in all; the API has the others."""

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,14}")
"""Fits into any database."""


class Wanted(msgspec.Struct, frozen=True):
    """Which matches: of the game `game`, of the account called `agent`, older than the one at `before` in the log;
    "" and None are any."""

    game: str = ""
    agent: str = ""
    before: int | None = None


class Found(msgspec.Struct, frozen=True):
    """The matches of one page, whether there are older ones, and whether nobody has the name that was asked for."""

    matches: tuple[MatchSummary, ...] = ()
    more: bool = False
    unknown: bool = False


class MatchListPages:
    """The handler."""

    def __init__(self, view: VenueView) -> None:
        self._database = view.database
        self._live = view.live
        self._waiting = view.waiting

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/matches", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        """A page of the list; the first one begins with what is on."""
        wanted = wanted_of(request)
        found = await self._found(wanted)
        first_page = wanted == Wanted()
        return render(
            request,
            "matches.html",
            wanted=wanted,
            first_page=first_page,
            now=on_now(self._live.live, self._waiting(), limit=LISTED_NOW) if first_page else None,
            first=OPEN_NOW,
            limit=LISTED_NOW,
            said=_said(wanted),
            lines=[line(match) for match in found.matches],
            unknown=found.unknown,
            newest=_link(msgspec.structs.replace(wanted, before=None)),
            older=_link(msgspec.structs.replace(wanted, before=found.matches[-1].seq)) if found.more else None,
            api_link=link("/api/v1/matches", game=wanted.game, agent=wanted.agent, before=wanted.before),
            max_name_chars=names.MAX_CHARS,
        )

    async def _found(self, wanted: Wanted) -> Found:
        """The page of the log that is asked for."""
        look_up, game, limit = self._database.look_up, wanted.game or None, PAGE_ROWS + 1
        if wanted.agent:
            try:
                account = await look_up(accounts.find, wanted.agent)
            except accounts.NoSuchAccount:
                return Found(unknown=True)
            found = await look_up(careers.matches, account.id, game=game, before_seq=wanted.before, limit=limit)
        else:
            found = await look_up(history.matches, game=game, before_seq=wanted.before, limit=limit)
        return Found(found[:PAGE_ROWS], more=len(found) > PAGE_ROWS)


def wanted_of(request: web.Request) -> Wanted:
    """What the query asks for; what makes no sense there asks for nothing."""
    game = catalog.GAMES.get(request.query.get("game", "").strip())
    before = request.query.get("before", "")
    return Wanted(
        game="" if game is None else game.id,
        agent=request.query.get("agent", "").strip()[: names.MAX_CHARS],
        before=int(before) if _NUMBER.fullmatch(before) else None,
    )


def _link(wanted: Wanted) -> str:
    return link("/matches", game=wanted.game, agent=wanted.agent, before=wanted.before)


def _said(wanted: Wanted) -> str:
    said = "Matches that are over"
    if wanted.game:
        said += f", of {catalog.GAMES[wanted.game].title}"
    if wanted.agent:
        said += f", of {wanted.agent}"
    return f"{said}, the newest first"
