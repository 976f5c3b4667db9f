"""What each account has done at each game: how many matches, where it stands after each, against whom, what went wrong.

All of it follows from the log and is counted beside it, many matches at a time, as `repeats.py` does and for the same
reasons (`careers_fold.py`). What `fold` has not reached yet is counted by the question itself, so that the answers are
the same whether or not anybody folds.

No question goes through the log, however long it is: beside the rows that it shows it reads those that are not folded
yet, a thousand or so; on the way to old ones a few of an account's chain; `opponents` every pair of the account, and
`transports` every account. The queries of a question see one moment: a fold between two of them would have matches
counted twice, or not at all.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec
from sqlalchemy import Connection

from agentbbs.store import careers_sql as sql
from agentbbs.store import history, match_faults
from agentbbs.store.accounts import REMOVED_NAME
from agentbbs.store.careers_fold import fold, start_over
from agentbbs.store.database import one_moment
from agentbbs.store.history import MatchSummary
from agentbbs.store.match_faults import LOST_BY

__all__ = (
    "LOST_BY",
    "Career",
    "FaultCount",
    "HeadToHead",
    "RatingMark",
    "careers",
    "faults",
    "fold",
    "matches",
    "opponents",
    "ratings",
    "start_over",
    "transports",
    "trends",
)

_NO_SEQ: Final = 2**53
"""Higher than that of any match."""


class Career(msgspec.Struct, frozen=True):
    """One account at one game. Times are Unix milliseconds, when its first and its newest match ended."""

    game: str
    matches: int
    transport: str
    first_ms: int
    last_ms: int


class RatingMark(msgspec.Struct, frozen=True):
    """The rating after the `nth` match (from 1, rated or not). `seq` is the match's place in the log."""

    nth: int
    seq: int
    rating: float


class HeadToHead(msgspec.Struct, frozen=True):
    """Rated matches against one other account, from this account's side."""

    opponent: str
    wins: int
    draws: int
    losses: int
    last_ms: int


class FaultCount(msgspec.Struct, frozen=True):
    """How often one thing went wrong: the kind of a strike, or `LOST_BY` and a termination."""

    kind: str
    times: int


def careers(conn: Connection, account_id: int) -> tuple[Career, ...]:
    """The games that the account has played, the one played last first."""
    with one_moment(conn):
        found = {row.game: Career(*row) for row in conn.execute(sql.CAREERS, {"account": account_id})}
        for newer in (Career(*row) for row in conn.execute(sql.TAIL_CAREERS, {"account": account_id})):
            old = found.get(newer.game)
            found[newer.game] = newer if old is None else _continued(old, newer)
    return tuple(sorted(found.values(), key=lambda career: (-career.last_ms, career.game)))


def ratings(conn: Connection, account_id: int, game: str, *, most: int) -> tuple[RatingMark, ...]:
    """The rating over all matches of the account at `game`, evenly thinned to at most `most` marks (2 at least): the
    first, every second, fourth, eighth… as need be, and the newest."""
    of = {"account": account_id, "game": game}
    with one_moment(conn):
        tail = conn.execute(sql.TAIL_RATINGS, of).all()
        folded: int = conn.execute(sql.MATCHES_FOLDED, of).scalar() or 0
        count = folded + len(tail)
        stride = _stride(count, max(most, 2))
        marks = [RatingMark(*row) for row in conn.execute(sql.EVERY_RATING, {**of, "stride": stride, "count": count})]
    for nth, row in enumerate(tail, folded + 1):
        if row.rating is not None and (nth % stride == 0 or nth in {1, count}):
            marks.append(RatingMark(nth, row.seq, row.rating))
    return tuple(marks)


def trends(conn: Connection, account_ids: tuple[int, ...], game: str, *, last: int) -> dict[int, tuple[float, ...]]:
    """The ratings after the newest `last` matches of each account at `game`, oldest first."""
    found: dict[int, list[float]] = {account: [] for account in account_ids}
    of = {"accounts": account_ids, "game": game, "last": last}
    with one_moment(conn):
        for query in (sql.TRENDS, sql.TAIL_TRENDS):
            for account, rating in conn.execute(query, of):
                found[account].append(rating)
    return {account: tuple(ratings[-last:]) for account, ratings in found.items() if ratings}


def transports(conn: Connection, game: str) -> dict[int, str]:
    """How each account that has played `game` came to its newest match."""
    with one_moment(conn):
        rows = [
            (account, transport)
            for query in (sql.TRANSPORTS, sql.TAIL_TRANSPORTS)
            for account, transport in conn.execute(query, {"game": game})
        ]
    return dict(rows)


def opponents(conn: Connection, account_id: int, game: str, *, limit: int, offset: int = 0) -> tuple[HeadToHead, ...]:
    """Whom the account met in rated matches of `game`, those met most often first. Removed accounts are struck out."""
    of = {"account": account_id, "game": game, "limit": limit, "offset": offset, "removed": REMOVED_NAME}
    return tuple(HeadToHead(*row) for row in conn.execute(sql.OPPONENTS, of))


def faults(conn: Connection, account_id: int, game: str) -> tuple[FaultCount, ...]:
    """What went wrong in the account's matches of `game`, the most frequent first."""
    of = {"account": account_id, "game": game}
    with one_moment(conn):
        counts = Counter({row.kind: row.times for row in conn.execute(sql.FAULTS, of)})
        for match in match_faults.among(conn, conn.execute(sql.TAIL_SEQS, of).scalars().all()):
            counts.update(kind for account, kind in match_faults.faults(match) if account == account_id)
    return tuple(
        FaultCount(kind, times) for kind, times in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def matches(
    conn: Connection, account_id: int, *, game: str | None = None, before_seq: int | None = None, limit: int
) -> tuple[MatchSummary, ...]:
    """The newest `limit` matches of the account, newest first, at `game` and older than `before_seq` where given."""
    before = _NO_SEQ if before_seq is None else before_seq
    of = {"account": account_id, "game": game, "before": before, "limit": limit}
    with one_moment(conn):
        seqs = list(conn.execute(sql.TAIL_MATCHES, of).scalars())
        if len(seqs) < limit:
            seqs += conn.execute(sql.FOLDED_MATCHES, {**of, "limit": limit - len(seqs)}).scalars()
        return history.summaries(conn, seqs)


def _continued(old: Career, newer: Career) -> Career:
    return Career(old.game, old.matches + newer.matches, newer.transport, old.first_ms, newer.last_ms)


def _stride(count: int, most: int) -> int:
    """The smallest power of two so that the first of `count`, each whose number it divides, and the last are at most
    `most`."""
    stride = 1
    while count // stride + (stride > 1) + (count % stride > 0) > most:
        stride *= 2
    return stride
