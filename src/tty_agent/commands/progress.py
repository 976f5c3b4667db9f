"""A run as people follow it: one line a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tty_agent.commands import output

if TYPE_CHECKING:
    from tty_agent.models.retries import Retry
    from tty_agent.trace.records import DecisionRecord, Record

MAX_SHOWN_CHARS = 60
"""Of an action: the line is to fit a terminal."""

_SHOWN_EVENTS = ("profile_switch", "disconnected", "cut_off", "not_sent", "uncounted")


class Progress:
    """Prints the records of a run as they come."""

    def __init__(self, max_ticks: int | None) -> None:
        self._of = f"/{max_ticks}" if max_ticks is not None else ""

    def __call__(self, record: Record) -> None:
        """One line for a decision, and for an event that people should know of."""
        from tty_agent.trace.records import DecisionRecord, EventRecord  # noqa: PLC0415 - not for the help

        if isinstance(record, DecisionRecord):
            output.note(self.line(record))
        elif isinstance(record, EventRecord) and record.event in _SHOWN_EVENTS and record.data.get("kind") != "lost":
            output.note(f"  {record.event}: {_details(record.data)}")

    @staticmethod
    def retried(retry: Retry) -> None:
        """One line for a call of the model that failed and is to be repeated."""
        output.note(f"  retry {retry.attempt} of {retry.max_attempts} in {round(retry.delay_s, 1):g} s: {retry.fault}")

    def line(self, record: DecisionRecord) -> str:
        """`step 3/50 (stable after 0.4 s, prompt tw2-command, model 1.2 s) press_key P`: what was seen, then what was
        done."""
        from tty_agent.render.recording import action_label  # noqa: PLC0415
        from tty_agent.terminal.inert import inert  # noqa: PLC0415

        if record.action is None:
            done = f"no valid action: {record.error}"
        else:
            done = action_label(record.action) + (" (repaired)" if record.repair else "")
        why = [f"{record.ready_reason} after {record.observation.readiness.waited_ms / 1000:.1f} s"]
        if record.matched_prompt:
            why.append(f"prompt {record.matched_prompt}")
        if record.latency_s >= 0.05:
            why.append(f"model {record.latency_s:.1f} s")
        return f"step {record.step}{self._of} ({', '.join(why)}) {inert(done, max_chars=MAX_SHOWN_CHARS)}"


def _details(data: dict[str, Any]) -> str:
    said = (data[name] for name in ("detail", "message", "error", "after", "limit") if data.get(name))
    shown = str(next(said, "")).strip()
    kind = data.get("kind")
    return f"{kind}: {shown}" if kind and shown else str(shown or kind or "")
