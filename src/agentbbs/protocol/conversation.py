"""What may follow what on one connection, as data.

`CLIENT_RULES` answers every (stage, client message) pair; the session that serves a connection looks its
answers up here, and the protocol page, the schema and the fuzzer are made from the same rows.
`VENUE_RULES` says which message of the venue can come in which stage and the stage it leads to.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from agentbbs.protocol.agentgames import (
    ClientMessage,
    Error,
    Hello,
    Join,
    Move,
    Ping,
    Pong,
    Queued,
    Resign,
    Result,
    ServerMessage,
    State,
)
from agentbbs.protocol.errors import Code


class Stage(StrEnum):
    """Where a connection stands in its conversation."""

    IDLE = "idle"
    """Nothing asked for yet. Closed after `IDLE_TIMEOUT_S`."""
    QUEUED = "queued"
    """Waits for an opponent, for at most the queue's time."""
    PLAYING = "playing"
    """In a match."""
    SETTLING = "settling"
    """The final `state` was sent; the match is being stored."""
    DONE = "done"
    """After a `result` or `no_opponent`: may join again. Closed after `IDLE_TIMEOUT_S`."""


class Rule(msgspec.Struct, frozen=True):
    """What a client's message meets in a stage: taken if `refusal` is None, else refused with that code
    and `why`, the sentence of the error's `message`."""

    refusal: Code | None = None
    why: str = ""


TAKEN: Final = Rule()
_JOINED: Final = Rule(Code.BAD_MESSAGE, "already joined: one connection plays one match at a time")
_NOT_JOINED: Final = Rule(Code.BAD_MESSAGE, 'no match yet: send {"type":"join","game":"ttt"} first')
_UNPAIRED: Final = Rule(Code.NOT_YOUR_TURN, "not paired yet: wait for `hello` and a `state` with yourTurn true")
_NOT_PLAYING: Final = Rule(Code.BAD_MESSAGE, "no match to resign: not paired yet")
_OVER: Final = Rule(Code.GAME_OVER, "the game is over: join again for the next one")

CLIENT_RULES: Final[dict[tuple[Stage, type[ClientMessage]], Rule]] = {
    (Stage.IDLE, Join): TAKEN,
    (Stage.IDLE, Move): _NOT_JOINED,
    (Stage.IDLE, Resign): _NOT_JOINED,
    (Stage.IDLE, Ping): TAKEN,
    (Stage.QUEUED, Join): _JOINED,
    (Stage.QUEUED, Move): _UNPAIRED,
    (Stage.QUEUED, Resign): _NOT_PLAYING,
    (Stage.QUEUED, Ping): TAKEN,
    (Stage.PLAYING, Join): _JOINED,
    (Stage.PLAYING, Move): TAKEN,
    (Stage.PLAYING, Resign): TAKEN,
    (Stage.PLAYING, Ping): TAKEN,
    (Stage.SETTLING, Join): _JOINED,
    (Stage.SETTLING, Move): _OVER,
    (Stage.SETTLING, Resign): _OVER,
    (Stage.SETTLING, Ping): TAKEN,
    (Stage.DONE, Join): TAKEN,
    (Stage.DONE, Move): _OVER,
    (Stage.DONE, Resign): _OVER,
    (Stage.DONE, Ping): TAKEN,
}

VENUE_RULES: Final[dict[tuple[Stage, type[ServerMessage]], tuple[Stage, ...]]] = {
    (Stage.IDLE, Queued): (Stage.QUEUED,),
    (Stage.IDLE, Hello): (Stage.PLAYING,),
    (Stage.IDLE, Error): (Stage.IDLE,),
    (Stage.IDLE, Pong): (Stage.IDLE,),
    (Stage.QUEUED, Hello): (Stage.PLAYING,),
    (Stage.QUEUED, Error): (Stage.QUEUED, Stage.DONE),
    (Stage.QUEUED, Pong): (Stage.QUEUED,),
    (Stage.PLAYING, State): (Stage.PLAYING, Stage.SETTLING),
    (Stage.PLAYING, Error): (Stage.PLAYING,),
    (Stage.PLAYING, Pong): (Stage.PLAYING,),
    (Stage.SETTLING, Result): (Stage.DONE,),
    (Stage.SETTLING, Error): (Stage.SETTLING, Stage.DONE),
    (Stage.SETTLING, Pong): (Stage.SETTLING,),
    (Stage.DONE, Queued): (Stage.QUEUED,),
    (Stage.DONE, Hello): (Stage.PLAYING,),
    (Stage.DONE, Error): (Stage.DONE,),
    (Stage.DONE, Pong): (Stage.DONE,),
}
