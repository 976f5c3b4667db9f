"""The log of matches, read back.

A removed account's matches stay, with its name struck out: `(removed)` is shown in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, RowMapping, Select, bindparam, func, or_, select

from agentbbs.play.ports import FinishedMatch
from agentbbs.store import match_rows, names
from agentbbs.store.accounts import REMOVED_NAME
from agentbbs.store.schema import accounts, game_matches

MIN_PREFIX_CHARS: Final = 4
"""Fewer mean too many matches."""

ROWS_AT_ONCE: Final = 500
"""Whole matches read at a time: about 150 KB, and below every database's limit of parameters."""

_LAST_CHARACTER: Final = "\U0010ffff"


class MatchSummary(msgspec.Struct, frozen=True):
    """One line of a list of matches. Ratings are None for a house bot; times are Unix milliseconds."""

    seq: int
    id: str
    game: str
    names: tuple[str, str]
    winner: int
    termination: str
    reason: str | None
    rated: bool
    why: str | None
    ratings_before: tuple[float | None, float | None]
    ratings_after: tuple[float | None, float | None]
    started_ms: int
    ended_ms: int


class StoredMatch(msgspec.Struct, frozen=True):
    """A match as it is in the log: its place there, the match, and each seat's rating before and after."""

    seq: int
    match: FinishedMatch
    ratings_before: tuple[float | None, float | None]
    ratings_after: tuple[float | None, float | None]


class NoSuchMatch(LookupError):
    """No match has that id, or one that begins so."""


class AmbiguousMatch(LookupError):
    """Several matches have an id that begins so."""


def matches(
    conn: Connection, *, game: str | None = None, name: str | None = None, before_seq: int | None = None, limit: int
) -> tuple[MatchSummary, ...]:
    """The newest `limit` matches, newest first: of `game` (its canonical id), of the account called `name` (in
    any case), and older than the match `before_seq`, where these are given."""
    m = game_matches.c
    # The narrow index answers this alone; rows are read for those that are shown.
    wanted = select(m.seq).order_by(m.seq.desc()).limit(limit)
    if game is not None:
        wanted = wanted.where(m.game == game)
    if before_seq is not None:
        wanted = wanted.where(m.seq < before_seq)
    if name is not None:
        account = conn.execute(
            select(accounts.c.id).where(
                accounts.c.skeleton == names.skeleton(name), func.lower(accounts.c.name) == name.lower()
            )
        ).scalar_one_or_none()
        if account is None:
            return ()
        wanted = wanted.where(or_(m.account_0 == account, m.account_1 == account))
    chosen = wanted.subquery()
    rows = conn.execute(_named(_SUMMARY).where(m.seq.in_(select(chosen.c.seq))).order_by(m.seq.desc()))
    return tuple(_summary(row) for row in rows.mappings())


def summaries(conn: Connection, seqs: Sequence[int]) -> tuple[MatchSummary, ...]:
    """The matches with these places in the log, newest first; at most a few hundred."""
    rows = conn.execute(_SUMMARIES, {"seqs": list(seqs)})
    return tuple(_summary(row) for row in rows.mappings())


def match(conn: Connection, id_or_prefix: str) -> StoredMatch:
    """The match with this id, or the only one whose id begins with it (at least 4 characters). Raises
    NoSuchMatch, AmbiguousMatch."""
    m = game_matches.c
    everything = _named(select(game_matches))
    rows = conn.execute(everything.where(m.id == id_or_prefix)).mappings().all()
    if not rows and len(id_or_prefix) >= MIN_PREFIX_CHARS:
        begins = (m.id >= id_or_prefix) & (m.id < id_or_prefix + _LAST_CHARACTER)
        rows = conn.execute(everything.where(begins).limit(2)).mappings().all()
    if not rows:
        raise NoSuchMatch(f"no match has an id that begins with {id_or_prefix!a}: `agentbbs matches` lists them")
    if len(rows) > 1:
        raise AmbiguousMatch(f"several matches have an id that begins with {id_or_prefix!a}: give more of it")
    return _stored(rows[0])


def whole(conn: Connection, seqs: Sequence[int]) -> Iterator[StoredMatch]:
    """The matches with these places in the log, the newest first, read a few hundred at a time."""
    newest_first = sorted(seqs, reverse=True)
    for start in range(0, len(newest_first), ROWS_AT_ONCE):
        wanted = game_matches.c.seq.in_(newest_first[start : start + ROWS_AT_ONCE])
        rows = conn.execute(_named(select(game_matches)).where(wanted).order_by(game_matches.c.seq.desc()))
        yield from map(_stored, rows.mappings())


_first = accounts.alias("first")
_second = accounts.alias("second")

_SUMMARY: Final = select(
    *(
        game_matches.c[name]
        for name in (
            *("seq", "id", "game", "name_0", "name_1", "winner", "termination", "reason", "rated", "why"),
            *("rating_before_0", "rating_before_1", "rating_after_0", "rating_after_1", "started_ms", "ended_ms"),
        )
    )
)


def _named(query: Select[Any]) -> Select[Any]:
    """`query` of matches with the accounts beside them, so that removed names can be struck out."""
    return (
        query.add_columns(_first.c.removed_ms.label("removed_0"), _second.c.removed_ms.label("removed_1"))
        .outerjoin(_first, _first.c.id == game_matches.c.account_0)
        .outerjoin(_second, _second.c.id == game_matches.c.account_1)
    )


_SUMMARIES: Final = (
    _named(_SUMMARY)
    .where(game_matches.c.seq.in_(bindparam("seqs", expanding=True)))
    .order_by(game_matches.c.seq.desc())
)
"""Made once: a page of matches would spend as much on the making as on the rows."""


def _names(row: RowMapping) -> tuple[str, str]:
    return (
        row["name_0"] if row["removed_0"] is None else REMOVED_NAME,
        row["name_1"] if row["removed_1"] is None else REMOVED_NAME,
    )


def _ratings(row: RowMapping, when: str) -> tuple[float | None, float | None]:
    return row[f"rating_{when}_0"], row[f"rating_{when}_1"]


def _summary(row: RowMapping) -> MatchSummary:
    return MatchSummary(
        seq=row["seq"],
        id=row["id"],
        game=row["game"],
        names=_names(row),
        winner=row["winner"],
        termination=row["termination"],
        reason=row["reason"],
        rated=row["rated"],
        why=row["why"],
        ratings_before=_ratings(row, "before"),
        ratings_after=_ratings(row, "after"),
        started_ms=row["started_ms"],
        ended_ms=row["ended_ms"],
    )


def _stored(row: RowMapping) -> StoredMatch:
    name_0, name_1 = _names(row)
    return StoredMatch(
        row["seq"],
        match_rows.from_row({**row, "name_0": name_0, "name_1": name_1}),
        _ratings(row, "before"),
        _ratings(row, "after"),
    )
