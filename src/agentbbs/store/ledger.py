"""The transaction that makes finished matches count: the log and the ladders in one commit.

A `Ledger` remembers the records that it last committed. It may use them again only while nobody else has
committed matches or rebuilt the ladders; the first query of each transaction finds out. Since that
transaction is IMMEDIATE, what it found stays true until the commit, so that writers in any number of
processes and threads never lose an update.

Why it is written with few, large statements: each call into SQLite lets go of the interpreter's lock, and
beside a busy event loop it takes up to a few ms to get it back. One INSERT of thirty rows has one such wait,
thirty INSERTs have thirty (measured: 150-1000 ms at p99, against 20-40 ms).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, select

from agentbbs.play.ports import FinishedMatch, Settled, Standing
from agentbbs.ratings.ladder import NEW, Record, after_match
from agentbbs.store import match_rows
from agentbbs.store.schema import game_matches, game_ratings, ratings_epoch

MAX_RECORDS: Final = 50_000
"""Records kept in memory (about 300 bytes each)."""

ROWS_A_STATEMENT: Final = 64
"""Each number of rows is a statement of its own, prepared once a connection: there are 64 of them, not 512."""

_Key = tuple[str, int]


class Ledger:
    """Commits batches of matches, over one connection at a time."""

    def __init__(self) -> None:
        self._records: dict[_Key, Record] = {}
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
                batch = _Batch(self._records, self._refresh(conn))
                self._load(conn, matches)
                settled = [batch.add(match_rows.check(match)) for match in matches]
                batch.write(conn)
        except BaseException:
            self._as_of = None
            raise
        self._records.update(batch.changed)
        if self._as_of is not None:
            self._as_of = (batch.last_seq, self._as_of[1])
        return settled

    def _refresh(self, conn: Connection) -> int:
        """Forget the records if anybody else may have changed them; returns the last match's seq."""
        last_seq, epoch = conn.execute(_AS_OF).one()
        as_of = (last_seq or 0, epoch)
        if as_of != self._as_of or len(self._records) > MAX_RECORDS:
            self._records.clear()
            self._as_of = as_of
        return as_of[0]

    def _load(self, conn: Connection, matches: Sequence[FinishedMatch]) -> None:
        """Read the records that these matches need and that are not in memory."""
        missing: dict[str, set[int]] = {}
        for match in matches:
            for player in match.players:
                account = player.account
                if account is not None and (match.game, account) not in self._records:
                    missing.setdefault(match.game, set()).add(account)
        for game, accounts in missing.items():
            self._records.update({(game, account): NEW for account in accounts})
            for row in conn.execute(_RECORDS, {"game": game, "accounts": list(accounts)}):
                self._records[game, row[0]] = Record(*row[1:])


class _Batch:
    """The matches of one transaction, rated in order on top of the records before it."""

    def __init__(self, records: dict[_Key, Record], last_seq: int) -> None:
        self._before = records
        self.changed: dict[_Key, Record] = {}
        self.last_seq = last_seq
        self._rows: list[tuple[Any, ...]] = []
        self._lines: Counter[int | None] = Counter()

    def add(self, match: FinishedMatch) -> Settled:
        """Rate `match` and keep its row for `write`."""
        one, other = (player.account for player in match.players)
        before = after = (self._record(match.game, one), self._record(match.game, other))
        if match.rated and one is not None and other is not None:
            before_one, before_other = before
            after = after_match(before_one or NEW, before_other or NEW, match.winner)
            self.changed[match.game, one], self.changed[match.game, other] = after
        self.last_seq += 1
        row = match_rows.row(self.last_seq, match, _ratings(before), _ratings(after))
        line = row[-1]
        self._lines[line] += 1
        self._rows.append((*row, None if line is None else self._lines[line]))
        return Settled(_standings(before), _standings(after))

    def write(self, conn: Connection) -> None:
        """Insert the matches, and insert or replace the records that changed."""
        for rows in _parts(self._rows):
            conn.exec_driver_sql(_INSERT[len(rows)], tuple(chain.from_iterable(rows)))
        ratings = [
            (account, game, r.rating, r.played, r.wins, r.draws, r.losses, r.firsts)
            for (game, account), r in self.changed.items()
        ]
        for rows in _parts(ratings):
            conn.exec_driver_sql(_UPSERT[len(rows)], tuple(chain.from_iterable(rows)))

    def _record(self, game: str, account: int | None) -> Record | None:
        if account is None:
            return None
        return self.changed.get((game, account)) or self._before[game, account]


def stored_ids(conn: Connection, ids: Iterable[str]) -> set[str]:
    """Which of these matches are in the log."""
    rows = conn.execute(select(game_matches.c.id).where(game_matches.c.id.in_(list(ids))))
    return {row.id for row in rows}


_Pair = tuple[Record | None, Record | None]


def _ratings(pair: _Pair) -> match_rows.RatingPair:
    one, other = pair
    return (one.rating if one is not None else None, other.rating if other is not None else None)


def _standings(pair: _Pair) -> tuple[Standing | None, Standing | None]:
    one, other = pair
    return (standing(one) if one is not None else None, standing(other) if other is not None else None)


def standing(record: Record) -> Standing:
    """The record as play knows it."""
    return Standing(record.rating, record.played, record.wins, record.draws, record.losses, record.firsts)


def _parts(rows: list[tuple[Any, ...]]) -> Iterable[list[tuple[Any, ...]]]:
    return (rows[start : start + ROWS_A_STATEMENT] for start in range(0, len(rows), ROWS_A_STATEMENT))


_AS_OF = select(
    select(func.max(game_matches.c.seq)).scalar_subquery(), select(ratings_epoch.c.epoch).scalar_subquery()
)

_RECORDS = select(
    game_ratings.c.account_id,
    game_ratings.c.rating,
    game_ratings.c.played,
    game_ratings.c.wins,
    game_ratings.c.draws,
    game_ratings.c.losses,
    game_ratings.c.firsts,
).where(
    game_ratings.c.game == bindparam("game"), game_ratings.c.account_id.in_(bindparam("accounts", expanding=True))
)


class _BySize(dict[int, str]):
    """The text of a statement for each number of rows, made when first wanted."""

    def __init__(self, head: str, columns: int, tail: str) -> None:
        super().__init__()
        self._head, self._row, self._tail = head, "(" + ", ".join("?" * columns) + ")", tail

    def __missing__(self, rows: int) -> str:
        self[rows] = statement = self._head + ", ".join([self._row] * rows) + self._tail
        return statement


_MATCH_COLUMNS: Final = ", ".join(match_rows.COLUMNS)

_INSERT: Final = _BySize(
    f"INSERT INTO game_matches ({_MATCH_COLUMNS}, times) WITH fresh ({_MATCH_COLUMNS}, nth) AS (VALUES ",
    len(match_rows.COLUMNS) + 1,
    f") SELECT {_MATCH_COLUMNS}, "  # noqa: S608 - made of column names alone
    "(SELECT coalesce(max(old.times), 0) FROM game_matches AS old WHERE old.line = fresh.line) + nth FROM fresh",
)
"""`nth` counts the same line within the statement, whose subquery does not see the statement's own rows."""

_UPSERT: Final = _BySize(
    "INSERT INTO game_ratings (account_id, game, rating, played, wins, draws, losses, firsts) VALUES ",
    8,
    " ON CONFLICT (account_id, game) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in ("rating", "played", "wins", "draws", "losses", "firsts")),
)
