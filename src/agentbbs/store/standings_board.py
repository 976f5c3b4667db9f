"""The whole ladder of a game as one value in memory, for pages that search, filter and page it.

A board of ten thousand rows is read in some 100 ms, and searched in one; a page of it alone would cost the database the
rank of every account each time. So a board is kept, for MAX_AGE_S at most, and for as long as nothing is committed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, bindparam, select

from agentbbs.store import careers
from agentbbs.store.database import Database
from agentbbs.store.gathering import Gathering
from agentbbs.store.repeats import REPEAT_LINE, repeating
from agentbbs.store.schema import accounts, game_ratings

PROVISIONAL_GAMES: Final = 10
"""A rating of fewer rated matches is a guess: with K = 32 it may still be a hundred points away."""

MAX_AGE_S: Final = 1.0
"""How late a board may be. Within it nobody asks the database at all; after it, first whether anything changed."""


class BoardRow(msgspec.Struct, frozen=True, gc=False):
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
    newest, ratings, rights = conn.exec_driver_sql(_AS_OF).one()
    return newest, ratings, rights


def standings_board(conn: Connection, game: str) -> Board:
    """The whole ladder of `game` (its canonical id), best first; removed accounts are left off. Wants a connection
    that shows one moment (`Database.connect`, `Database.read`)."""
    known = as_of(conn)
    transports = careers.transports(conn, game)
    marked = repeating(conn, game)
    rows = tuple(
        BoardRow(
            rank,
            account,
            name,
            rating,
            played,
            wins,
            draws,
            losses,
            played < PROVISIONAL_GAMES,
            transports.get(account, ""),
            _MARKED if account in marked else (),
        )
        for rank, account, name, rating, played, wins, draws, losses in _ranked(conn.execute(_LISTED, {"game": game}))
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
    """The boards of a venue, in one event loop. Ask for games of the catalog alone: each board is kept."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._kept: dict[str, tuple[float, Board]] = {}
        self._gathering = Gathering(self._query)

    async def of(self, game: str) -> Board:
        """The board of a game, at most MAX_AGE_S old; those who ask while it is read share it."""
        kept = self._kept.get(game)
        if kept is not None:
            read_at, board = kept
            now = self._clock()
            if now - read_at < MAX_AGE_S:
                return board
            if self._database.glance(_AS_OF) == board.as_of:
                self._kept[game] = now, board
                return board
        asked = await self._gathering.ask(game)
        if asked is None:
            raise RuntimeError(f"no board came of {game!r}")
        return asked

    async def _query(self, games: Collection[str]) -> Mapping[str, Board]:
        began = self._clock()
        # In a thread of its own: ten thousand rows would hold up the loop, and what others look up.
        found = await asyncio.to_thread(self._read, tuple(games))
        self._kept.update((game, (began, board)) for game, board in found.items())
        return found

    def _read(self, games: Collection[str]) -> Mapping[str, Board]:
        with self._database.connect() as conn:
            return {game: standings_board(conn, game) for game in games}


_MARKED: Final = (REPEAT_LINE,)

_AS_OF: Final = (
    "SELECT coalesce((SELECT max(seq) FROM game_matches), 0), "
    "(SELECT epoch FROM ratings_epoch), (SELECT epoch FROM auth_epoch)"
)

_LISTED: Final = (
    select(
        game_ratings.c.account_id,
        accounts.c.name,
        game_ratings.c.rating,
        game_ratings.c.played,
        game_ratings.c.wins,
        game_ratings.c.draws,
        game_ratings.c.losses,
    )
    .join(accounts, accounts.c.id == game_ratings.c.account_id)
    .where(game_ratings.c.game == bindparam("game"), game_ratings.c.played > 0, accounts.c.removed_ms.is_(None))
)


def _ranked(listed: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of `_LISTED` in the order of the ladder, each after its rank, as `ladder.ladder` has them; the database
    takes three times as long for that."""
    rank, before = 0, None
    for place, row in enumerate(sorted(map(tuple, listed), key=_best_first), 1):
        if row[2] != before:
            rank, before = place, row[2]
        yield rank, *row


def _best_first(row: tuple[Any, ...]) -> tuple[float, str]:
    return -row[2], row[1].lower()
