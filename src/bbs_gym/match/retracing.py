"""What a participant had used up and remembered, read from the traces of a match that was killed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.match.participant import added
from tty_agent.actions.action import Action, ActionName
from tty_agent.actions.errors import ActionError
from tty_agent.actions.parsing import parse
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.budget import Spent
from tty_agent.hints import extract
from tty_agent.memory.memory import Folded, SessionSummary
from tty_agent.observation.observation import Observation
from tty_agent.runner.memory import RunMemory
from tty_agent.trace.records import DecisionRecord, EventName, EventRecord, Record, read_trace

_EVERY_ACTION: Final = ActionPolicy(allowed=tuple(ActionName))


class Retraced(msgspec.Struct, frozen=True, kw_only=True):
    """Of all traces together."""

    spent: Spent = Spent()
    steps: int = 0


def retrace(traces: Iterable[Path], memory: RunMemory) -> Retraced:
    """Go through the traces in order, and let `memory` remember what it held at their end. What follows the last whole
    line of one is left out. Raises TraceFault, OSError."""
    spent, steps = Spent(), 0
    for path in traces:
        own = _Retracing(memory)
        for record in read_trace(path):
            own.take(record)
        spent, steps = added(spent, own.spent), steps + own.steps
    return Retraced(spent=spent, steps=steps)


class _Retracing:
    """One trace: the memory goes through the steps of the runner again."""

    def __init__(self, memory: RunMemory) -> None:
        self.memory = memory
        self.spent = Spent()
        self.steps = 0
        self._previous: Observation | None = None
        self._last: Action | None = None

    def take(self, record: Record) -> None:
        if isinstance(record, DecisionRecord):
            seen = record.seen()
            self.memory.resolve(extract(seen, last_action=self._last, previous=self._previous))
            self.memory.remember(record)
            self._previous, self._last = seen, _action(record)
            self.spent, self.steps = record.spent, self.steps + 1
        elif isinstance(record, EventRecord) and record.event == EventName.NOT_SENT:
            self.memory.fail(str(record.data.get("error", "")))
            self._last = None
        elif isinstance(record, EventRecord) and record.event == EventName.MEMORY_COMPACTED:
            summary = msgspec.convert(record.data["summary"], SessionSummary)
            folded = Folded(summary, tuple(record.data.get("dropped", ())))
            self.memory.session = self.memory.session.compacted(folded)


def _action(record: DecisionRecord) -> Action | None:
    if record.action is None:
        return None
    try:
        return parse(msgspec.json.encode(record.action).decode(), _EVERY_ACTION).action
    except ActionError:  # one that a later version has no more: its effect is not told apart
        return None
