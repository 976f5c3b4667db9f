"""A run as people follow it: one line a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tty_agent.commands import output

if TYPE_CHECKING:
    from tty_agent.trace.records import DecisionRecord, Record

MAX_SHOWN_CHARS = 60
"""Of an action: the line is to fit a terminal."""

_SHOWN_EVENTS = ("profile_switch", "infra", "disconnected", "cut_off", "not_sent")


class Progress:
    """Prints the records of a run as they come."""

    def __init__(self, max_ticks: int | None) -> None:
        self._of = f"/{max_ticks}" if max_ticks is not None else ""

    def __call__(self, record: Record) -> None:
        """One line for a decision, and for an event that people should know of."""
        from tty_agent.trace.records import DecisionRecord, EventRecord  # noqa: PLC0415 - not for the help

        if isinstance(record, DecisionRecord):
            output.note(self.line(record))
        elif isinstance(record, EventRecord) and record.event in _SHOWN_EVENTS:
            output.note(f"  {record.event}: {_details(record.data)}")

    def line(self, record: DecisionRecord) -> str:
        """`step 3/50  press_key "P"  (stable, prompt tw2-command, model 1.2 s)`."""
        from tty_agent.render.recording import action_label  # noqa: PLC0415
        from tty_agent.terminal.inert import inert  # noqa: PLC0415

        if record.action is None:
            done = f"no valid action: {record.error}"
        else:
            done = action_label(record.action) + (" (repaired)" if record.repair else "")
        why = [record.ready_reason]
        if record.matched_prompt:
            why.append(f"prompt {record.matched_prompt}")
        if record.latency_s >= 0.05:
            why.append(f"model {record.latency_s:.1f} s")
        return f"step {record.step}{self._of}  {inert(done, max_chars=MAX_SHOWN_CHARS)}  ({', '.join(why)})"


def _details(data: dict[str, Any]) -> str:
    shown = (data.get("detail") or data.get("message") or data.get("error") or data.get("after") or "").strip()
    kind = data.get("kind")
    return f"{kind}: {shown}" if kind and shown else str(shown or kind or "")
