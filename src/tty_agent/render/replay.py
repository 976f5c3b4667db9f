"""A transcript through a screen again: what it showed at given places.

Bytes alone do not say what a screen shows: it depends on all that came before. So a replay begins where the session
of the first place began, with that session's size and dialect, and follows its changes of size. Answers to queries
come out of the screen as they did then, and go nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, Final

import msgspec

from tty_agent.render.extra import RenderFault
from tty_agent.render.recording import Recording
from tty_agent.terminal.dialect import ANSI_BBS, DIALECTS
from tty_agent.terminal.inert import inert
from tty_agent.terminal.screen import Screen
from tty_agent.transcript.marks import Mark, Opened, Resized, Sender, Sent, Torn

DEFAULT_COLUMNS: Final = 80
DEFAULT_ROWS: Final = 24
DEFAULT_DIALECT: Final = ANSI_BBS.name
"""Where a transcript has no marks."""

MIN_CUT_BYTES: Final = 256
"""Some lines of text."""
MAX_BLIND_CUTS: Final = 200
"""Of a transcript that nobody marked."""

_READ_BYTES: Final = 65_536
"""Of a transcript at once."""


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What to replay on. What is None is taken from the marks, and is 80, 24 and `ansi-bbs` where there are none."""

    columns: int | None = None
    rows: int | None = None
    dialect: str | None = None


class Moment(msgspec.Struct, frozen=True):
    """A place in a replay: so many bytes have come, and so many marks have taken place."""

    offset: int
    marks: int


def moments_at(recording: Recording, offsets: Iterable[int]) -> Iterator[Moment]:
    """The moments right after those many bytes, ascending. A size that was set there holds, a session that
    began there is still to come."""
    marks = recording.marks
    passed = _base(marks, recording.start)
    for offset in offsets:
        while passed < len(marks) and _is_past(marks[passed], offset):
            passed += 1
        yield Moment(offset, passed)


def screens(recording: Recording, moments: Iterable[Moment], shape: Shape | None = None) -> Iterator[Screen]:
    """The screen at each moment, ascending: one and the same object, so take what you need before the next.

    Raises RenderFault for an unknown dialect, OSError.
    """
    wanted = Shape() if shape is None else shape
    marks = recording.marks
    passed = _base(marks, recording.start)
    opened = marks[passed - 1] if passed else None
    place = opened.offset if isinstance(opened, Opened) else 0
    screen = _fresh(opened, wanted)
    with recording.transcript.open("rb") as file:
        file.seek(place)
        for moment in moments:
            while passed < moment.marks:
                mark = marks[passed]
                passed += 1
                if isinstance(mark, Opened):
                    place = _feed(screen, file, place, mark.offset)
                    screen = _fresh(mark, wanted)
                elif isinstance(mark, Resized):
                    place = _feed(screen, file, place, mark.offset)
                    screen.resize(wanted.columns or mark.columns, wanted.rows or mark.rows)
            place = _feed(screen, file, place, moment.offset)
            yield screen


def cuts(recording: Recording, *, at_most: int) -> list[int]:
    """Where a row of stills is best cut: what the agent saw at its decisions, else before whatever was typed,
    else at equal distances; and the end. Evenly thinned where there are more than `at_most`."""
    start, end = recording.start, recording.end
    if recording.decisions:
        places = [one.offset for one in recording.decisions]
        if end > places[-1]:
            places.append(end)
    else:
        typed = (mark.offset for mark in recording.marks if isinstance(mark, Sent) and mark.by != Sender.TERMINAL)
        places = [offset for offset in typed if start < offset < end]
        if not places:
            distance = max(MIN_CUT_BYTES, (end - start) // MAX_BLIND_CUTS)
            places = list(range(start + distance, end, distance))
        places.append(end)
    unique = sorted(set(places))
    return unique if len(unique) <= at_most else _thinned(unique, at_most)


def _thinned(places: Sequence[int], count: int) -> list[int]:
    """`count` of them at equal distances, the last one among them."""
    last = len(places) - 1
    return [places[last - number * last // max(1, count - 1)] for number in reversed(range(count))]


def _base(marks: Sequence[Mark], start: int) -> int:
    """How many marks have taken place when the session of `start` has begun: it counts its `open`."""
    base = 0
    for number, mark in enumerate(marks, start=1):
        if isinstance(mark, Opened) and mark.offset <= start:
            base = number
    return base


def _is_past(mark: Mark, offset: int) -> bool:
    if isinstance(mark, Opened):
        return mark.offset < offset
    return isinstance(mark, Torn) or mark.offset <= offset


def _fresh(mark: Mark | None, wanted: Shape) -> Screen:
    opened = mark if isinstance(mark, Opened) else None
    name = wanted.dialect or (opened.dialect if opened else DEFAULT_DIALECT)
    dialect = DIALECTS.get(name)
    if dialect is None:
        raise RenderFault(f"unknown dialect {inert(name, max_chars=40)}: choose one of {', '.join(DIALECTS)}")
    columns = wanted.columns or (opened.columns if opened else DEFAULT_COLUMNS)
    rows = wanted.rows or (opened.rows if opened else DEFAULT_ROWS)
    return Screen(columns, rows, dialect, scrollback_rows=0)


def _feed(screen: Screen, file: BinaryIO, place: int, end: int) -> int:
    """Feed what lies between, and return where the file is then. What the screen answers is dropped."""
    while place < end:
        data = file.read(min(_READ_BYTES, end - place))
        if not data:
            break
        screen.feed(data)
        place += len(data)
    return place
