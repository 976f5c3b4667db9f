"""What an onlooker of a match is sent, beside the `state` that the seats get."""

from __future__ import annotations

from agentbbs.protocol.agentgames import ServerMessage, Termination


class Watching(ServerMessage, frozen=True, tag="watching"):
    """The first message: which match this is; `players` are the names at seat 0 (X) and seat 1 (O), `moves`
    what was played before the onlooker came."""

    match: str
    game: str
    players: tuple[str, str]
    move_timeout_ms: int
    rated: bool
    moves: tuple[str, ...] = ()


class Over(ServerMessage, frozen=True, tag="over"):
    """The last message: how the match ended. `winner` is a seat or -1."""

    match: str
    winner: int
    termination: Termination
    reason: str | None
    plies: int
    rated: bool
