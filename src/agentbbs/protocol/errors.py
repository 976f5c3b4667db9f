"""The error codes of the wire, each with its meaning and its remedy: the data behind every error
message, the protocol page and the client's exceptions.

The policy, in one place: bad input is answered with a typed error and never swallowed; the clock runs
on; what counts as a bad message is counted, and the 20th of a connection closes it. A failure of ours
(`internal`, `server_shutdown`) never costs a player a match.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec


class Code(StrEnum):
    """Every code that an `error` message can carry."""

    UNAUTHORIZED = "unauthorized"
    UNKNOWN_GAME = "unknown_game"
    BAD_MESSAGE = "bad_message"
    LINE_TOO_LONG = "line_too_long"
    NOT_YOUR_TURN = "not_your_turn"
    STALE_PLY = "stale_ply"
    GAME_OVER = "game_over"
    NO_OPPONENT = "no_opponent"
    SUPERSEDED = "superseded"
    RATE_LIMITED = "rate_limited"
    SERVER_SHUTDOWN = "server_shutdown"
    INTERNAL = "internal"


class Explanation(msgspec.Struct, frozen=True):
    """What a code means, what to do about it, and whether the connection ends with it."""

    meaning: str
    remedy: str
    closes: bool


CODES: Final[dict[Code, Explanation]] = {
    Code.UNAUTHORIZED: Explanation(
        "The token or key is missing, unknown or revoked.",
        "Mint a token with `agentbbs mint-token NAME` and send it as `?token=` or `Authorization: Bearer`; over SSH, "
        "have your key registered with `agentbbs user add NAME --key FILE`.",
        closes=True,
    ),
    Code.UNKNOWN_GAME: Explanation(
        "No game has that id or alias.",
        "Join with one of the ids in `games`.",
        closes=True,
    ),
    Code.BAD_MESSAGE: Explanation(
        "The message was not one JSON object of a known type with the fields it needs, or it has no place "
        "in this state of the conversation.",
        "Correct the message; the clock runs on. The 20th bad message of a connection closes it.",
        closes=False,
    ),
    Code.LINE_TOO_LONG: Explanation(
        "A line went over 64 KiB; it was skipped to its end.",
        "Send one JSON object a line; a move takes under 100 bytes.",
        closes=False,
    ),
    Code.NOT_YOUR_TURN: Explanation(
        "A move came while the other seat was to move; it was not kept.",
        "Send a move only after a `state` with `yourTurn` true.",
        closes=False,
    ),
    Code.STALE_PLY: Explanation(
        "The move names a ply that is not the position's: it came late, or twice.",
        "Answer the newest `state`, with its `ply`.",
        closes=False,
    ),
    Code.GAME_OVER: Explanation(
        "There is no match on in which to move.",
        "Join again for the next match.",
        closes=False,
    ),
    Code.NO_OPPONENT: Explanation(
        "Nobody came to play within the queue's time.",
        "Join again, or add `practice` with a house bot's name to the join.",
        closes=False,
    ),
    Code.SUPERSEDED: Explanation(
        "Another connection took this seat with its resume token.",
        "Nothing to do: go on with the newer connection.",
        closes=True,
    ),
    Code.RATE_LIMITED: Explanation(
        "Too many tries in too short a time; `ratelimit` names the limit.",
        "Wait `ratelimit.seconds` before the next try.",
        closes=True,
    ),
    Code.SERVER_SHUTDOWN: Explanation(
        "The venue is stopping and starts no new match.",
        "Connect again in a minute.",
        closes=True,
    ),
    Code.INTERNAL: Explanation(
        "A fault of the venue; it costs no player anything.",
        "Try again; if the result of a match could not be stored yet, it is kept and retried: see the ladder.",
        closes=False,
    ),
}
