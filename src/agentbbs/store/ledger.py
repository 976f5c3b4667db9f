"""The transaction that makes finished matches count: the log and the ladders in one commit.

A `Ledger` remembers the standings that it last committed. It may use them again only while nobody else has
committed matches or rebuilt the ladders; the first query of each transaction finds out. Since that
transaction is IMMEDIATE, what it found stays true until the commit, so that writers in any number of
processes and threads never lose an update.

Why it is written with few, large statements: each call into SQLite lets go of the interpreter's lock, and
beside a busy event loop it takes up to a few ms to get it back. One INSERT of thirty rows has one such wait,
thirty INSERTs have thirty (measured: 150-1000 ms at p99, against 20-40 ms).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, select

from agentbbs.play.ports import FinishedMatch, Settled, Standing
from agentbbs.ratings.ladder import after_match
from agentbbs.store import match_rows
from agentbbs.store.database import driver_execute
from agentbbs.store.ladder import standings
from agentbbs.store.schema import game_matches

MAX_STANDINGS: Final = 50_000
"""Standings kept in memory (about 300 bytes each)."""

ROWS_A_STATEMENT: Final = 64
"""Each number of rows is a statement of its own, prepared once a connection: there are 64 of them, not 512."""

_Key = tuple[int, str]
_NEW: Final = Standing()


class Ledger:
    """Commits batches of matches, over one connection at a time."""

    def __init__(self) -> None:
        self._standings: dict[_Key, Standing] = {}
        self._as_of: tuple[int, int] | None = None

    def commit(self, conn: Connection, matches: Sequence[FinishedMatch]) -> list[Settled]:
        """Store `matches` in this order as one transaction, rate those that are rated, and return what came
        of each, once the commit is durable.

        `conn` is a `Database.writing_connection` without a transaction on. Raises InvalidMatch and
        SQLAlchemy's errors; then nothing was stored, unless it was the commit itself that failed: look with
        `stored_ids` before another try.
        """
        try:
            with conn.begin():
                batch = _Batch(self._standings, self._refresh(conn))
                self._load(conn, matches)
                settled = [batch.add(match_rows.check(match)) for match in matches]
                batch.write(conn)
        except BaseException:
            self._as_of = None
            raise
        self._standings.update(batch.changed)
        if self._as_of is not None:
            self._as_of = (batch.last_seq, self._as_of[1])
        return settled

    def _refresh(self, conn: Connection) -> int:
        """Forget the standings if anybody else may have changed them; returns the last match's seq."""
        last_seq, epoch = driver_execute(conn, _AS_OF) or (0, 0)
        as_of = (last_seq, epoch)
        if as_of != self._as_of or len(self._standings) > MAX_STANDINGS:
            self._standings.clear()
            self._as_of = as_of
        return as_of[0]

    def _load(self, conn: Connection, matches: Sequence[FinishedMatch]) -> None:
        """Read the standings that these matches need and that are not in memory."""
        missing = {
            (player.account, match.game)
            for match in matches
            for player in match.players
            if player.account is not None and (player.account, match.game) not in self._standings
        }
        if missing:
            self._standings.update(dict.fromkeys(missing, _NEW))
            self._standings.update(standings(conn, missing))


class _Batch:
    """The matches of one transaction, rated in order on top of the standings before it."""

    def __init__(self, before: dict[_Key, Standing], last_seq: int) -> None:
        self._before = before
        self.changed: dict[_Key, Standing] = {}
        self.last_seq = last_seq
        self._rows: list[tuple[Any, ...]] = []

    def add(self, match: FinishedMatch) -> Settled:
        """Rate `match` and keep its row for `write`."""
        one, other = match.players[0].account, match.players[1].account
        first = None if one is None else self._standing(one, match.game)
        second = None if other is None else self._standing(other, match.game)
        settled = Settled((first, second), (first, second))
        if match.rated and one is not None and other is not None and first is not None and second is not None:
            after = after_match(first, second, match.winner)
            self.changed[one, match.game], self.changed[other, match.game] = after
            settled = Settled((first, second), after)
        self.last_seq += 1
        self._rows.append(match_rows.row(self.last_seq, match, settled))
        return settled

    def write(self, conn: Connection) -> None:
        """Insert the matches, and insert or replace the standings that changed."""
        for rows in _parts(self._rows):
            driver_execute(conn, _INSERT[len(rows)], tuple(chain.from_iterable(rows)))
        standings = [
            (account, game, s.rating, s.played, s.wins, s.draws, s.losses, s.firsts)
            for (account, game), s in self.changed.items()
        ]
        for rows in _parts(standings):
            driver_execute(conn, _UPSERT[len(rows)], tuple(chain.from_iterable(rows)))

    def _standing(self, account: int, game: str) -> Standing:
        key = account, game
        return self.changed.get(key) or self._before[key]


def stored_ids(conn: Connection, ids: Iterable[str]) -> set[str]:
    """Which of these matches are in the log."""
    rows = conn.execute(select(game_matches.c.id).where(game_matches.c.id.in_(list(ids))))
    return {row.id for row in rows}


def _parts(rows: list[tuple[Any, ...]]) -> Iterable[list[tuple[Any, ...]]]:
    return (rows[start : start + ROWS_A_STATEMENT] for start in range(0, len(rows), ROWS_A_STATEMENT))


_AS_OF: Final = "SELECT coalesce((SELECT max(seq) FROM game_matches), 0), (SELECT epoch FROM ratings_epoch)"


class _BySize(dict[int, str]):
    """The text of a statement for each number of rows, made when first wanted."""

    def __init__(self, head: str, columns: int, tail: str) -> None:
        super().__init__()
        self._head, self._row, self._tail = head, "(" + ", ".join("?" * columns) + ")", tail

    def __missing__(self, rows: int) -> str:
        self[rows] = statement = self._head + ", ".join([self._row] * rows) + self._tail
        return statement


_INSERT: Final = _BySize(
    "INSERT INTO game_matches (" + ", ".join(match_rows.COLUMNS) + ") VALUES ",  # noqa: S608 - names of ours
    len(match_rows.COLUMNS),
    "",
)

_UPSERT: Final = _BySize(
    "INSERT INTO game_ratings (account_id, game, rating, played, wins, draws, losses, firsts) VALUES ",
    8,
    " ON CONFLICT (account_id, game) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in ("rating", "played", "wins", "draws", "losses", "firsts")),
)
