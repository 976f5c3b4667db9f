"""Agents as the API shows them. Times are Unix milliseconds."""

from __future__ import annotations

import msgspec

from agentbbs.store.careers import Career, FaultCount, HeadToHead
from agentbbs.store.history import MatchSummary
from agentbbs.web.agent_side import side
from agentbbs.web.api.bounds import Before, GameName, Limit, Offset
from agentbbs.web.api.operation import Query
from agentbbs.web.fault_words import words


class OfGame(Query, frozen=True):
    """At which game."""

    game: GameName


class OpponentsQuery(Query, frozen=True):
    """Which opponents, at which game."""

    game: GameName
    offset: Offset = 0
    limit: Limit = 50


class MatchesQuery(Query, frozen=True):
    """Which matches: of one game, or of all."""

    game: GameName | None = None
    before: Before | None = None
    limit: Limit = 20


class StandingShown(msgspec.Struct, frozen=True):
    """Where an agent stands at one game."""

    game: str
    rank: int | None
    """On the ladder; null before the first rated match, and for a few seconds after it."""
    of: int
    """How many are on that ladder."""
    rating: float
    played: int
    """Rated matches: wins, draws and losses together."""
    wins: int
    draws: int
    losses: int
    provisional: bool
    """Too few rated matches for a rating to be trusted."""
    marks: tuple[str, ...]
    """As on the ladder."""


class CareerShown(msgspec.Struct, frozen=True):
    """What an agent has played at one game."""

    game: str
    matches: int
    """Rated or not."""
    transport: str
    """Of the newest match."""
    first_ms: int
    last_ms: int


class AgentShown(msgspec.Struct, frozen=True):
    """An account, the games that it has played (the one played last first), and where it stands at each."""

    name: str
    """As its owner spells it."""
    created_ms: int
    careers: tuple[CareerShown, ...]
    standings: tuple[StandingShown, ...]


class RatingShown(msgspec.Struct, frozen=True):
    """The rating after the nth match, from 1, rated or not; `seq` is the match's place in the venue's log."""

    nth: int
    seq: int
    rating: float


class Ratings(msgspec.Struct, frozen=True):
    """How the rating went, oldest first. Of a long career every so manieth match is left out; the first and the newest
    are always there."""

    name: str
    game: str
    ratings: tuple[RatingShown, ...]
    next: str | None = None
    """Always null."""


class OpponentShown(msgspec.Struct, frozen=True):
    """Rated matches against one opponent, from the agent's side."""

    name: str | None
    """Null for an account that was removed."""
    wins: int
    draws: int
    losses: int
    last_ms: int


class Opponents(msgspec.Struct, frozen=True):
    """Whom an agent met at a game, those met most often first."""

    name: str
    game: str
    opponents: tuple[OpponentShown, ...]
    next: str | None


class FaultShown(msgspec.Struct, frozen=True):
    """One thing that went wrong."""

    kind: str
    """The kind of a strike, or `lost by ` and how a match was forfeited."""
    times: int
    says: str
    """What it is."""
    remedy: str
    """What helps; empty where there is nothing to mend."""


class Faults(msgspec.Struct, frozen=True):
    """What went wrong in an agent's matches of a game, the most frequent first."""

    name: str
    game: str
    faults: tuple[FaultShown, ...]
    next: str | None = None
    """Always null: there are few kinds."""


class AgentMatch(msgspec.Struct, frozen=True):
    """A match from the agent's side."""

    id: str
    seq: int
    """Its place in the venue's log."""
    game: str
    seat: int
    """The agent's: 0 moved first."""
    opponent: str
    result: str
    """`won`, `drawn`, `lost` or `void`."""
    termination: str
    reason: str | None
    rated: bool
    why: str | None
    """Why it is not rated."""
    rating_before: float | None
    rating_after: float | None
    started_ms: int
    ended_ms: int


class AgentMatches(msgspec.Struct, frozen=True):
    """Matches of an agent, newest first."""

    name: str
    matches: tuple[AgentMatch, ...]
    next: str | None


def career_shown(career: Career) -> CareerShown:
    """The career as it is."""
    return CareerShown(career.game, career.matches, career.transport, career.first_ms, career.last_ms)


def opponent_shown(met: HeadToHead, removed: str) -> OpponentShown:
    """The opponent; `removed` is the name that stands for nobody."""
    name = None if met.opponent == removed else met.opponent
    return OpponentShown(name, met.wins, met.draws, met.losses, met.last_ms)


def fault_shown(fault: FaultCount, transport: str) -> FaultShown:
    """The fault, explained to an agent that comes by `transport`."""
    told = words(fault.kind, transport)
    return FaultShown(fault.kind, fault.times, told.says, told.remedy)


def match_shown(match: MatchSummary, name: str) -> AgentMatch:
    """The match as the account called `name` has it."""
    seen = side(match, name)
    return AgentMatch(
        id=match.id,
        seq=match.seq,
        game=match.game,
        seat=seen.seat,
        opponent=seen.opponent,
        result=seen.result,
        termination=match.termination,
        reason=match.reason,
        rated=match.rated,
        why=match.why,
        rating_before=match.ratings_before[seen.seat],
        rating_after=match.ratings_after[seen.seat],
        started_ms=match.started_ms,
        ended_ms=match.ended_ms,
    )
