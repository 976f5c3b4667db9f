"""Whether careers are what the log says, for `agentbbs ratings rebuild`.

The log is read once in its order and the chains beside it, so that memory grows with the accounts and not with the
matches; then the rest is held against the chains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, TextClause, text

from agentbbs.store import match_faults
from agentbbs.store.schema import LEAP, SPAN

_ROWS_AT_ONCE: Final = 1000


class Deviation(NamedTuple):
    """Something counted that is not what the log says; None where there is nothing."""

    where: str
    what: str
    stored: object
    computed: object


def differing(conn: Connection, most: int) -> list[Deviation]:
    """What is not what the log says, at most `most`; of the matches that are counted already."""
    return list(islice(_deviations(conn), most))


def _deviations(conn: Connection) -> Iterator[Deviation]:
    heads: dict[_Key, _Head] = {}
    chained = (((seat.id,), _linked(seat, heads)) for seat in _logged_seats(conn))
    yield from _differences("seat", chained, _rows(conn, _STORED_SEATS, 1))
    yield from _differences("career", _careers(conn, heads), _rows(conn, _STORED_CAREERS, 2))
    yield from _differences("pair", _rows(conn, _COMPUTED_PAIRS, 3), _rows(conn, _STORED_PAIRS, 3))
    yield from _differences("fault", _faults(conn), _rows(conn, _STORED_FAULTS, 3))


_Key = tuple[int, str]
_Row = tuple[tuple[Any, ...], tuple[Any, ...]]
"""A key and what belongs to it."""


def _differences(what: str, computed: Iterable[_Row], stored: Iterable[_Row]) -> Iterator[Deviation]:
    """What differs between two sequences in the order of their keys. Reads both to their ends."""
    both = merge(
        ((key, "computed", values) for key, values in computed),
        ((key, "stored", values) for key, values in stored),
        key=itemgetter(0),
    )
    for key, sides in groupby(both, itemgetter(0)):
        found = {side: values for _, side, values in sides}
        if found.get("computed") != found.get("stored"):
            where = " ".join([what, *map(str, key)])
            yield Deviation(where, "row", found.get("stored"), found.get("computed"))


class _Head(NamedTuple):
    """An account at a game so far: the ids of its newest match, of the newest whose number is a multiple of `LEAP` and
    of `SPAN`, and of its first."""

    matches: int
    newest: int
    newest_16: int | None
    newest_256: int | None
    first: int


class _LoggedSeat(NamedTuple):
    id: int
    account_id: int
    game: str
    rating: float | None
    opponent_id: int | None
    outcome: int | None


def _linked(seat: _LoggedSeat, heads: dict[_Key, _Head]) -> tuple[Any, ...]:
    """What `game_seats` has of the next seat of the log; moves its head on."""
    key = seat.account_id, seat.game
    head = heads.get(key) or _Head(0, 0, None, None, seat.id)
    nth = head.matches + 1
    leaps, spans = nth % LEAP == 0, nth % SPAN == 0
    heads[key] = _Head(
        nth, seat.id, seat.id if leaps else head.newest_16, seat.id if spans else head.newest_256, head.first
    )
    before = head.newest or None, head.newest_16 if leaps else None, head.newest_256 if spans else None
    return (seat.account_id, seat.game, nth, *before, seat.rating, seat.opponent_id, seat.outcome)


def _logged_seats(conn: Connection) -> Iterator[_LoggedSeat]:
    """Every seat of an account, in the order of the log."""
    for seq, game, one, other, first_rating, second_rating, winner, rated in _fetch(conn, _LOG):
        first = None if not rated else 0 if winner < 0 else 1 if winner == 0 else -1
        second = None if first is None else -first
        if one is not None:
            yield _LoggedSeat(2 * seq, one, game, first_rating, other if rated else None, first)
        if other is not None and other != one:
            yield _LoggedSeat(2 * seq + 1, other, game, second_rating, one if rated else None, second)


def _careers(conn: Connection, heads: dict[_Key, _Head]) -> Iterator[_Row]:
    for key, head in sorted(heads.items()):
        first_ms: int = conn.execute(_END, {"seq": head.first // 2}).scalar_one()
        *transports, last_ms = conn.execute(_NEWEST, {"seq": head.newest // 2}).one()
        yield key, (head.matches, head.newest, head.newest_16, transports[head.newest % 2], first_ms, last_ms)


def _faults(conn: Connection) -> Iterator[_Row]:
    counts: Counter[tuple[int, str, str]] = Counter()
    for match in match_faults.between(conn, 0, conn.execute(_UPTO).scalar_one()):
        counts.update((account, match.game, kind) for account, kind in match_faults.faults(match))
    for key, times in sorted(counts.items()):
        yield key, (times,)


def _rows(conn: Connection, query: TextClause, key_columns: int) -> Iterator[_Row]:
    for row in _fetch(conn, query):
        yield tuple(row[:key_columns]), tuple(row[key_columns:])


def _fetch(conn: Connection, query: TextClause) -> Iterable[Any]:
    """A row at a time, fetched a thousand at a time."""
    return conn.execute(query, execution_options={"yield_per": _ROWS_AT_ONCE})


_UPTO: Final = text("SELECT seq FROM game_careers_upto")

_LOG: Final = text("""
    SELECT seq, game, account_0, account_1, rating_after_0, rating_after_1, winner, rated FROM game_matches
    WHERE seq <= (SELECT seq FROM game_careers_upto) ORDER BY seq
""")

_END: Final = text("SELECT ended_ms FROM game_matches WHERE seq = :seq")

_NEWEST: Final = text("SELECT transport_0, transport_1, ended_ms FROM game_matches WHERE seq = :seq")

_STORED_SEATS: Final = text("""
    SELECT id, account_id, game, nth, before, before_16, before_256, rating, opponent_id, outcome FROM game_seats
    ORDER BY id
""")

_STORED_CAREERS: Final = text("""
    SELECT account_id, game, matches, newest, newest_16, transport, first_ms, last_ms FROM game_careers
    ORDER BY account_id, game
""")

_STORED_PAIRS: Final = text("""
    SELECT account_id, game, opponent_id, wins, draws, losses, newest FROM game_pairs
    ORDER BY account_id, game, opponent_id
""")

_COMPUTED_PAIRS: Final = text("""
    SELECT s.account_id, s.game, s.opponent_id, sum(CASE s.outcome WHEN 1 THEN 1 ELSE 0 END),
        sum(CASE s.outcome WHEN 0 THEN 1 ELSE 0 END), sum(CASE s.outcome WHEN -1 THEN 1 ELSE 0 END), max(s.id)
    FROM game_seats AS s JOIN game_careers AS k ON k.account_id = s.account_id AND k.game = s.game
    WHERE s.opponent_id IS NOT NULL AND s.nth <= k.matches - k.matches % :span
    GROUP BY s.account_id, s.game, s.opponent_id ORDER BY s.account_id, s.game, s.opponent_id
""").bindparams(span=SPAN)

_STORED_FAULTS: Final = text("""
    SELECT account_id, game, kind, times FROM game_faults ORDER BY account_id, game, kind
""")
