"""Who calls, and on what terminal: from the dropfile that a board writes for its doors, or from options.

Sources: "DOOR32 Revision 1 Specifications" (2001), 11 lines; GAP's DOOR.SYS, of which boards write 31 lines, 52, or
anything between. Boards differ in the rest: letters in either case, line ends of DOS or Unix, CP437 or UTF-8.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import msgspec

from starlane.door.wire import Size
from starlane.inert import inert_name

MAX_DROPFILE_BYTES: Final = 65_536
"""A dropfile has about 1 KB; what is so much longer is another file."""
MAX_NAME_CHARS: Final = 60
"""Of a caller to its board; the world shortens it to its own limit."""
MAX_MINUTES: Final = 32_767
"""Doors of old read numbers into 16 bits, and boards write this for no limit."""

DOOR32_SYS: Final = "DOOR32.SYS"
DOOR_SYS: Final = "DOOR.SYS"
_KNOWN: Final = (DOOR32_SYS, DOOR_SYS)
"""In the order in which a folder is searched."""

_LINE_ENDS: Final = re.compile(r"\r\n|\n|\r")
_DOS_END: Final = "\x1a"
_PORT: Final = re.compile(r"com\d*:?", re.IGNORECASE)
"""The first line of a DOOR.SYS."""


class DropfileFault(Exception):
    """The dropfile is missing or can't be read; the text is one line for the operator."""


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """A caller. What a board did not say is None."""

    key: str
    """See `starlane.records.Pilot.key`."""
    name: str
    minutes: int | None = None
    """Left of its time; None: without limit."""
    ansi: bool | None = None
    size: Size | None = None
    """Of its terminal, where the terminal itself does not say."""


def from_name(name: str, *, key: str = "") -> Identity:
    """A caller without a board. Raises ValueError if nothing is left of the name."""
    shown = inert_name(name, MAX_NAME_CHARS)
    if not shown:
        raise ValueError("the name is empty")
    return Identity(key=key or _key_of_name(shown), name=shown)


def from_drop(place: Path) -> Identity:
    """The caller that a dropfile names: `place` is the file, or its folder. Raises DropfileFault."""
    path = _found(place)
    lines = _lines_of(path)
    if path.name.casefold() == DOOR_SYS.casefold() or (lines and _PORT.fullmatch(lines[0].strip())):
        return _Dropfile(path, lines).door_sys()
    return _Dropfile(path, lines).door32_sys()


def _key_of_name(name: str) -> str:
    return f"name:{name.casefold()}"


def _found(place: Path) -> Path:
    try:
        if not place.is_dir():
            if not place.exists():
                raise DropfileFault(f"{place}: there is no such dropfile")
            return place
        files = {path.name.casefold(): path for path in sorted(place.iterdir())}
    except OSError as error:
        raise DropfileFault(f"{place}: {error.strerror}") from error
    for name in _KNOWN:
        if name.casefold() in files:
            return files[name.casefold()]
    raise DropfileFault(f"{place}: there is no {DOOR32_SYS} and no {DOOR_SYS} in it; have the board write one")


def _lines_of(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_DROPFILE_BYTES + 1)
    except OSError as error:
        raise DropfileFault(f"{path}: {error.strerror}") from error
    if len(data) > MAX_DROPFILE_BYTES:
        raise DropfileFault(f"{path}: it is longer than {MAX_DROPFILE_BYTES} bytes and no dropfile")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp437")
    return _LINE_ENDS.split(text.partition(_DOS_END)[0])


class _Dropfile:
    """The lines of one file, counted from 1 as its specification does."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        self._path = path
        self._lines = lines

    def door32_sys(self) -> Identity:
        emulation = self._number(10, "the emulation")
        return self._identity(
            record=self._number(5, "the user's record"),
            name=self._name(7, 6),
            minutes=self._number(9, "the minutes left"),
            ansi=None if emulation is None else emulation > 0,
        )

    def door_sys(self) -> Identity:
        graphics = self._line(20).upper()
        rows = self._number(21, "the rows of the screen")
        return self._identity(
            record=self._number(26, "the user's record"),
            name=self._name(36, 10),
            minutes=self._number(19, "the minutes left"),
            ansi=graphics not in {"NG", "7E"} if graphics else None,
            rows=rows if rows and rows > 0 else None,
        )

    def _identity(
        self, *, record: int | None, name: str, minutes: int | None, ansi: bool | None, rows: int | None = None
    ) -> Identity:
        limited = minutes is not None and 0 <= minutes < MAX_MINUTES
        return Identity(
            key=f"#{record}" if record and record > 0 else _key_of_name(name),
            name=name,
            minutes=minutes if limited else None,
            ansi=ansi,
            size=Size(80, rows) if rows else None,
        )

    def _line(self, number: int) -> str:
        return self._lines[number - 1].strip() if number <= len(self._lines) else ""

    def _number(self, number: int, meaning: str) -> int | None:
        """None where the line is empty or the file ends before it."""
        text = self._line(number)
        if not text:
            return None
        if not re.fullmatch(r"[+-]?[0-9]{1,12}", text):
            raise DropfileFault(f"{self._path}: line {number} should be a number, {meaning}")
        return int(text)

    def _name(self, handle: int, real: int) -> str:
        """The handle; the real name where there is none."""
        for number in (handle, real):
            name = inert_name(self._line(number), MAX_NAME_CHARS)
            if name:
                return name
        raise DropfileFault(f"{self._path}: line {real} should be the caller's name")
