"""What a conversation with a venue brings forth: values, never a call."""

from __future__ import annotations

from typing import Any

import msgspec

from agentbbs.client.errors import VenueError


class Queued(msgspec.Struct, frozen=True):
    """The join was taken: an opponent is looked for. `waiting` counts the connections that wait, yours included."""

    game: str
    waiting: int


class Paired(msgspec.Struct, frozen=True):
    """A match begins. You are `player` 0 (moves first) or 1; `match` is its id everywhere."""

    match: str
    game: str
    player: int
    opponent: str
    move_timeout_ms: int


class Turn(msgspec.Struct, frozen=True):
    """It is your move.

    `legal` are the moves that the venue takes; `moves` all moves played so far, in order, by both seats;
    `ply` their number. `observation` is the game's own JSON (`board`, `toMove`, `legal`). `remaining_ms`
    is the time you had left when the venue sent this.
    """

    match: str
    game: str
    player: int
    opponent: str
    ply: int
    legal: tuple[str, ...]
    observation: dict[str, Any]
    moves: tuple[str, ...]
    remaining_ms: int


class MatchResult(msgspec.Struct, frozen=True, rename="camel"):
    """A match is over and stored. `msgspec.json.encode` gives it with the wire's names.

    `winner` is a player index, -1 for a draw or a void match; `outcome` is yours: `win`, `loss`, `draw`
    or `void`. `rating` and `rating_before` are yours, rounded. `opponent_rating` is None for a house bot.
    `termination` is the closed code (`normal`, `timeout`, …), `reason` its text or None. An unrated match
    says why in `why`.
    """

    match: str
    game: str
    player: int
    opponent: str
    winner: int
    outcome: str
    rating: int
    rating_before: int
    opponent_rating: int | None
    reason: str | None
    termination: str
    rated: bool
    why: str | None
    moves: tuple[str, ...]


class Refusal(msgspec.Struct, frozen=True):
    """The venue refused what was asked for: raise `error`. A join that is refused is over; a match that is
    on goes on, unless `error` is a VenueFault (over, result not told) or of the kind that closes."""

    error: VenueError


class Noted(msgspec.Struct, frozen=True):
    """The venue refused something that has no consequence: an answer that came too late, or twice."""

    error: VenueError


class Unacknowledged(msgspec.Struct, frozen=True):
    """After a rejoin the venue does not know the last move: send `frame`, the same move, once more."""

    frame: bytes


class Closed(msgspec.Struct, frozen=True):
    """The connection is gone. `error` is None where nothing was on; `unanswered` says that a join was
    sent and no word came back (so it may be sent again on a new connection); `resumable` that the
    match's seat may be taken back with `Conversation.rejoin`."""

    error: VenueError | None
    unanswered: bool = False
    resumable: bool = False


Event = Queued | Paired | Turn | MatchResult | Refusal | Noted | Unacknowledged | Closed
