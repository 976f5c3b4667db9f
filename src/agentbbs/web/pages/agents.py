"""`/agents/NAME`: who an agent is, how its rating went, whom it met, and what went wrong."""

from __future__ import annotations

import functools
from typing import Any, Final

import msgspec
from aiohttp import web
from markupsafe import Markup

from agentbbs.games import catalog
from agentbbs.store.accounts import REMOVED_NAME, NoSuchAccount
from agentbbs.store.careers import FaultCount, HeadToHead
from agentbbs.store.names import MAX_CHARS
from agentbbs.store.standings_board import PROVISIONAL_GAMES, Board, StandingsBoards, page
from agentbbs.web.agent_sheet import MATCHES, OPPONENTS, Dated, Part, Record, Sheet, sheet
from agentbbs.web.agent_side import side
from agentbbs.web.asked import number
from agentbbs.web.drawing.charts import rating_graph, said, thinned
from agentbbs.web.etags import not_modified, page_etag, tagged, unchanged
from agentbbs.web.fault_words import words
from agentbbs.web.frame import READER, render
from agentbbs.web.headers import PAGE
from agentbbs.web.kept import Kept
from agentbbs.web.links import link, venue_url
from agentbbs.web.prose import inline
from agentbbs.web.venue_view import VenueView

TABLE_MARKS: Final = 25
"""Ratings in the table below the graph: to be read one after the other."""

MOST_KEPT: Final = 500
"""Sheets and pages in memory, some 30 KB each: 30 MB at most, for the agents that people look at."""

SUGGESTED: Final = 8
"""Agents that are named where there is none of the name that was asked for."""

_MAX_GAME_CHARS: Final = 32
"""As the column has."""

_inline = functools.lru_cache(maxsize=256)(inline)
"""Sentences of our own tables: there are fewer of them."""


class Place(msgspec.Struct, frozen=True):
    """Where an agent stands on a ladder of so many. `rank` is None for one that is not on it yet."""

    rank: int | None
    of: int
    marks: tuple[str, ...]


class AgentPages:
    """The handler."""

    def __init__(self, view: VenueView, boards: StandingsBoards) -> None:
        self._database = view.database
        self._boards = boards
        self._venue_url = venue_url(view.settings)
        self._sheets: Kept[tuple[str, str | None, Part], Dated] = Kept(MOST_KEPT)
        self._pages: Kept[str, bytes] = Kept(MOST_KEPT)
        """By their tags; those of readers who are not signed in."""

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/agents/{name}", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        """The page; a name in other letters leads to the one that the agent has."""
        name = request.match_info["name"]
        game = _game(request.query.get("game"))
        met_page = number(request.query.get("met")) or 1
        part = Part(number(request.query.get("before")), (met_page - 1) * OPPONENTS)
        try:
            dated = await self._dated(name, game, part)
        except NoSuchAccount:
            return await self._nobody(request, name)
        found = dated.sheet
        if found.agent.name != name:
            raise web.HTTPFound(link(f"/agents/{found.agent.name}", game=game))
        if game is not None and game not in catalog.GAMES and found.record is None:
            raise web.HTTPNotFound(text=f"There is no game {game!r} here: the games are {', '.join(catalog.ids())}.")
        place = None if found.game is None else _place(await self._boards.of(found.game), found.agent.id)
        etag = page_etag(request, dated.of, place)
        if not_modified(request, etag):
            return unchanged(PAGE, etag)
        body = self._pages.get(etag)
        if body is not None:
            return web.Response(body=body, content_type="text/html", charset="utf-8", headers=tagged(PAGE, etag))
        drawn = render(request, "agent.html", headers=tagged(PAGE, etag), **self._shown(found, place, part, met_page))
        if READER not in request and isinstance(drawn.body, bytes):
            self._pages.keep(etag, drawn.body)
        return drawn

    async def _dated(self, name: str, game: str | None, part: Part) -> Dated:
        """As `agent_sheet.sheet`; what has not changed is not read again."""
        key = (name, game, part)
        found = await self._database.look_up(sheet, name, game, part, self._sheets.get(key))
        self._sheets.keep(key, found)
        return found

    def _shown(self, found: Sheet, place: Place | None, part: Part, met_page: int) -> dict[str, Any]:
        name, game = found.agent.name, found.game or next(iter(catalog.GAMES))
        address = f"/agents/{name}"
        shown: dict[str, Any] = {
            "agent": found.agent,
            "transports": sorted({career.transport for career in found.careers}),
            "game": (game, _title(game)),
            "tabs": _tabs(found),
            "record": found.record,
            "venue_url": self._venue_url,
        }
        if found.record is None:
            return shown
        record = found.record
        return {
            **shown,
            **_charted(record, name),
            "place": place,
            "provisional": record.standing.played < PROVISIONAL_GAMES,
            "provisional_games": PROVISIONAL_GAMES,
            "faults": [_explained(fault, record.career.transport) for fault in record.faults],
            "opponents": [(one, one.opponent != REMOVED_NAME, _score(one)) for one in record.opponents[:OPPONENTS]],
            "matches": [(match, side(match, name)) for match in record.matches[:MATCHES]],
            "newest": part.before_seq is None,
            "newest_link": link(address, game=game),
            "older_link": _older(address, record),
            "met_page": met_page,
            "met_link": lambda at: link(address, game=game, met=at if at > 1 else None),
            "met_more": len(record.opponents) > OPPONENTS,
            "api": f"/api/v1{address}",
        }

    async def _nobody(self, request: web.Request, name: str) -> web.Response:
        """404, with those whose names are like it."""
        found: dict[str, str] = {}
        if len(name) <= MAX_CHARS:
            for game in catalog.GAMES:
                rows, _ = page(await self._boards.of(game), offset=0, limit=SUGGESTED, transport=None, query=name)
                found.update((row.name, game) for row in rows)
        suggested = sorted(found.items(), key=lambda one: one[0].lower())[:SUGGESTED]
        return render(request, "no_agent.html", status=404, name=name[:MAX_CHARS], suggested=suggested)


def _charted(record: Record, name: str) -> dict[str, Any]:
    """The graph, what it says, and the figures behind it. An agent that has a record has a rating."""
    marks = [(mark.nth, mark.rating) for mark in record.ratings]
    return {
        "graph": rating_graph(marks, title=f"Rating of {name} at {_title(record.career.game)}") if marks else None,
        "said": said(marks) if marks else "",
        "drawn": len(marks),
        "table": thinned(marks, TABLE_MARKS),
    }


def _place(board: Board, account_id: int) -> Place:
    row = next((row for row in board.rows if row.account_id == account_id), None)
    return Place(None, len(board.rows), ()) if row is None else Place(row.rank, len(board.rows), row.marks)


def _tabs(found: Sheet) -> list[tuple[str, str, bool]]:
    """The games to choose from: those played, the last one first, and the one that was asked for."""
    games = [career.game for career in found.careers]
    if found.game is not None and found.game not in games:
        games.append(found.game)
    return [(game, _title(game), game == found.game) for game in games]


def _title(game: str) -> str:
    """Of a game, also of one that the venue had once."""
    return catalog.GAMES[game].title if game in catalog.GAMES else game


def _game(asked: str | None) -> str | None:
    """The id of a game by any of its names; what is no name of a game may be one that the venue had once."""
    if not asked:
        return None
    try:
        return catalog.find(asked).id
    except catalog.UnknownGame:
        return asked[:_MAX_GAME_CHARS]


def _explained(fault: FaultCount, transport: str) -> tuple[FaultCount, Markup, Markup]:
    said_of = words(fault.kind, transport)
    return fault, _inline(said_of.says), _inline(said_of.remedy)


def _score(met: HeadToHead) -> float:
    """Percent, a draw counting half."""
    return 100 * (met.wins + met.draws / 2) / (met.wins + met.draws + met.losses)


def _older(address: str, record: Record) -> str | None:
    if len(record.matches) <= MATCHES:
        return None
    return link(address, game=record.career.game, before=record.matches[MATCHES - 1].seq) + "#matches"
