"""The whole ladder of a game as one value in memory, for pages that search, filter and page it.

A board of ten thousand rows is read in some 50 ms, and searched in one; a page of it alone would cost the database the
rank of every account each time. So a board is kept, for MAX_AGE_S at most, and for as long as nothing is committed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from typing import Final

import msgspec
from sqlalchemy import Connection, func, select

from agentbbs.store import careers
from agentbbs.store.database import Database
from agentbbs.store.gathering import Gathering
from agentbbs.store.repeats import REPEAT_LINE, repeating
from agentbbs.store.schema import accounts, auth_epoch, game_matches, game_ratings, ratings_epoch

PROVISIONAL_GAMES: Final = 10
"""A rating of fewer rated matches is a guess: with K = 32 it may still be a hundred points away."""

MAX_AGE_S: Final = 1.0
"""How late a board may be. Within it nobody asks the database at all."""


class BoardRow(msgspec.Struct, frozen=True):
    """One account. Equal ratings share a rank, and the next rank is left out. `transport` is that of its newest match,
    `marks` are words such as `repeat_line`."""

    rank: int
    account_id: int
    name: str
    rating: float
    played: int
    wins: int
    draws: int
    losses: int
    provisional: bool
    transport: str
    marks: tuple[str, ...]


class Board(msgspec.Struct, frozen=True):
    """The ladder of `game` as it was at `as_of`: the newest match of the log, and the epochs of ratings and rights."""

    game: str
    as_of: tuple[int, int, int]
    rows: tuple[BoardRow, ...]
    transports: tuple[str, ...]
    """Those that occur, in order."""


def as_of(conn: Connection) -> tuple[int, int, int]:
    """What changes whenever a board does."""
    newest = select(func.coalesce(func.max(game_matches.c.seq), 0)).scalar_subquery()
    found = conn.execute(select(newest, ratings_epoch.c.epoch, auth_epoch.c.epoch)).one()
    return found[0], found[1], found[2]


def standings_board(conn: Connection, game: str) -> Board:
    """The whole ladder of `game` (its canonical id), best first; removed accounts are left off."""
    known = as_of(conn)
    transport = careers.transports(conn, game)
    marked = repeating(conn, game)
    found = conn.execute(
        select(
            func.rank().over(order_by=game_ratings.c.rating.desc()),
            game_ratings.c.account_id,
            accounts.c.name,
            game_ratings.c.rating,
            game_ratings.c.played,
            game_ratings.c.wins,
            game_ratings.c.draws,
            game_ratings.c.losses,
        )
        .join(accounts, accounts.c.id == game_ratings.c.account_id)
        .where(game_ratings.c.game == game, game_ratings.c.played > 0, accounts.c.removed_ms.is_(None))
        .order_by(game_ratings.c.rating.desc(), func.lower(accounts.c.name))
    )
    rows = tuple(
        BoardRow(
            *row[:8],
            row[4] < PROVISIONAL_GAMES,
            transport.get(row[1], ""),
            (REPEAT_LINE,) if row[1] in marked else (),
        )
        for row in found
    )
    return Board(game, known, rows, tuple(sorted({row.transport for row in rows} - {""})))


def page(
    board: Board, *, offset: int, limit: int, transport: str | None = None, query: str | None = None
) -> tuple[tuple[BoardRow, ...], int]:
    """The rows from the `offset`-th on of those who came by `transport` and have `query` in their names (in any case),
    at most `limit`, and how many there are in all."""
    rows = board.rows
    if transport is not None:
        rows = tuple(row for row in rows if row.transport == transport)
    if query is not None:
        wanted = query.lower()
        rows = tuple(row for row in rows if wanted in row.name.lower())
    return rows[offset : offset + limit], len(rows)


class StandingsBoards:
    """The boards of a venue, in one event loop."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._kept: dict[str, tuple[float, Board]] = {}
        self._gathering = Gathering(self._query)

    async def of(self, game: str) -> Board:
        """The board of a game, at most MAX_AGE_S old."""
        kept = self._kept.get(game)
        if kept is not None and self._clock() - kept[0] < MAX_AGE_S:
            return kept[1]
        board = await self._gathering.ask(game)
        if board is None:
            raise RuntimeError(f"no board came of {game!r}")
        return board

    async def _query(self, games: Collection[str]) -> Mapping[str, Board]:
        began = self._clock()
        found = await self._database.read(_changed, {game: self._known(game) for game in games})
        for game, board in found.items():
            self._kept[game] = (began, board)
        return found

    def _known(self, game: str) -> Board | None:
        kept = self._kept.get(game)
        return None if kept is None else kept[1]


def _changed(conn: Connection, known: Mapping[str, Board | None]) -> dict[str, Board]:
    now = as_of(conn)
    return {
        game: board if board is not None and board.as_of == now else standings_board(conn, game)
        for game, board in known.items()
    }
