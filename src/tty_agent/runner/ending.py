"""Whether a run is over at an observation, and how."""

from __future__ import annotations

from collections.abc import Iterable

from tty_agent.activity.activity import CompletionCheck
from tty_agent.activity.budget import Exhausted
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation, ReadyReason
from tty_agent.runner.decision import Infra
from tty_agent.runner.result import Outcome, RunEnd
from tty_agent.transports.transport import End, EndKind


def ending(
    checks: Iterable[CompletionCheck],
    observation: Observation,
    hints: ObservationHints,
    connection: End | None,
    reached: Exhausted | None,
) -> RunEnd | None:
    """The first of: what a completion check says, the end of the connection, a limit that is reached. So the last
    screen counts, also of a program that is gone. None: the run goes on."""
    for check in checks:
        completion = check.check(observation, hints)
        if completion is not None:
            return RunEnd.completed(completion)
    if observation.closed is not None or observation.ready_reason is ReadyReason.CLOSED:
        return _disconnected(observation, connection)
    return RunEnd.exhausted(reached) if reached else None


def _disconnected(observation: Observation, connection: End | None) -> RunEnd:
    """A connection that is lost is nobody's play; one that was closed in order is an end like others."""
    detail = observation.closed or (connection.detail if connection else "the connection is closed")
    if connection is not None and connection.kind is EndKind.LOST:
        return RunEnd.broken(Infra("connection", detail))
    if connection is not None and connection.kind is EndKind.HUNG_UP:
        return RunEnd(outcome=Outcome.HANGUP, detail=detail)
    return RunEnd(outcome=Outcome.CLOSED, detail=detail)
