"""Observations written by hand: a screen as a person would sketch it, and the cursor where `|` stands."""

from __future__ import annotations

from typing import Any

from tty_agent.observation.observation import Observation, Readiness, ReadyReason

ROWS = 24
COLUMNS = 80


def turn(sketch: str, new_text: str = "", *, rows: int = ROWS, **fields: Any) -> Observation:
    """An observation of `sketch`, whose one `|` marks the cursor (else it is at the end of the last line). Rows that
    are missing are blank; `fields` go over what is made up here."""
    lines = sketch.split("\n")
    row = next((n for n, line in enumerate(lines) if "|" in line), len(lines) - 1)
    column = lines[row].index("|") if "|" in lines[row] else len(lines[row])
    lines[row] = lines[row].replace("|", "", 1)
    shown = [line.rstrip() for line in lines] + [""] * (rows - len(lines))
    reason = fields.get("ready_reason", ReadyReason.STABLE)
    made: dict[str, Any] = {
        "agent_id": "agent-001",
        "pretty_screen": "\n".join(shown),
        "model_text": "\n".join(shown).rstrip(),
        "new_text": new_text,
        "cursor": (row, column),
        "columns": COLUMNS,
        "rows": rows,
        "stable_ms": 350,
        "byte_quiet_ms": 350,
        "matched_prompt": None,
        "ready_reason": reason,
        "transcript_path": None,
        "transcript_byte_start": 0,
        "transcript_byte_end": len(new_text),
        "bytes_read": len(new_text),
        "timestamp": "2025-01-01T00:00:00.000Z",
        "readiness": Readiness(
            reason=reason,
            policy="fixed",
            waited_ms=400,
            stable_ms=350,
            byte_quiet_ms=350,
            threshold_ms=350,
            bytes_read=len(new_text),
        ),
    }
    return Observation(**(made | fields))
