"""Records of an invented run, for tests of traces."""

from __future__ import annotations

from typing import Any

from tty_agent.observation.observation import Observation, Readiness, ReadyReason
from tty_agent.trace.records import DecisionRecord, EventRecord, Header

WHEN = "2026-01-31T14:05:09.123Z"


def an_observation(**changes: Any) -> Observation:
    """A quiet screen with a prompt."""
    fields: dict[str, Any] = {
        "agent_id": "agent-001",
        "pretty_screen": "Command (?=Help)?",
        "model_text": "Command (?=Help)?",
        "new_text": "Command (?=Help)?",
        "cursor": (0, 18),
        "columns": 80,
        "rows": 24,
        "stable_ms": 350,
        "byte_quiet_ms": 350,
        "matched_prompt": "tw2-command",
        "ready_reason": ReadyReason.STABLE,
        "transcript_path": "run.raw",
        "transcript_byte_start": 12000,
        "transcript_byte_end": 12750,
        "bytes_read": 750,
        "timestamp": WHEN,
        "readiness": Readiness(
            reason=ReadyReason.STABLE,
            policy="fixed",
            waited_ms=400,
            stable_ms=350,
            byte_quiet_ms=350,
            threshold_ms=350,
            bytes_read=750,
        ),
    }
    return Observation(**(fields | changes))


def a_header(**changes: Any) -> Header:
    """The first line."""
    fields: dict[str, Any] = {
        "run_id": "run-1",
        "agent_id": "agent-001",
        "timestamp": WHEN,
        "model": "script",
        "provider": "scripted",
        "profile": "shell",
    }
    return Header(**(fields | changes))


def a_decision(step: int, **changes: Any) -> DecisionRecord:
    """A decision that pressed P."""
    fields: dict[str, Any] = {
        "match_id": "match-1",
        "agent_id": "agent-001",
        "node": 1,
        "step": step,
        "raw_bytes_path": "run.raw",
        "transcript_byte_start": 12000,
        "transcript_byte_end": 12750,
        "pretty_screen": "Command (?=Help)?",
        "model_text": "Command (?=Help)?",
        "matched_prompt": "tw2-command",
        "ready_reason": "stable",
        "prompt": "What now?",
        "action": {"action": "press_key", "arguments": {"key": "P"}},
        "timestamp": WHEN,
        "active_profile": "shell",
        "observation": an_observation(pretty_screen="", model_text=""),
    }
    return DecisionRecord(**(fields | changes))


def an_event(event: str = "run_finished", step: int = 0, **data: Any) -> EventRecord:
    """An event."""
    return EventRecord(event=event, timestamp=WHEN, step=step, data=data)
