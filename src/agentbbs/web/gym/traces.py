"""Traces, opened once and kept open for a while: of a long one, finding its lines again is what takes the time.

Any decision is read by the index that stands beside a trace, so that a trace of 100,000 decisions answers as soon as
one of ten, and one record at a time is in memory.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

from agentbbs.web.gym.moments import moment_ms
from agentbbs.web.gym.places import file_stamp
from agentbbs.web.gym.shapes import Happening, RunPart, Usage
from tty_agent.terminal.inert import inert
from tty_agent.trace.index import TraceFile, sidecar
from tty_agent.trace.records import EventName, EventRecord, Header, TraceFault

TRACE_SUFFIX: Final = ".jsonl"
TRANSCRIPT_SUFFIX: Final = ".raw"

MOST_OPEN: Final = 8
"""Traces at a time; each is a file, and 16 bytes a line."""

LAST_LINES: Final = 12
"""Of a trace, in which its end is told: memory, a lost line, a limit."""

MAX_POINTS: Final = 120
"""Of a chart: each takes a decision that is read."""

MAX_SAYING_CHARS: Final = 200

_Stamp = tuple[int, int, int]


class NoTrace(Exception):
    """There is no trace, or it can't be opened; the text says why, and names no path."""


class Traces:
    """Traces by path. For threads: who reads one has it alone, and two that want the same each have their own."""

    def __init__(self, most_open: int = MOST_OPEN) -> None:
        self._most = most_open
        self._lock = Lock()
        self._idle: OrderedDict[Path, tuple[_Stamp, TraceFile]] = OrderedDict()
        weakref.finalize(self, _close_all, self._idle)

    @contextmanager
    def opened(self, path: Path) -> Iterator[TraceFile]:
        """The trace at `path`, as it is now. Raises NoTrace; what is read of it may raise TraceFault and OSError."""
        stamp = file_stamp(path)
        if stamp is None:
            raise NoTrace("there is no trace of that name")
        with self._lock:
            kept = self._idle.pop(path, None)
        if kept is not None and kept[0] != stamp:
            kept[1].close()
            kept = None
        trace = kept[1] if kept is not None else _open(path)
        try:
            yield trace
        finally:
            self._give_back(path, stamp, trace)

    def _give_back(self, path: Path, stamp: _Stamp, trace: TraceFile) -> None:
        with self._lock:
            superfluous = [self._idle.pop(path)[1]] if path in self._idle else []
            self._idle[path] = (stamp, trace)
            while len(self._idle) > self._most:
                superfluous.append(self._idle.popitem(last=False)[1][1])
        for one in superfluous:
            one.close()


def part_of(trace: TraceFile, number: int) -> tuple[Header, RunPart]:
    """The first line of a trace, and what it and the last ones tell. Raises TraceFault, OSError."""
    header = trace.header()
    last = _last(trace)
    ended = isinstance(last, EventRecord) and last.event == EventName.RUN_FINISHED
    data = last.data if isinstance(last, EventRecord) and ended else {}
    return header, RunPart(
        part=number,
        started_ms=moment_ms(header.timestamp),
        finished_ms=moment_ms(last.timestamp) if isinstance(last, EventRecord) and ended else None,
        steps=trace.steps,
        finished=ended,
        torn_bytes=trace.torn_bytes,
        profile=header.profile,
        route_set=header.route_set,
        objective=header.run_objective,
        prompt_mode=header.prompt_mode,
        node=header.node,
        budget=limits(header.budget),
        outcome=str(data.get("limit") or data.get("outcome") or ""),
        detail=inert(str(data.get("detail") or ""), max_chars=MAX_SAYING_CHARS),
        usage=usage(data.get("spent")) if ended else spent_by(trace),
    )


def spent_by(trace: TraceFile) -> Usage:
    """What was used up at the last decision that can be read."""
    for step in range(trace.steps, max(trace.steps - LAST_LINES, 0), -1):
        try:
            return usage(trace.step(step).spent)
        except TraceFault:
            continue
    return Usage()


def usage(spent: Any) -> Usage:
    """What a `Spent`, as a value or as JSON, tells; figures that no call told of are left open."""

    def figure(name: str) -> Any:
        value = spent.get(name) if isinstance(spent, dict) else getattr(spent, name, None)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else 0

    calls = int(figure("calls"))
    counted = not calls or figure("uncounted_calls") < calls
    return Usage(
        decisions=int(figure("decision_ticks")),
        validation_failures=int(figure("validation_failures")),
        wall_seconds=float(figure("wall_seconds")),
        input_tokens=int(figure("input_tokens")) if counted else None,
        output_tokens=int(figure("output_tokens")) if counted else None,
        cost_usd=float(figure("cost_usd")) if not calls or figure("unpriced_calls") < calls else None,
        calls=calls,
    )


def limits(budget: Any) -> dict[str, float]:
    """The limits of a budget that are set, by name without `max_`."""
    if not isinstance(budget, dict):
        return {}
    return {
        inert(str(name)).removeprefix("max_"): float(value)
        for name, value in budget.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def last_events(trace: TraceFile) -> tuple[Happening, ...]:
    """The events among the last lines of a trace, up to the first of them that can't be read."""
    found: list[Happening] = []
    with suppress(TraceFault, OSError):
        found.extend(
            _happening(record)
            for record in trace.records(max(1, trace.lines - LAST_LINES))
            if isinstance(record, EventRecord)
        )
    return tuple(found)


def course(trace: TraceFile) -> tuple[tuple[int, Usage], ...]:
    """What was used up by some steps, evenly chosen, the first and the last among them."""
    count = min(trace.steps, MAX_POINTS)
    steps = sorted({1 + number * (trace.steps - 1) // max(count - 1, 1) for number in range(count)})
    points = []
    for step in steps:
        try:
            points.append((step, usage(trace.step(step).spent)))
        except (TraceFault, OSError):
            continue
    return tuple(points)


def _open(path: Path) -> TraceFile:
    """The index beside it may be missing, but not a link or a pipe: then it is not read."""
    index = sidecar(path)
    if file_stamp(index) is None and (index.exists() or index.is_symlink()):
        raise NoTrace(f"{inert(index.name)} is no file of the run's own: delete it, and it is made anew")
    try:
        return TraceFile(path)
    except PermissionError as fault:
        raise NoTrace("the trace can't be read: the venue runs under another user than its owner") from fault
    except TraceFault as fault:
        raise NoTrace(told(fault, path)) from fault
    except OSError as fault:
        raise NoTrace(f"the trace can't be read: {fault.strerror}") from fault


def told(fault: TraceFault, path: Path) -> str:
    """A fault of a trace in one line, with its name in place of its path."""
    return inert(str(fault).replace(str(path), path.name), max_chars=MAX_SAYING_CHARS)


def _last(trace: TraceFile) -> Any:
    try:
        return next(trace.records(trace.lines - 1), None)
    except TraceFault:
        return None


def _happening(record: EventRecord) -> Happening:
    return Happening(
        event=inert(record.event),
        at_ms=moment_ms(record.timestamp),
        step=record.step,
        says=saying(record.data, ("kind", "message", "error", "outcome", "detail", "limit", "by", "fault")),
    )


def saying(data: dict[str, Any], names: tuple[str, ...]) -> str:
    """Those fields of an event that are told in a line, inert."""
    words = []
    for name in names:
        value = data.get(name)
        if isinstance(value, list):
            value = ", ".join(one for one in value if isinstance(one, str))
        if value not in (None, "") and not isinstance(value, dict):
            words.append(f"{name.replace('_', ' ')}: {value}")
    return inert("; ".join(words), max_chars=MAX_SAYING_CHARS)


def _close_all(idle: OrderedDict[Path, tuple[_Stamp, TraceFile]]) -> None:
    for _, trace in idle.values():
        trace.close()
