"""What there is to render of a run: a transcript, its marks, and the decisions of a trace if one was given.

Login, navigation and a door can share one transcript, and a trace is about a part of it. Offsets are absolute, so
a `Recording` says which part is meant, `start` to `end`; the marks are those of the whole file.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from tty_agent.render.extra import RenderFault
from tty_agent.terminal.inert import inert
from tty_agent.trace.index import TraceFile
from tty_agent.trace.records import DecisionRecord, EventName, EventRecord, Header, Record, read_trace
from tty_agent.transcript.marks import Mark, Placed, Torn, sidecar_of
from tty_agent.transcript.regular_file import regular_file
from tty_agent.transcript.transcript import read_marks

MAX_ARGUMENT_CHARS: Final = 80
"""Of an action in a label."""

MAX_TIME_S: Final = 1e11
"""Of a clock, three thousand years of it: what is beyond is no time."""

_LOOKED_AT_BYTES: Final = 65_536
"""Of a file that may be plain text: a screen that a program painted has an ESC long before."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """As much of a decision as renders need, so that a long trace is no burden."""

    step: int
    offset: int
    """Bytes of the transcript that the agent had seen."""
    wall: float | None
    """When it was decided, seconds since 1970."""
    label: str
    """The action in a line, inert."""


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a transcript that is meant."""

    transcript: Path
    marks: tuple[Mark, ...]
    decisions: tuple[Decision, ...] = ()
    start: int
    end: int
    title: str


def open_recording(path: Path | str, *, start: int | None = None, end: int | None = None) -> Recording:
    """The recording at `path`: a trace (then its decisions' part of the transcript) or a transcript (all of it).

    `start` and `end` are absolute offsets that narrow or widen it. Raises RenderFault, TraceFault, OSError.
    """
    place = Path(path)
    found = _of_trace(place) if is_trace(place) else (place, (), 0, None, place.name)
    transcript, decisions, first, last, title = found
    size = transcript.stat().st_size
    begin = first if start is None else start
    stop = min(size, size if last is None else last) if end is None else end
    if not 0 <= begin <= stop <= size:
        raise RenderFault(f"bytes {begin} to {stop} of {transcript}, which has {size}: choose a part of it")
    return Recording(
        transcript=transcript,
        marks=tuple(_marks(transcript, size)),
        decisions=tuple(one for one in decisions if begin <= one.offset <= stop),
        start=begin,
        end=stop,
        title=title,
    )


def open_moment(path: Path | str, *, step: int | None = None, offset: int | None = None) -> Recording:
    """One moment, at its `end`: of a step of a trace, at an offset, or else the last. It reads no other step.

    Where a session ended and the next began at one offset, the end of the former is meant. Raises as
    `open_recording`; NoSuchStep.
    """
    place = Path(path)
    start: int | None = None
    if is_trace(place):
        transcript, start, end = _step_of_trace(place, step)
    elif step is None:
        transcript, end = place, place.stat().st_size
    else:
        raise RenderFault(f"{place} is no trace and has no steps: give the trace, or an offset")
    at = end if offset is None else offset
    size = transcript.stat().st_size
    if not 0 <= at <= size:
        raise RenderFault(f"byte {at} of {transcript}, which has {size}: choose one of these")
    if offset is not None or start is None or start > at:
        start = max(0, at - 1)
    return Recording(
        transcript=transcript, marks=tuple(_marks(transcript, size)), start=start, end=at, title=place.name
    )


def is_trace(path: Path) -> bool:
    """Whether the file begins as a trace does. Raises OSError."""
    with regular_file(path).open("rb") as file:
        return file.read(1024).replace(b" ", b"").startswith(b'{"type":"header"')


def is_plain_text(path: Path) -> bool:
    """Whether the file is neither a trace nor what a terminal wrote: its beginning is UTF-8 without any ESC, and no
    marks are beside it. Raises OSError."""
    if is_trace(path) or sidecar_of(path).exists():
        return False
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT_BYTES)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return bool(start) and b"\x1b" not in start


def action_label(action: dict[str, object] | None) -> str:
    """An action in a line: `press_key q`, `submit_lines a / b`; inert."""
    if action is None:
        return "no action"
    arguments = action.get("arguments")
    values = arguments.values() if isinstance(arguments, dict) else ()
    words = [" / ".join(map(str, value)) if isinstance(value, list | tuple) else str(value) for value in values]
    return inert(" ".join([str(action.get("action", "?")), *words]), max_chars=MAX_ARGUMENT_CHARS)


def wall_time(timestamp: str) -> float | None:
    """Seconds since 1970 of an ISO 8601 time; None if it is none."""
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return None


def _step_of_trace(path: Path, step: int | None) -> tuple[Path, int | None, int]:
    """The transcript, and what of it belongs to that step; where None is asked for, to the end of the run."""
    with TraceFile(path) as trace:
        raw = trace.header().raw_bytes_path
        record = trace.step(trace.steps if step is None else step) if step is not None or trace.steps else None
        ended: int | None = None
        if step is None and trace.lines:
            for last in trace.records(trace.lines - 1):
                ended = _last_seen(last, ended)
    if record is None:
        return _transcript(path, raw), None, ended or 0
    end = record.transcript_byte_end
    if ended is not None and ended > end:
        return _transcript(path, raw or record.raw_bytes_path), end, ended
    return _transcript(path, raw or record.raw_bytes_path), record.transcript_byte_start, end


def _of_trace(path: Path) -> tuple[Path, tuple[Decision, ...], int, int | None, str]:
    raw: str | None = None
    title = path.name
    first: int | None = None
    last: int | None = None
    decisions: list[Decision] = []
    for record in read_trace(path):
        if isinstance(record, Header):
            raw = record.raw_bytes_path
            title = f"{record.run_id} {record.agent_id} {record.profile}"
        elif isinstance(record, DecisionRecord):
            raw = raw or record.raw_bytes_path
            first = record.transcript_byte_start if first is None else first
            decisions.append(_decision(record))
        else:
            last = _last_seen(record, last)
    if decisions:
        last = max(decisions[-1].offset, last or 0)
    return _transcript(path, raw), tuple(decisions), first or 0, last, title


def _last_seen(record: Record, before: int | None) -> int | None:
    """What the last look of a run had seen, which no decision followed; `before` where `record` is not its end."""
    if isinstance(record, EventRecord) and record.event == EventName.RUN_FINISHED:
        end = record.data.get("transcript_byte_end")
        return end if isinstance(end, int) and end > 0 else before
    return before


def _decision(record: DecisionRecord) -> Decision:
    return Decision(
        step=record.step,
        offset=record.transcript_byte_end,
        wall=wall_time(record.decided_at or record.timestamp),
        label=action_label(record.action),
    )


def _marks(transcript: Path, size: int) -> Iterator[Mark]:
    """The marks of a transcript of that size. One that no session can have made, edited by hand say, counts as torn."""
    for number, mark in enumerate(read_marks(transcript), start=1):
        yield mark if isinstance(mark, Torn) or _can_be(mark, size) else Torn(number, "")


def _can_be(mark: Placed, size: int) -> bool:
    times = (mark.t, getattr(mark, "wall", 0.0))
    return 0 <= mark.offset <= size and all(abs(time) <= MAX_TIME_S for time in times)


def _transcript(trace: Path, raw: str | None) -> Path:
    """Where the transcript is: as the trace says, from here or from the trace's folder, or beside the trace."""
    if raw is None:
        raise RenderFault(f"{trace} names no transcript: only `pretty` can show it")
    for place in (Path(raw), trace.parent / raw, trace.parent / Path(raw).name):
        if place.is_file():
            return place
    raise RenderFault(f"the transcript {inert(raw)} of {trace} is not there: put it beside the trace")
