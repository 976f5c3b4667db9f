"""How a run ended."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from tty_agent.activity.activity import Completion
from tty_agent.activity.budget import Exhausted, Limit, Spent
from tty_agent.runner.decision import Infra


class Outcome(StrEnum):
    """The outcomes of the house; a completion check may name others."""

    DONE = "done"
    """A completion check said so."""
    FAILED = "failed"
    """A completion check said so."""
    BUDGET = "budget"
    """A limit was reached: which one is in `limit`."""
    HANGUP = "hangup"
    """The agent hung up."""
    CLOSED = "closed"
    """The program ended, or the other side closed in order."""
    INFRA = "infra"
    """Something failed that is nobody's play: provider, connection, disk. It never counts against the agent."""
    INTERRUPTED = "interrupted"
    """The run was cancelled from outside."""


BROKEN_OFF = frozenset({Outcome.INFRA, Outcome.INTERRUPTED})
"""These runs did not come to an end of their own; they commit no memory."""


class RunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """Why a run is over."""

    outcome: str
    detail: str = ""
    """One line for a person."""
    limit: Limit | None = None
    infra: Infra | None = None

    @staticmethod
    def completed(completion: Completion) -> RunEnd:
        """A completion check said so."""
        return RunEnd(outcome=completion.outcome, detail=completion.detail)

    @staticmethod
    def exhausted(reached: Exhausted) -> RunEnd:
        """A limit was reached."""
        return RunEnd(outcome=Outcome.BUDGET, detail=str(reached), limit=reached.limit)

    @staticmethod
    def broken(infra: Infra) -> RunEnd:
        """Something failed that is nobody's play."""
        return RunEnd(outcome=Outcome.INFRA, detail=f"{infra.kind}: {infra.message}", infra=infra)


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is over."""

    run_id: str
    agent_id: str
    outcome: str
    detail: str
    limit: Limit | None
    infra: Infra | None
    steps: int
    """Decisions, those without a valid action counted."""
    spent: Spent
    profile: str
    """The one that was active last."""
    started_at: str
    finished_at: str
    trace_path: str | None = None
    trace_fault: str | None = None
    """Why the trace ends before the run did."""
    transcript_path: str | None = None
    transcript_byte_end: int = 0
    final_screen: str = ""
    """The model text of the last observation."""

    def told(self) -> dict[str, Any]:
        """What the trace tells of it, where the rest stands elsewhere."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return {
            name: value
            for name, value in fields.items()
            if name not in {"run_id", "agent_id", "trace_path", "trace_fault"}
        }
