"""What each account has done at each game: how many matches, where it stands after each, against whom, what went wrong.

All of it follows from the log and is counted beside it, many matches at a time, as `repeats.py` does and for the same
reasons. What `fold` has not reached yet is counted by the question itself, so that the answers are the same whether
or not anybody folds. No question reads more rows than it shows, whatever the length of the log, but for those that
are not folded yet.
"""

from __future__ import annotations

from typing import Final

import msgspec
from sqlalchemy import Connection

from agentbbs.store.history import MatchSummary

LOST_BY: Final = "lost by "
"""Before a `Termination` among the faults."""


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


def fold(conn: Connection, max_matches: int | None = None) -> int:
    """Count the matches that are not counted yet, the oldest `max_matches` of them; returns how many matches that
    were. Wants a connection of `Database.begin`."""
    raise NotImplementedError


def start_over(conn: Connection) -> None:
    """Forget all that was counted. Wants a connection of `Database.begin`."""
    raise NotImplementedError


def careers(conn: Connection, account_id: int) -> tuple[Career, ...]:
    """The games that the account has played, the one played last first."""
    raise NotImplementedError


def ratings(conn: Connection, account_id: int, game: str, *, most: int) -> tuple[RatingMark, ...]:
    """The rating over all matches of the account at `game`, evenly thinned to at most `most` marks; the first and the
    newest are among them."""
    raise NotImplementedError


def trends(conn: Connection, account_ids: tuple[int, ...], game: str, *, last: int) -> dict[int, tuple[float, ...]]:
    """The ratings after the newest `last` matches of each account at `game`, oldest first."""
    raise NotImplementedError


def transports(conn: Connection, game: str) -> dict[int, str]:
    """How each account that has played `game` came to its newest match."""
    raise NotImplementedError


def opponents(conn: Connection, account_id: int, game: str, *, limit: int, offset: int = 0) -> tuple[HeadToHead, ...]:
    """Whom the account met in rated matches of `game`, those met most often first. Removed accounts are struck out."""
    raise NotImplementedError


def faults(conn: Connection, account_id: int, game: str) -> tuple[FaultCount, ...]:
    """What went wrong in the account's matches of `game`, the most frequent first."""
    raise NotImplementedError


def matches(
    conn: Connection, account_id: int, *, game: str | None = None, before_seq: int | None = None, limit: int
) -> tuple[MatchSummary, ...]:
    """The newest `limit` matches of the account, newest first, at `game` and older than `before_seq` where given."""
    raise NotImplementedError
