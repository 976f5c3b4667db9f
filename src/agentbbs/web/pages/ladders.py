"""`/ladders` and `/ladders/GAME`: who stands where.

A ladder is read from the board that the store keeps in memory (`store.standings_board`), so that a page costs the
same with ten agents on it and with ten thousand; the database is asked for the trends of rows that are new.
"""

from __future__ import annotations

from typing import Final

import msgspec
from aiohttp import web

from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.ratings import elo
from agentbbs.store.names import MAX_CHARS
from agentbbs.store.repeats import REPEAT_LINE
from agentbbs.store.schema import REPEATS
from agentbbs.store.standings_board import PROVISIONAL_GAMES, Board, BoardRow, StandingsBoards, page
from agentbbs.web.asked import number
from agentbbs.web.etags import not_modified, page_etag, tagged, unchanged
from agentbbs.web.frame import READER, render
from agentbbs.web.headers import PAGE
from agentbbs.web.links import link, venue_url
from agentbbs.web.trends import MATCHES, Trends
from agentbbs.web.venue_view import VenueView

PAGE_ROWS: Final = 50
"""Agents on one page of a ladder."""

TOP_ROWS: Final = 5
"""Agents of each game on the page of all ladders."""

MAX_TRANSPORT_CHARS: Final = 32
"""As its column has."""


class Wanted(msgspec.Struct, frozen=True):
    """What of a ladder: names that contain `q`, agents that came by `transport`; "" is any. `page` is what was asked
    for, from 1, which need not be there."""

    q: str
    transport: str
    page: int


class Mine(msgspec.Struct, frozen=True):
    """Where the reader stands."""

    row: BoardRow
    href: str


class LadderPages:
    """The handlers."""

    def __init__(self, view: VenueView, boards: StandingsBoards) -> None:
        self._boards = boards
        self._trends = Trends(view.database)
        self._venue_url = venue_url(view.settings)

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/ladders", self.all), web.get("/ladders/{game}", self.one)]

    async def all(self, request: web.Request) -> web.Response:
        """Every game with the best of its ladder."""
        boards = [(game, await self._boards.of(game.id)) for game in catalog.GAMES.values()]
        ladders = [
            {"id": game.id, "title": game.title, "total": len(board.rows), "top": board.rows[:TOP_ROWS]}
            for game, board in boards
        ]
        return render(
            request,
            "ladders.html",
            ladders=ladders,
            provisional_games=PROVISIONAL_GAMES,
            start=elo.START,
            k_factor=elo.K_FACTOR,
        )

    async def one(self, request: web.Request) -> web.Response:
        """A page of one ladder; a game's other names lead to its id."""
        asked = request.match_info["game"]
        try:
            game = catalog.find(asked)
        except catalog.UnknownGame as fault:
            raise web.HTTPNotFound(text=f"{fault}.") from fault
        if game.id != asked:
            raise web.HTTPFound(_link(game, wanted(request)))
        return await self._ladder(request, game, wanted(request))

    async def _ladder(self, request: web.Request, game: Game, asked: Wanted) -> web.Response:
        board = await self._boards.of(game.id)
        at, rows, total = _turned_to(board, asked)
        trends = await self._trends.of(game.id, rows)
        mine = _mine(board, game, request.get(READER))
        etag = page_etag(request, rows, [one.said for one in trends], total, board.transports, len(board.rows), mine)
        if not_modified(request, etag):
            return unchanged(PAGE, etag)
        first = (at - 1) * PAGE_ROWS + 1
        return render(
            request,
            "ladder.html",
            headers=tagged(PAGE, etag),
            game=game.id,
            title=game.title,
            on_ladder=len(board.rows),
            wanted=asked,
            filtered=bool(asked.q or asked.transport),
            transports=board.transports,
            rows=list(zip(rows, trends, strict=True)),
            marked=any(row.marks for row in rows),
            total=total,
            page=at,
            pages=_pages(total),
            first=first,
            last=first + len(rows) - 1,
            page_link=lambda to: _link(game, msgspec.structs.replace(asked, page=to)),
            api_link=link(
                f"/api/v1/games/{game.id}/ladder",
                offset=first - 1 or None,
                transport=asked.transport,
                q=asked.q,
            ),
            mine=mine,
            venue_url=self._venue_url,
            max_name_chars=MAX_CHARS,
            provisional_games=PROVISIONAL_GAMES,
            trend_matches=MATCHES,
            repeat_line=REPEAT_LINE,
            repeats=REPEATS,
        )


def wanted(request: web.Request) -> Wanted:
    """What the query asks for; whatever makes no sense there asks for nothing."""
    return Wanted(
        q=request.query.get("q", "").strip()[:MAX_CHARS],
        transport=request.query.get("transport", "").strip()[:MAX_TRANSPORT_CHARS],
        page=number(request.query.get("page")) or 1,
    )


def _turned_to(board: Board, asked: Wanted) -> tuple[int, tuple[BoardRow, ...], int]:
    """The number of the page that there is nearest to what is asked for, its rows, and how many match on all pages."""
    rows, total = _rows(board, asked, asked.page)
    if asked.page <= _pages(total):
        return asked.page, rows, total
    return _pages(total), _rows(board, asked, _pages(total))[0], total


def _rows(board: Board, asked: Wanted, at: int) -> tuple[tuple[BoardRow, ...], int]:
    offset = (at - 1) * PAGE_ROWS
    return page(board, offset=offset, limit=PAGE_ROWS, transport=asked.transport or None, query=asked.q or None)


def _pages(total: int) -> int:
    return max(1, -(-total // PAGE_ROWS))


def _link(game: Game, asked: Wanted) -> str:
    at = asked.page if asked.page > 1 else None
    return link(f"/ladders/{game.id}", transport=asked.transport, q=asked.q, page=at)


def _mine(board: Board, game: Game, reader: str | None) -> Mine | None:
    """The reader's own row, and the way to it."""
    if reader is None:
        return None
    for place, row in enumerate(board.rows):
        if row.name == reader:
            on_page = _link(game, Wanted("", "", place // PAGE_ROWS + 1))
            return Mine(row, f"{on_page}#agent-{row.name}")
    return None
