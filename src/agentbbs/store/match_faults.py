"""What went wrong in stored matches, seat by seat: each strike by its kind, and a match that was lost by a forfeit.

It is read from the log alone, so that it comes out the same for good, whatever games are installed: the seats are taken
to alternate, as they do in our games, and the strikes that ended a match are the loser's. Only rows that may have a
fault leave the database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Connection, or_, select

from agentbbs.protocol.agentgames import Termination
from agentbbs.store.schema import game_matches

LOST_BY: Final = "lost by "
"""Before a `Termination` among the faults."""

_ROWS_AT_ONCE: Final = 500
"""Below every database's limit of parameters."""

_NOT_FORFEITS: Final = frozenset({Termination.NORMAL, Termination.SERVER})
_BY_STRIKES: Final = frozenset({Termination.ILLEGAL_MOVE, Termination.TIMEOUT, Termination.STRIKES})


class FaultyMatch(NamedTuple):
    """What is needed of a match."""

    game: str
    account_0: int | None
    account_1: int | None
    plies: str
    unplayed: str
    winner: int
    termination: str


def between(conn: Connection, after: int, last: int) -> Iterator[FaultyMatch]:
    """The matches that may have a fault, of those later in the log than `after`, up to `last`."""
    seq = game_matches.c.seq
    return map(FaultyMatch._make, conn.execute(_FAULTY.where(seq > after, seq <= last)))


def among(conn: Connection, seqs: Sequence[int]) -> Iterator[FaultyMatch]:
    """Those of the matches at these places in the log."""
    for start in range(0, len(seqs), _ROWS_AT_ONCE):
        wanted = game_matches.c.seq.in_(seqs[start : start + _ROWS_AT_ONCE])
        yield from map(FaultyMatch._make, conn.execute(_FAULTY.where(wanted)))


def faults(match: FaultyMatch) -> Iterator[tuple[int, str]]:
    """The account and the kind of each fault; those of house bots are left out."""
    accounts = match.account_0, match.account_1
    for seat, kind in _by_seat(match):
        account = accounts[seat]
        if account is not None:
            yield account, kind


def _by_seat(match: FaultyMatch) -> Iterator[tuple[int, str]]:
    plies = _plies.decode(match.plies)
    for number, ply in enumerate(plies):
        for strike in ply.strikes:
            yield number % 2, strike.kind
    loser = None if match.winner < 0 else 1 - match.winner
    last = len(plies) % 2
    if loser is not None and match.termination in _BY_STRIKES:
        last = loser
    for strike in _strikes.decode(match.unplayed):
        yield last, strike.kind
    if loser is not None and match.termination not in _NOT_FORFEITS:
        yield loser, LOST_BY + match.termination


_FAULTY: Final = select(*(game_matches.c[name] for name in FaultyMatch._fields)).where(
    or_(
        game_matches.c.unplayed != "[]",
        game_matches.c.termination.not_in(sorted(_NOT_FORFEITS)),
        # A quote in what somebody said is escaped, and can't look like a key.
        game_matches.c.plies.like('%"strikes":[{%'),
    )
)


class _Strike(msgspec.Struct):
    kind: str


class _Ply(msgspec.Struct):
    strikes: tuple[_Strike, ...] = ()


_plies = msgspec.json.Decoder(tuple[_Ply, ...])
_strikes = msgspec.json.Decoder(tuple[_Strike, ...])
