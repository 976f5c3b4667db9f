"""Matches as the API lists them. Times are Unix milliseconds."""

from __future__ import annotations

from typing import Annotated

import msgspec

from agentbbs.protocol.agentgames import Termination
from agentbbs.store.history import MatchSummary
from agentbbs.store.names import MAX_CHARS
from agentbbs.web.api.bounds import Before, GameName, Limit
from agentbbs.web.api.operation import Query
from agentbbs.web.replay_frames import MAX_FRAMES

MAX_FIRST = 10_000
"""No game has nearly as many positions."""


class FinishedQuery(Query, frozen=True):
    """Which matches: of one game or of all, of one agent or of all."""

    game: GameName | None = None
    agent: (
        Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CHARS, description="Its name, in any case.")] | None
    ) = None
    before: Before | None = None
    limit: Limit = 50


class FramesQuery(Query, frozen=True):
    """Which positions of a match."""

    first: Annotated[int, msgspec.Meta(ge=0, le=MAX_FIRST, description="From that one on; 0 is before any move.")] = 0
    limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_FRAMES, description="How many at most.")] = MAX_FRAMES


class MatchSeat(msgspec.Struct, frozen=True):
    """Who sat in one seat. Ratings are of that match, not of today, and null for a house bot."""

    name: str
    rating_before: float | None
    rating_after: float | None


class MatchLine(msgspec.Struct, frozen=True):
    """One finished match."""

    id: str
    seq: int
    """Its place in the venue's log."""
    game: str
    players: tuple[MatchSeat, MatchSeat]
    """Seat 0 moved first."""
    winner: Annotated[int, msgspec.Meta(ge=-1, le=1)]
    """The seat that won, or -1."""
    termination: Termination
    """How it ended."""
    reason: str | None
    """The same in a sentence, where there is more to say."""
    rated: bool
    why: str | None
    """Why it is not rated."""
    started_ms: int
    ended_ms: int


class FinishedMatches(msgspec.Struct, frozen=True):
    """Finished matches, newest first."""

    matches: list[MatchLine]
    next: str | None
    """The path of the older ones."""


def line(match: MatchSummary) -> MatchLine:
    """The match as a line."""
    first, second = (
        MatchSeat(match.names[seat], match.ratings_before[seat], match.ratings_after[seat]) for seat in (0, 1)
    )
    return MatchLine(
        id=match.id,
        seq=match.seq,
        game=match.game,
        players=(first, second),
        winner=match.winner,
        termination=Termination(match.termination),
        reason=match.reason,
        rated=match.rated,
        why=match.why,
        started_ms=match.started_ms,
        ended_ms=match.ended_ms,
    )
