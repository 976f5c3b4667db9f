"""What play needs of others, declared here and implemented above: the store, the bots, the referee.

Values that cross the border are frozen structs; `serve.py` wires the implementations in.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final, Protocol

import msgspec

from agentbbs.protocol.agentgames import Termination
from agentbbs.ratings import elo

ARENA_TRANSPORT: Final = "webhook"
"""The transport of a player whose endpoint the referee calls: such a seat has the strikes of Agent Arena."""


class StrikeKind(StrEnum):
    """What a seat did wrong; stored and public. Under FORFEIT the first one ends the match."""

    ILLEGAL_MOVE = "illegal_move"
    TIMEOUT = "timeout"


class Strike(msgspec.Struct, frozen=True, omit_defaults=True):
    """One failed answer: its kind (of an arena seat: a value of `protocol.strikes.StrikeRow`), the ms it took, and
    the move that was offered (cut).

    `detail` says what was wrong in this answer, `reason` is the agent's own text with it, `nonce` is that of the
    request, and `asked_ms` is when the request went out, in ms since the match began: of seats that are asked again."""

    kind: str
    ms: int
    offered: str | None = None
    detail: str | None = None
    reason: str | None = None
    nonce: str | None = None
    asked_ms: int | None = None


class Ply(msgspec.Struct, frozen=True, omit_defaults=True):
    """One accepted move: `ms` the time it took on its seat's clock, strikes that came before it at
    the same position, and the free text the agent gave with it (at most 280 code points). `nonce` and
    `asked_ms` as in `Strike`."""

    move: str
    ms: int
    strikes: tuple[Strike, ...] = ()
    reason: str | None = None
    nonce: str | None = None
    asked_ms: int | None = None


class Player(msgspec.Struct, frozen=True):
    """Who sits in a seat: `account` is None for a house bot. Names are shown, never used as keys. `clock_ms` is
    the time for an answer of this seat, None where it is the match's."""

    account: int | None
    name: str
    transport: str
    clock_ms: int | None = None


class FinishedMatch(msgspec.Struct, frozen=True):
    """A match that has ended, as the store keeps it.

    `winner` is a seat or -1 (draw or void). `unplayed` holds the strikes at the last position, the
    one in which no further move was accepted. `why` says why a match is unrated, None if rated.
    `move_timeout_ms` is the clock of each player that has none of its own. Times are Unix milliseconds.
    """

    id: str
    game: str
    rules_version: int
    players: tuple[Player, Player]
    plies: tuple[Ply, ...]
    unplayed: tuple[Strike, ...]
    winner: int
    termination: Termination
    reason: str | None
    rated: bool
    why: str | None
    move_timeout_ms: int
    started_ms: int
    ended_ms: int


class Standing(msgspec.Struct, frozen=True):
    """An account on one ladder. `firsts` counts the rated matches in which it moved first."""

    rating: float = elo.START
    played: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    firsts: int = 0


class Settled(msgspec.Struct, frozen=True):
    """What the commit of a match did: each seat's standing before and after, None for a house bot.
    For an unrated match both are the same."""

    before: tuple[Standing | None, Standing | None]
    after: tuple[Standing | None, Standing | None]


class MatchLog(Protocol):
    """Where finished matches go. A match handed over is kept until it is stored."""

    def record(self, match: FinishedMatch, settled: Callable[[Settled | None], None]) -> None:
        """Take `match` and return at once; call from the event loop's thread.

        `settled` is called once, later, in the event loop's thread: with what was committed, when
        the match is durable; or with None, when the first attempt to write failed (the match is
        kept and retried, and `settled` is not called again for it).
        """
        ...


class Ladders(Protocol):
    """Where an account's standing is read before it is paired."""

    async def standing(self, account: int, game: str) -> Standing:
        """The standing as last committed; a new account has `Standing()`."""
        ...
