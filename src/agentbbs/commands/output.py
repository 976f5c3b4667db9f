"""What commands print: results on stdout, notes for people on stderr.

stdout carries what was asked for and nothing else, so that it can be piped. Texts that came from outside
are made inert by `table`, `note` and `cell`. JSON is written in ASCII, everything else as `\\u` escapes: the
same values, and none of them can act on a terminal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from tty_agent.terminal.inert import inert

MINUTE_S, HOUR_S, DAY_S = 60, 3_600, 86_400

CLEAR: Final = "\x1b[H\x1b[2J"
"""Cursor home, and clear the screen."""

_NOT_PLAIN: Final = re.compile(r"[^\x20-\x7e]")


def line(text: str = "") -> None:
    """One line of the result. What came from outside must be inert already."""
    print(text)


def note(text: str) -> None:
    """One line for people."""
    print(inert(text), file=sys.stderr, flush=True)


def json_value(value: object) -> None:
    """One JSON value on one line. Flushed: who reads a stream wants each line when it is made."""
    print(_json(value), flush=True)


def json_text(text: str) -> None:
    """A JSON value that came as text, on one line; whatever could act on a terminal is escaped."""
    print(_NOT_PLAIN.sub(_escape, " ".join(text.splitlines())), flush=True)


def screen(text: str, *, redraw: bool) -> None:
    """A screen, inert already: in place of the one before (`redraw`), or below it after a blank line."""
    print(f"{CLEAR}{text}" if redraw else f"{text}\n", flush=True)


def json_list(values: Iterable[object]) -> None:
    """A JSON array with one element a line, written as it comes."""
    before = "["
    for value in values:
        print(before)
        print(_json(value), end="")
        before = ","
    print("[]" if before == "[" else "\n]")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Rows under a header, columns two blanks apart; numbers stand to the right."""
    found = [list(row) for row in rows]
    texts = [[cell(value) for value in row] for row in found]
    right = [
        all(isinstance(row[column], int | float) for row in found) and bool(found) for column in range(len(header))
    ]
    widths = [max(len(row[column]) for row in (list(header), *texts)) for column in range(len(header))]
    for row in (list(header), *texts):
        padded = [
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(row, widths, right, strict=True)
        ]
        print("  ".join(padded).rstrip())


def cell(value: object) -> str:
    """A value as text, inert; nothing for None."""
    return "" if value is None else inert(str(value))


def moment(unix_ms: int) -> str:
    """A time as `2026-01-31 14:05:09`, in the time zone of the machine."""
    from datetime import UTC, datetime  # noqa: PLC0415 - `--help` shows no time

    return datetime.fromtimestamp(unix_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def ago(unix_ms: int, now_ms: int) -> str:
    """How long ago that was, in its largest unit: `5 min ago`."""
    seconds = max(0, now_ms - unix_ms) // 1000
    for size, unit in ((DAY_S, "d"), (HOUR_S, "h"), (MINUTE_S, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def now_ms() -> int:
    """The wall clock, in Unix milliseconds."""
    import time  # noqa: PLC0415

    return time.time_ns() // 1_000_000


def _json(value: Any) -> str:
    import msgspec  # noqa: PLC0415

    return _NOT_PLAIN.sub(_escape, msgspec.json.encode(value).decode())


def _escape(character: re.Match[str]) -> str:
    """A character as JSON escapes it: one UTF-16 unit or two. It stands in a string, nothing else of JSON is so."""
    units = character[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
