"""AgentGames: the messages of the wire as typed values, with their limits and close codes.

One JSON object a message: a line over SSH, a text frame over WebSocket. Unknown fields of a client's
message are ignored, so that a client may be newer than the venue; fields that the seed does not have are
additions that an older client may ignore. `codec.py` turns bytes into these values and back, `errors.py`
explains each error code, `conversation.py` says what may follow what.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""One message or line. A move takes under 100 bytes; the rest is room for fields that come later."""

MAX_BAD_MESSAGES: Final = 20
"""The 20th bad message closes the connection: by then a program is at fault, not a slip."""

MAX_PLY: Final = 1_000_000
"""No game of the catalog is nearly as long; a larger `ply` is a bad message."""

IDLE_TIMEOUT_S: Final = 30.0
"""How long a connection that neither waits nor plays stays open."""


class Termination(StrEnum):
    """Why a match ended. All but NORMAL are forfeits, apart from SERVER, which voids the match."""

    NORMAL = "normal"
    ILLEGAL_MOVE = "illegal_move"
    TIMEOUT = "timeout"
    DISCONNECT = "disconnect"
    STRIKES = "strikes"
    RESIGN = "resign"
    SERVER = "server"


REASONS: Final[dict[Termination, str | None]] = {
    Termination.NORMAL: None,
    Termination.ILLEGAL_MOVE: "forfeit: illegal move",
    Termination.TIMEOUT: "forfeit: timeout",
    Termination.DISCONNECT: "forfeit: disconnect",
    Termination.STRIKES: "forfeit: strikes",
    Termination.RESIGN: "forfeit: resign",
    Termination.SERVER: "void: server error",
}
"""The text form of a termination, stored with the match and sent as `reason` of `result`."""

HUMAN: Final = "human"
"""`why` of a match against a person, which is never rated. Who was in the queue goes back to it."""

VOID_SHUTDOWN: Final = "void: server shutdown"
"""The reason of a match that was on when the venue stopped and could not be played to its end."""


class CloseCode:
    """WebSocket close codes (RFC 6455, section 7.4.1) and what each means here."""

    NORMAL: Final = 1000
    """Idle for `IDLE_TIMEOUT_S`, or the client closed."""
    GOING_AWAY: Final = 1001
    """The venue is stopping (`server_shutdown`)."""
    POLICY: Final = 1008
    """Too many bad messages, an unknown game, or a reader too slow to be served."""
    TOO_BIG: Final = 1009
    """A message over `MAX_MESSAGE_BYTES`."""
    INTERNAL: Final = 1011
    """A fault of the venue."""
    SUPERSEDED: Final = 4000
    """Another connection took this one's seat with its resume token (of the range for private use)."""


class ClientMessage(msgspec.Struct, frozen=True, tag_field="type", rename="camel", omit_defaults=True):
    """What an agent may send."""


class Join(ClientMessage, frozen=True, tag="join"):
    """Ask for a match. `game` may be left out when it was given out of band or by an earlier join.

    `practice` names a house bot: an unrated match against it, at once. `resume` is the token of a
    `hello`, and takes back the seat that a dropped connection left (where the venue allows it).

    With `humans`, a person at the venue's board may challenge you while you wait: an unrated match (its
    `result` says `"why":"human"`) with a longer clock, which `hello` tells. After that result the venue
    puts you back into the queue by itself, with the time that you had waited, and sends `queued` again: this
    join still holds. If you send the same join all the same, it changes nothing.
    """

    game: str | None = None
    practice: str | None = None
    resume: str | None = None
    humans: bool = False


class Move(ClientMessage, frozen=True, tag="move"):
    """Play `move`, one of `legal` of the last `state`. With `ply` (that state's) a move that comes
    late or twice is recognised and does no harm."""

    move: str
    ply: Annotated[int, msgspec.Meta(ge=0, le=MAX_PLY)] | None = None


class Resign(ClientMessage, frozen=True, tag="resign"):
    """Give the match up."""


class Ping(ClientMessage, frozen=True, tag="ping"):
    """Ask for a `pong`; allowed at any time."""


class ServerMessage(msgspec.Struct, frozen=True, tag_field="type", rename="camel"):
    """What the venue may send."""


class Queued(ServerMessage, frozen=True, tag="queued"):
    """You wait for an opponent in `game`; `waiting` counts the connections that do, yours included."""

    game: str
    waiting: int


class Hello(ServerMessage, frozen=True, tag="hello", omit_defaults=True):
    """You are paired. You are `player` 0 (X, moves first) or 1 (O); `match` is the match's id everywhere."""

    player: int
    game: str
    opponent: str
    match: str
    move_timeout_ms: int
    resume: str | None = None


class State(ServerMessage, frozen=True, tag="state"):
    """A position, sent to both seats after each accepted move: the acknowledgement of the move.

    `observation` is the game's (`board`, `toMove`, `legal`). `ply` counts the moves played, `lastMove`
    is the last of them, `remainingMs` the time that the seat to move has left (0 after the end).
    A `state` that comes twice for one `ply` means the same board and may be ignored, save the last one.
    """

    observation: Any
    your_turn: bool
    ply: int
    last_move: str | None
    remaining_ms: int


class Result(ServerMessage, frozen=True, tag="result", omit_defaults=True):
    """The match is over and stored. Everything is from the recipient's point of view, save `winner`,
    the player index (-1: draw or void). Ratings are rounded. `why` says why a match was not rated."""

    winner: int
    outcome: str
    rating: int
    match: str
    reason: str | None = msgspec.field()
    termination: Termination = msgspec.field()
    rated: bool = msgspec.field()
    rating_before: int = msgspec.field()
    opponent_rating: int | None = msgspec.field()
    why: str | None = None


class RateLimit(msgspec.Struct, frozen=True):
    """Which limit was hit (`key`) and the seconds until it is worth another try."""

    key: str
    seconds: int


class Error(ServerMessage, frozen=True, tag="error", omit_defaults=True):
    """Something was refused: `code` is in the table of errors, `message` says what and what to do.
    `games` comes with `unknown_game`, `ratelimit` with `rate_limited`."""

    code: str
    message: str
    games: tuple[str, ...] | None = None
    ratelimit: RateLimit | None = None


class Pong(ServerMessage, frozen=True, tag="pong"):
    """The answer to `ping`."""


CLIENT_MESSAGES: Final[tuple[type[ClientMessage], ...]] = (Join, Move, Resign, Ping)
SERVER_MESSAGES: Final[tuple[type[ServerMessage], ...]] = (Queued, Hello, State, Result, Error, Pong)
