"""Why a participant is over, and whether that may be held against it. Pure.

A provider, a line, a disk or a BBS that fails is nobody's play: the run is void. An agent that leaves, and one that the
BBS puts off in order (it was idle for too long), has played.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec

from bbs_gym.match.events import StopReason
from tty_agent.activity.budget import Limit
from tty_agent.runner.decision import Infra
from tty_agent.runner.result import Outcome, RunEnd
from tty_agent.transports.transport import End, EndKind


class Departure(StrEnum):
    """How a line came to its end."""

    LEFT = "left"
    """The agent hung up, or the BBS closed in order upon what it did: it logged off, or quit."""
    PUT_OFF = "put_off"
    """The BBS closed in order while the agent did nothing."""
    LOST = "lost"
    """Nobody's play: the line broke, or the BBS is gone."""


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a participant."""

    reason: StopReason
    detail: str
    void: bool
    end: RunEnd
    """For its trace."""


_BY_LIMIT: Final = MappingProxyType({limit: StopReason(str(limit)) for limit in Limit})

_BY_OUTCOME: Final = MappingProxyType(
    {
        str(Outcome.DONE): StopReason.DONE,
        str(Outcome.FAILED): StopReason.FAILED,
        str(Outcome.HANGUP): StopReason.HANGUP,
        str(Outcome.CLOSED): StopReason.CLOSED,
        str(Outcome.INFRA): StopReason.INFRA,
        str(Outcome.INTERRUPTED): StopReason.INTERRUPTED,
    }
)

VOID: Final = frozenset({StopReason.INFRA, StopReason.INTERRUPTED})


def departure(end: End | None, *, acted: bool, bbs_answers: bool) -> Departure:
    """How a line ended. `acted`: the agent typed something since its last look. A BBS that answers no more has died,
    whatever its lines say: a process that is killed closes them in order."""
    if end is not None and end.kind is EndKind.HUNG_UP:
        return Departure.LEFT
    if not bbs_answers or (end is not None and end.kind is EndKind.LOST):
        return Departure.LOST
    return Departure.LEFT if acted else Departure.PUT_OFF


def stop_of(end: RunEnd) -> Stop:
    """The end of a run that is no end of its line, as that of the participant. A word of the profile's own is `done`,
    and stands in the detail."""
    if end.outcome == Outcome.BUDGET:
        reason = _BY_LIMIT[end.limit] if end.limit is not None else StopReason.WALL_SECONDS
        return Stop(reason=reason, detail=end.detail, void=False, end=end)
    reason = _BY_OUTCOME.get(end.outcome, StopReason.DONE)
    detail = end.detail if end.outcome in _BY_OUTCOME else f"{end.outcome}: {end.detail}".removesuffix(": ")
    return Stop(reason=reason, detail=detail, void=reason in VOID, end=end)


def stop_of_line(how: Departure, detail: str, *, bbs_answers: bool, hung_up: bool) -> Stop:
    """The end of a line that is not had back."""
    if how is Departure.LEFT:
        outcome = Outcome.HANGUP if hung_up else Outcome.CLOSED
        return stop_of(RunEnd(outcome=outcome, detail=detail))
    if how is Departure.PUT_OFF:
        end = RunEnd(outcome=Outcome.CLOSED, detail=detail)
        return Stop(reason=StopReason.DISCONNECTED, detail=detail, void=False, end=end)
    reason = StopReason.DISCONNECTED if bbs_answers else StopReason.INFRA
    return Stop(reason=reason, detail=detail, void=True, end=RunEnd.broken(Infra("connection", detail)))


def stop_of_match(reason: StopReason, detail: str) -> Stop:
    """A participant that was playing when the match was stopped."""
    limits = {str(limit): limit for limit in Limit}
    outcome = {StopReason.INTERRUPTED: Outcome.INTERRUPTED, StopReason.INFRA: Outcome.INFRA}.get(reason, Outcome.BUDGET)
    infra = Infra("match", detail) if outcome is Outcome.INFRA else None
    end = RunEnd(outcome=outcome, detail=detail, limit=limits.get(str(reason)), infra=infra)
    return Stop(reason=reason, detail=detail, void=reason in VOID, end=end)
