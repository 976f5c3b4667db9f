"""Recordings for asciinema and its player: asciicast, version 2 and 3.

A file is a header and then one `[time, code, data]` a line (https://docs.asciinema.org/manual/asciicast/v3/).
Version 2 counts times from the beginning, version 3 from the event before; all else is the header's shape. Times
are kept as whole milliseconds, so that the intervals of the one add up to the times of the other exactly. `x` is
version 3's; version 2 lets files add codes of their own, and players pass over those they do not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

import msgspec

from tty_agent.render.palette import DEFAULT_BACKGROUND, DEFAULT_FOREGROUND, VGA, css
from tty_agent.render.repaint import repaint
from tty_agent.terminal.inert import inert
from tty_agent.terminal.picture import Picture

VERSIONS: Final = (2, 3)
MAX_LABEL_CHARS: Final = 120
"""Of a marker: a player shows it in a line of a list."""
MAX_TITLE_CHARS: Final = 200
IDLE_LIMIT_S: Final = 5
"""Players shorten longer pauses to this: a model may think for minutes. The file keeps the true times."""

_THEME: Final = {
    "fg": css(VGA[DEFAULT_FOREGROUND]),
    "bg": css(VGA[DEFAULT_BACKGROUND]),
    "palette": ":".join(css(colour) for colour in VGA),
}


class Code(StrEnum):
    """What an event is."""

    OUTPUT = "o"
    RESIZE = "r"
    """Data: `COLUMNSxROWS`."""
    MARKER = "m"
    """Data: its label."""
    EXIT = "x"
    """Data: the exit status, a number."""


class Shot(msgspec.Struct, frozen=True):
    """What the screen showed from `time_ms` on, counted from the beginning of the recording."""

    time_ms: int
    picture: Picture


class Marker(msgspec.Struct, frozen=True):
    """A decision; `label` is made inert here."""

    time_ms: int
    label: str


class CastEvent(msgspec.Struct, frozen=True):
    """A line of the file, its time still from the beginning."""

    time_ms: int
    code: Code
    data: str


def cast_lines(
    shots: Iterable[Shot],
    markers: Iterable[Marker] = (),
    *,
    version: int = 3,
    title: str = "",
    timestamp: int | None = None,
    status: int = 0,
) -> Iterator[str]:
    """The lines of a recording, line ends included.

    Shots and markers each in the order of time; a marker comes after the shot of the same moment. `timestamp` is
    when it began, seconds since 1970. Raises ValueError for another version, and without a shot.
    """
    if version not in VERSIONS:
        raise ValueError(f"asciicast {version}: choose 2 or 3")
    remaining = iter(shots)
    first = next(remaining, None)
    if first is None:
        raise ValueError("a recording needs at least one picture")
    yield _line(_header(version, first.picture, title, timestamp))
    last_ms = 0
    for event in _events(first, remaining, markers, status):
        shown_ms = event.time_ms if version == 2 else event.time_ms - last_ms
        last_ms = event.time_ms
        yield _line([shown_ms / 1000, event.code, event.data])


def _events(first: Shot, remaining: Iterator[Shot], markers: Iterable[Marker], status: int) -> Iterator[CastEvent]:
    """All events, never going back in time."""
    waiting = iter(markers)
    marker = next(waiting, None)
    shown: Picture | None = None
    now_ms = 0
    shot: Shot | None = first
    while shot is not None:
        while marker is not None and marker.time_ms < shot.time_ms:
            now_ms = max(now_ms, marker.time_ms)
            yield _marked(marker, now_ms)
            marker = next(waiting, None)
        now_ms = max(now_ms, shot.time_ms)
        yield from _shown(shown, shot.picture, now_ms)
        shown = shot.picture
        shot = next(remaining, None)
    while marker is not None:
        now_ms = max(now_ms, marker.time_ms)
        yield _marked(marker, now_ms)
        marker = next(waiting, None)
    yield CastEvent(now_ms, Code.EXIT, str(status))


def _shown(before: Picture | None, after: Picture, now_ms: int) -> Iterator[CastEvent]:
    if before is not None and (before.columns, before.rows) != (after.columns, after.rows):
        yield CastEvent(now_ms, Code.RESIZE, f"{after.columns}x{after.rows}")
    output = repaint(before, after)
    if output:
        yield CastEvent(now_ms, Code.OUTPUT, output)


def _marked(marker: Marker, now_ms: int) -> CastEvent:
    return CastEvent(now_ms, Code.MARKER, inert(marker.label, max_chars=MAX_LABEL_CHARS))


def _header(version: int, picture: Picture, title: str, timestamp: int | None) -> dict[str, object]:
    header: dict[str, object] = {"version": version, "idle_time_limit": IDLE_LIMIT_S}
    if version == 2:
        header |= {"width": picture.columns, "height": picture.rows, "theme": _THEME}
        header["env"] = {"TERM": "xterm-256color"}
    else:
        header["term"] = {
            "cols": picture.columns,
            "rows": picture.rows,
            "type": "xterm-256color",
            "theme": _THEME,
        }
    if timestamp is not None:
        header["timestamp"] = timestamp
    if title:
        header["title"] = inert(title, max_chars=MAX_TITLE_CHARS)
    return header


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": ")) + "\n"
