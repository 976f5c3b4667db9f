"""The record of one run as it happens: to the trace first, then to whoever watches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog

from tty_agent.runner.record import stamp
from tty_agent.runner.settings import Clock
from tty_agent.trace.records import EventRecord, Record
from tty_agent.trace.writer import LineTooLong, TraceWriter

_log = structlog.get_logger(__name__)


class TraceFailed(Exception):
    """The trace can't be written: a run that leaves no record is not gone on with."""


class Journal:
    """Where the records of a run go."""

    def __init__(self, trace: TraceWriter | None, watch: Callable[[Record], None] | None, clock: Clock) -> None:
        """`watch` gets each record as it is made; the trace has it by then. If it raises, it gets no more."""
        self.trace = trace
        self._watch = watch
        self._clock = clock
        self.fault: str | None = None
        """Why the trace ends before the run, if it does."""

    def now(self) -> str:
        """The time of day, as traces write it."""
        return stamp(self._clock.wall())

    def write(self, record: Record) -> None:
        """Record it. Raises TraceFailed, once: after that nothing goes to the trace any more, so that a run which
        ends for it can end in order."""
        if self.trace is not None and self.fault is None:
            try:
                self.trace.write(record)
            except OSError as fault:
                self.fault = f"{self.trace.path}: {fault.strerror}: make room, or give another folder"
                raise TraceFailed(self.fault) from fault
            except LineTooLong as fault:
                self.fault = f"{fault}: shorten what the run is given (profile, objective, prompts)"
                raise TraceFailed(self.fault) from fault
        self._tell(record)

    def _tell(self, record: Record) -> None:
        """A watcher that fails is told no more: the run is not its affair."""
        if self._watch is None:
            return
        try:
            self._watch(record)
        except Exception as fault:
            self._watch = None
            _log.warning("watcher_dropped", why=f"{type(fault).__name__}: {fault}")

    def event(self, name: str, step: int, data: dict[str, Any]) -> None:
        """Record an event after that step. Raises TraceFailed as `write` does."""
        self.write(EventRecord(event=str(name), timestamp=self.now(), step=step, data=data))
