"""What a match writes down as it happens: `match.jsonl`, a line an event. Each agent's trace has the details."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class MatchEvent(StrEnum):
    """The events of a match. `docs/runs.md` lists what each carries."""

    MATCH_STARTED = "match_started"
    MATCH_RESUMED = "match_resumed"
    """By a later process, after the one before was killed; with the wall seconds used so far."""
    PARTICIPANT_READY = "participant_ready"
    """Connected and logged in: requested, allocated and observed node."""
    NODE_MISMATCH = "node_mismatch"
    ROUND_STARTED = "round_started"
    """With the order. Never in `continuous`."""
    DECISION_COMPLETED = "decision_completed"
    COMMIT_ORDER = "commit_order"
    """In `continuous` with `tick` (actions committed so far) and `queued_tick` (of the request that made it)."""
    ACTION_COMMITTED = "action_committed"
    ROUND_COMPLETED = "round_completed"
    """Never in `continuous`."""
    DISCONNECTED = "disconnected"
    RECONNECT_ATTEMPTED = "reconnect_attempted"
    RECONNECTED = "reconnected"
    MODEL_SWAPPED = "model_swapped"
    PARTICIPANT_STOPPED = "participant_stopped"
    MATCH_COMPLETED = "match_completed"


class StopReason(StrEnum):
    """Why a participant is over."""

    DONE = "done"
    FAILED = "failed"
    DECISION_TICKS = "decision_ticks"
    WALL_SECONDS = "wall_seconds"
    VALIDATION_FAILURES = "validation_failures"
    TOKENS = "tokens"
    COST_USD = "cost_usd"
    ROUNDS = "rounds"
    HANGUP = "hangup"
    CLOSED = "closed"
    DISCONNECTED = "disconnected"
    """The line was lost and could not be had back."""
    INFRA = "infra"
    """Nobody's play: the participant's run is void."""
    INTERRUPTED = "interrupted"


class EventLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `match.jsonl`."""

    event: MatchEvent
    timestamp: str
    seq: int
    """From 1, without gaps."""
    round: int | None = None
    tick: int | None = None
    agent_id: str | None = None
    data: dict[str, Any] = {}
