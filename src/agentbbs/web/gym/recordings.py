"""What the terminal showed during an agent's run, as an asciicast for players.

The transcript is played through a screen again, and what that showed becomes the recording. Only the transcript that
lies beside the trace is read, whatever path a trace may name. A recording has a bounded size: a long run has fewer
frames a second, and one that is still too large is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from agentbbs.web.gym.places import file_stamp
from tty_agent.render.cast import Shot, cast_lines
from tty_agent.render.extra import RenderFault
from tty_agent.render.pace import Paced, cast_markers, paced
from tty_agent.render.recording import MAX_TIME_S, Decision, Recording, action_label, wall_time
from tty_agent.render.replay import screens
from tty_agent.trace.index import TraceFile
from tty_agent.trace.records import EventName, EventRecord, TraceFault
from tty_agent.transcript.marks import Closed, Mark, Opened, Resized, Torn, read_marks, sidecar_of

ASCIICAST: Final = 2

MAX_TRANSCRIPT_BYTES: Final = 8 * 1024 * 1024
"""Played in some seconds. A turn of a BBS has two kilobytes: four thousand turns."""

MAX_MARKS_BYTES: Final = 64 * 1024 * 1024
"""Of the sidecar: a mark takes some eighty bytes."""

MAX_FRAMES: Final = 4_000
"""Of a recording: two minutes at thirty a second, or hours of a BBS that waits for a model."""

MAX_MARKERS: Final = 500
"""Decisions that are marked: more could not be told apart on a player's bar."""

MAX_CAST_BYTES: Final = 8 * 1024 * 1024

MAX_COLUMNS: Final = 500
MAX_ROWS: Final = 200
"""No window is larger; marks that say so are damaged."""


class NoRecording(Exception):
    """There is nothing to be played; the text says why and what to do."""


class Cast(msgspec.Struct, frozen=True, kw_only=True):
    """A recording."""

    content: bytes
    frames: int
    thinned: bool
    """It has fewer frames than the terminal showed."""
    cut: bool
    """Its end is missing."""


def part_of(trace: TraceFile, transcript: Path) -> Recording:
    """The part of a transcript that a trace is about. Raises NoRecording, TraceFault, OSError."""
    header = trace.header()
    first = _step(trace, 1)
    last = _step(trace, trace.steps)
    size = _size(transcript)
    start = first[1] if first is not None else 0
    end = max(last[0].offset if last is not None else 0, _ended(trace))
    return Recording(
        transcript=transcript,
        marks=tuple(marks(transcript, size)),
        decisions=tuple(_decisions(trace)),
        start=min(max(start, 0), size),
        end=min(max(end, start, 0), size),
        title=f"{header.run_id} {header.agent_id} {header.profile}",
    )


def cast(recording: Recording) -> Cast:
    """The recording as lines of asciicast 2. Raises NoRecording, OSError."""
    try:
        everything = paced(recording)
        found = _thinned(everything)
        begin = found[0].wall
        lines = cast_lines(
            _shots(recording, found),
            cast_markers(recording, begin),
            version=ASCIICAST,
            title=recording.title,
            timestamp=int(begin) if any(isinstance(mark, Opened) for mark in recording.marks) else None,
            status=_status(recording),
        )
        content, cut = _bounded(lines)
    except RenderFault as fault:
        raise NoRecording(str(fault)) from fault
    return Cast(content=content, frames=len(found), thinned=len(found) < len(everything), cut=cut)


def marks(transcript: Path, size: int) -> Iterator[Mark]:
    """The marks of a transcript of that size; one that no session can have made counts as torn. Raises
    NoRecording."""
    found = file_stamp(sidecar_of(transcript))
    if found is None:
        return
    if found[2] > MAX_MARKS_BYTES:
        raise NoRecording("the recording is too long to be shown here: `bbs-gym trace cast` writes it")
    for number, mark in enumerate(read_marks(transcript), start=1):
        yield mark if isinstance(mark, Torn) or _can_be(mark, size) else Torn(number, "")


def _can_be(mark: Mark, size: int) -> bool:
    if isinstance(mark, Torn):
        return True
    if isinstance(mark, Opened | Resized) and not (0 < mark.columns <= MAX_COLUMNS and 0 < mark.rows <= MAX_ROWS):
        return False
    times = (mark.t, getattr(mark, "wall", 0.0))
    return 0 <= mark.offset <= size and all(abs(time) <= MAX_TIME_S for time in times)


def _size(transcript: Path) -> int:
    found = file_stamp(transcript)
    if found is None:
        raise NoRecording(
            "there is no transcript beside the trace: it was kept elsewhere (--transcript), or was deleted; what the "
            "agent saw at each decision is in the trace all the same"
        )
    if found[2] > MAX_TRANSCRIPT_BYTES:
        raise NoRecording("the recording is too long to be shown here: `bbs-gym trace cast` writes it")
    return found[2]


def _step(trace: TraceFile, number: int) -> tuple[Decision, int] | None:
    """A decision, and where its part of the transcript begins; None if there is none, or it can't be read."""
    try:
        record = trace.step(number)
    except TraceFault:
        return None
    decision = Decision(
        step=record.step,
        offset=record.transcript_byte_end,
        wall=_time(record.decided_at or record.timestamp),
        label=action_label(record.action),
    )
    return decision, record.transcript_byte_start


def _time(timestamp: str) -> float | None:
    wall = wall_time(timestamp)
    return wall if wall is not None and 0 <= wall <= MAX_TIME_S else None


def _decisions(trace: TraceFile) -> Iterator[Decision]:
    """Those that are marked, evenly chosen where there are too many."""
    stride = max(1, -(-trace.steps // MAX_MARKERS))
    offset = 0
    for number in range(1, trace.steps + 1, stride):
        found = _step(trace, number)
        if found is not None and found[0].offset >= offset:
            offset = found[0].offset
            yield found[0]


def _ended(trace: TraceFile) -> int:
    """What the last look of a run had seen, which no decision followed; 0 if it has no end."""
    try:
        last = next(trace.records(trace.lines - 1), None)
    except TraceFault:
        return 0
    if isinstance(last, EventRecord) and last.event == EventName.RUN_FINISHED:
        end = last.data.get("transcript_byte_end")
        return end if isinstance(end, int) and end > 0 else 0
    return 0


def _thinned(found: list[Paced]) -> list[Paced]:
    """At most MAX_FRAMES of them, evenly chosen, the first and the last among them."""
    if len(found) <= MAX_FRAMES:
        return found
    last = len(found) - 1
    return [found[number * last // (MAX_FRAMES - 1)] for number in range(MAX_FRAMES)]


def _shots(recording: Recording, found: list[Paced]) -> Iterator[Shot]:
    begin = found[0].wall
    at_moments = screens(recording, (one.moment for one in found))
    for one, screen in zip(found, at_moments, strict=True):
        yield Shot(max(0, round((one.wall - begin) * 1000)), screen.picture())


def _bounded(lines: Iterator[str]) -> tuple[bytes, bool]:
    """The lines up to MAX_CAST_BYTES, and whether there were more."""
    parts: list[bytes] = []
    size = 0
    for text in lines:
        encoded = text.encode("utf-8", "replace")
        size += len(encoded)
        if size > MAX_CAST_BYTES:
            return b"".join(parts), True
        parts.append(encoded)
    return b"".join(parts), False


def _status(recording: Recording) -> int:
    """How the last session of the part ended: the exit status of the program, 0 where there was none."""
    ends = [mark for mark in recording.marks if isinstance(mark, Closed) and mark.offset <= recording.end]
    return (ends[-1].code or 0) if ends else 0
