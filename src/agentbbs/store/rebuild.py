"""What is derived, computed again from the log: `agentbbs ratings rebuild`, and with `--check`.

The log is folded in the order of its commits (`ratings.ladder.Fold`), one match at a time, so that memory
grows with the accounts and not with the matches. Ratings are compared bit for bit. What was counted beside the log
(`repeats.py`, `careers.py`) is started over only where it differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from agentbbs.play.ports import Standing
from agentbbs.ratings.ladder import Fold
from agentbbs.store import careers_check, careers_fold, repeats
from agentbbs.store.schema import game_matches, game_ratings, ratings_epoch

MAX_DIFFERENCES: Final = 1000
"""How many are reported: a reader wants to know where it begins, not a million lines."""

_ROWS_AT_ONCE: Final = 1000
"""Rows fetched from the log at a time (about 150 KB)."""


class Difference(msgspec.Struct, frozen=True):
    """Something stored that is not what the log says. `where` names a match or an account's ladder, `what` the
    field; the values are shown as they were found (None: not there)."""

    where: str
    what: str
    stored: str | None
    computed: str | None

    def __str__(self) -> str:
        return f"{self.where}: {self.what} is {self.stored}, the log says {self.computed}"


class Folded:
    """The log folded up to the match `seq`, and what in it contradicts the fold."""

    def __init__(self) -> None:
        self.fold: Fold[Standing] = Fold(Standing())
        self.seq = 0
        self.matches = 0
        self.found: list[Difference] = []
        self.lines: list[Difference] = []
        self.careers: list[Difference] = []


def fold(conn: Connection, before: Folded | None = None, *, progress: Callable[[int], None] | None = None) -> Folded:
    """Fold the log, or what of it is newer than `before`, which is carried on.

    `progress` is called with the number of matches read so far, now and then.
    """
    folded = Folded() if before is None else before
    rows = conn.execute(_LOG, {"after": folded.seq}, execution_options={"yield_per": _ROWS_AT_ONCE})
    for part in rows.partitions():
        for row in part:
            match = _LoggedMatch(*row)
            ratings = _apply(folded.fold, match)
            if ratings != match[-4:] or match.rated != (match.why is None):
                folded.found.extend(_match_differences(match, ratings))
                del folded.found[MAX_DIFFERENCES:]
            folded.seq = match.seq
        folded.matches += len(part)
        if progress is not None:
            progress(folded.matches)
    if before is None:
        folded.lines.extend(
            Difference(f"line {line}", "times", _shown(stored), _shown(counted))
            for line, stored, counted in repeats.differing(conn, MAX_DIFFERENCES)
        )
        folded.careers.extend(
            Difference(where, what, _shown(stored), _shown(counted))
            for where, what, stored, counted in careers_check.differing(conn, MAX_DIFFERENCES)
        )
    return folded


def check(conn: Connection, *, progress: Callable[[int], None] | None = None) -> tuple[Difference, ...]:
    """What differs, at most `MAX_DIFFERENCES`: the ladders, the ratings kept with each match, the counts of
    lines, careers, ids that are not unique, unrated matches that don't say why. Nothing is changed."""
    folded = fold(conn, progress=progress)
    found = [*folded.found, *_ladder_differences(conn, folded.fold), *folded.lines, *folded.careers]
    total, distinct = conn.execute(select(func.count(), func.count(game_matches.c.id.distinct()))).one()
    if total != distinct:
        found.append(Difference("log", "the number of matches with an id of their own", str(distinct), str(total)))
    return tuple(found[:MAX_DIFFERENCES])


def rebuild(
    conn: Connection, folded: Folded | None = None, *, progress: Callable[[int], None] | None = None
) -> tuple[Difference, ...]:
    """Make the ladders, the counts of lines and careers what the log says; returns what was changed.

    The log itself is never changed: of a rating kept with a match that differs, only `check` tells. Wants a
    connection of `Database.begin`. While it works nobody else can write, which takes 20 us a match: beside a
    running venue hand in what `fold` of a `Database.connect` returned, and only the newest matches are left, unless
    lines or careers differ.
    Venues notice the change with their next match.
    """
    done = fold(conn, folded if folded is not None else fold(conn, progress=progress))
    changed = list(_ladder_differences(conn, done.fold))
    if changed:
        conn.execute(delete(game_ratings))
        rows = [_rating_row(key, standing) for key, standing in done.fold.records.items()]
        if rows:
            conn.execute(insert(game_ratings), rows)
    if done.lines:
        repeats.start_over(conn)
        repeats.fold(conn)
    if done.careers:
        careers_fold.start_over(conn)
        careers_fold.fold(conn)
    conn.execute(update(ratings_epoch).values(epoch=ratings_epoch.c.epoch + 1))
    return (*changed, *done.lines, *done.careers)


class _LoggedMatch(NamedTuple):
    """What the fold needs of a match, and what it must agree with."""

    seq: int
    id: str
    game: str
    account_0: int | None
    account_1: int | None
    winner: int
    rated: bool
    why: str | None
    rating_before_0: float | None
    rating_before_1: float | None
    rating_after_0: float | None
    rating_after_1: float | None


_LOG: Final = (
    select(*(game_matches.c[name] for name in _LoggedMatch._fields))
    .where(game_matches.c.seq > bindparam("after"))
    .order_by(game_matches.c.seq)
)


def _apply(fold: Fold[Standing], match: _LoggedMatch) -> tuple[float | None, ...]:
    """Take a match in; returns the ratings that it should have been stored with, in the order of its fields."""
    game, one, other = match.game, match.account_0, match.account_1
    if match.rated and one is not None and other is not None and one != other:
        before = fold.of(game, one).rating, fold.of(game, other).rating
        after = fold.apply(game, one, other, match.winner)
        return (*before, after[0].rating, after[1].rating)
    same = (
        None if one is None else fold.of(game, one).rating,
        None if other is None else fold.of(game, other).rating,
    )
    return (*same, *same)


def _match_differences(match: _LoggedMatch, ratings: tuple[float | None, ...]) -> Iterator[Difference]:
    where = f"match {match.id}"
    if match.rated != (match.why is None):
        yield Difference(where, "why it is unrated", _shown(match.why), "given if and only if it is unrated")
    for what, stored, computed in zip(match._fields[-4:], match[-4:], ratings, strict=True):
        # Two floats that are equal, and neither 0 nor NaN, are equal bit for bit.
        if stored != computed:
            yield Difference(where, what, _shown(stored), _shown(computed))


def _ladder_differences(conn: Connection, fold: Fold[Standing]) -> Iterator[Difference]:
    computed = dict(fold.records)
    for row in conn.execute(select(game_ratings).order_by(game_ratings.c.game, game_ratings.c.account_id)):
        where = f"account {row.account_id} at {row.game}"
        standing = computed.pop((row.game, row.account_id), None)
        if standing is None:
            yield Difference(where, "standing", _shown(row.rating), None)
            continue
        for what, value in msgspec.structs.asdict(standing).items():
            stored = getattr(row, what)
            if stored != value:
                yield Difference(where, what, _shown(stored), _shown(value))
    for (game, account), standing in sorted(computed.items()):
        yield Difference(f"account {account} at {game}", "standing", None, _shown(standing.rating))


def _rating_row(key: tuple[str, int], standing: Standing) -> dict[str, Any]:
    game, account = key
    return {"account_id": account, "game": game, **msgspec.structs.asdict(standing)}


def _shown(value: object) -> str | None:
    return None if value is None else str(value)
