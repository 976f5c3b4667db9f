"""When a recording showed what: moments of a replay with times, for players."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

import msgspec

from tty_agent.render.cast import Marker
from tty_agent.render.recording import Recording
from tty_agent.render.replay import MIN_CUT_BYTES, Moment, moments_at
from tty_agent.terminal.inert import inert
from tty_agent.transcript.marks import Opened, Placed, Received, Resized, Sender, Sent, Torn

FRAME_S: Final = 1 / 30
"""Output that comes closer together is one frame: a player shows no more than that."""

ASSUMED_BYTES_PER_S: Final = 3840
"""The pace of a transcript of which no time is known: 38,400 bit/s, a fast modem."""


class Paced(msgspec.Struct, frozen=True):
    """A moment and its time."""

    wall: float
    """Seconds since 1970; from 0 where nothing is known."""
    moment: Moment


def paced(recording: Recording) -> list[Paced]:
    """The moments worth a frame, in order, the first at `recording.start`.

    By the marks of the transcript; without them by the times of the decisions; without these at an assumed pace.
    """
    if any(isinstance(mark, Received) for mark in recording.marks):
        found = list(_by_marks(recording))
    elif any(one.wall is not None for one in recording.decisions):
        found = list(_by_decisions(recording))
    else:
        found = list(_assumed(recording))
    return _thinned(found)


def markers(recording: Recording) -> list[tuple[float, str]]:
    """Wall time and label of each decision; without a trace, of whatever the agent typed."""
    if recording.decisions:
        return [(one.wall, f"{one.step} {one.label}") for one in recording.decisions if one.wall is not None]
    return [
        (wall, inert(mark.text))
        for _, mark, wall in _timed(recording)
        if isinstance(mark, Sent)
        and mark.by == Sender.AGENT
        and mark.text is not None
        and recording.start <= mark.offset <= recording.end
    ]


def cast_markers(recording: Recording, begin: float) -> list[Marker]:
    """The same as markers of a recording that began at the wall time `begin`, in order."""
    found = [Marker(max(0, round((wall - begin) * 1000)), label) for wall, label in markers(recording)]
    return sorted(found, key=lambda marker: marker.time_ms)


def _timed(recording: Recording) -> Iterator[tuple[int, Placed, float]]:
    """Number, mark and wall time of all marks up to the end; by the session's own clock, which nobody sets back."""
    shift = 0.0
    for number, mark in enumerate(recording.marks):
        if isinstance(mark, Torn):
            continue
        if mark.offset > recording.end:
            return
        if isinstance(mark, Opened):
            shift = mark.wall - mark.t
        yield number, mark, shift + mark.t


def _by_marks(recording: Recording) -> Iterator[Paced]:
    """Bytes up to a mark had come by the time of the `Received` (or the new session or size) before it."""
    now = 0.0
    place = recording.start
    begun = False
    for number, mark, wall in _timed(recording):
        if begun and mark.offset > place:
            place = mark.offset
            yield Paced(now, Moment(place, number))
        if not isinstance(mark, Received | Opened | Resized):
            continue
        now = wall
        if not begun and mark.offset >= recording.start:
            begun = True
            yield Paced(now, next(moments_at(recording, [recording.start])))
        elif begun and _is_new(mark, recording.end):
            yield Paced(now, Moment(place, number + 1))
    if place < recording.end or not begun:
        yield Paced(now, next(moments_at(recording, [recording.end])))


def _is_new(mark: Placed, end: int) -> bool:
    """A new size, or a new session that writes something before the end."""
    return isinstance(mark, Resized) or (isinstance(mark, Opened) and mark.offset < end)


def _by_decisions(recording: Recording) -> Iterator[Paced]:
    timed = [(one.wall, one.offset) for one in recording.decisions if one.wall is not None]
    places = [recording.start, *(offset for _, offset in timed)]
    walls = [timed[0][0], *(wall for wall, _ in timed)]
    yield from (Paced(wall, moment) for wall, moment in zip(walls, moments_at(recording, places), strict=True))


def _assumed(recording: Recording) -> Iterator[Paced]:
    places = [*range(recording.start, recording.end, MIN_CUT_BYTES), recording.end]
    for moment in moments_at(recording, places):
        yield Paced((moment.offset - recording.start) / ASSUMED_BYTES_PER_S, moment)


def _thinned(found: list[Paced]) -> list[Paced]:
    """The first, the last of each thirtieth of a second, and each that comes before a new size or session."""
    kept = found[:1]
    for one, after in zip_longest(found[1:], found[2:]):
        last_of_frame = after is None or _frame(after, found[0]) > _frame(one, found[0])
        if last_of_frame or after.moment.offset == one.moment.offset:
            kept.append(one)
    return kept


def _frame(one: Paced, first: Paced) -> int:
    return int((one.wall - first.wall) / FRAME_S)
