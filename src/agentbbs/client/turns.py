"""What an agent sees of a match: values."""

from __future__ import annotations

from typing import Any

import msgspec


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
