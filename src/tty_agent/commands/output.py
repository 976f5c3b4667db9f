"""What commands print: results on stdout, notes for people on stderr.

Text that came from outside is made inert. JSON is written in ASCII, everything else as `\\u` escapes: the same
values, and none of them can act on a terminal.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

import typer

from tty_agent.terminal.inert import inert

_NOT_PLAIN: Final = re.compile(r"[^\x20-\x7e]")


def line(text: str = "") -> None:
    """One line of the result, made inert."""
    typer.echo(inert(text))


def block(text: str) -> None:
    """Several lines of the result, each made inert."""
    for one in text.split("\n"):
        line(one)


def note(text: str) -> None:
    """One line for people. Where nobody reads stderr any more, that is no reason to end what it tells of."""
    try:
        typer.echo(inert(text), err=True)
    except OSError:
        _leave_stderr()


def _leave_stderr() -> None:
    """What is still buffered must not fail again, at the next line or when Python exits."""
    with contextlib.suppress(OSError):  # a stream that is no file
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stderr.fileno())
        os.close(sink)


def json_value(value: object) -> None:
    """One JSON value on one line."""
    import msgspec  # noqa: PLC0415 - `--help` prints no JSON

    typer.echo(_NOT_PLAIN.sub(_escape, msgspec.json.encode(value).decode()))


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Rows under a header, columns two blanks apart; numbers stand to the right."""
    found = [list(row) for row in rows]
    texts = [list(header), *([_cell(value) for value in row] for row in found)]
    widths = [max(len(row[column]) for row in texts) for column in range(len(header))]
    right = [bool(found) and all(_is_number(row[column]) for row in found) for column in range(len(header))]
    for row in texts:
        cells = [
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(row, widths, right, strict=True)
        ]
        typer.echo("  ".join(cells).rstrip())


def _cell(value: object) -> str:
    return "" if value is None else inert(str(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _escape(character: re.Match[str]) -> str:
    """A character as JSON escapes it, in UTF-16; it stands within a string, where alone JSON has such characters."""
    units: Any = character[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
