"""`doors.toml`: what the operator says of each door. Read whole, checked whole, before anybody may enter one.

A door is a table `[door.ID]`; its fields are the rows of `FIELDS`, each with what it should be. Anything wrong stops
the reading with one line that names the file, the door, the field, the value and the remedy.
"""

from __future__ import annotations

import difflib
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec

from tty_agent.terminal.dialect import Encoding
from tty_agent.terminal.inert import inert

DOORS_FILE: Final = "doors.toml"
"""In the venue's data folder."""

MAX_FILE_BYTES: Final = 1024 * 1024
"""A thousand doors take less; whatever is longer is some other file."""
MAX_TITLE_CHARS: Final = 40
"""So that a list of doors with their callers fits into 80 columns."""
MAX_CONCURRENT: Final = 255
"""More than a board has nodes."""
MAX_SECONDS: Final = 86_400
"""A day; a caller is not on longer."""
MAX_MIB: Final = 1024 * 1024
"""A terabyte: anything above is a slip of the keyboard."""
MAX_COUNT: Final = 1024 * 1024
"""Of processes or files, as `MAX_MIB`."""


class WrongDoors(ValueError):
    """`doors.toml` can't be used; the text is the line to show."""


class Dropfile(StrEnum):
    """The kinds of dropfiles."""

    DOOR32_SYS = "DOOR32.SYS"
    DOOR_SYS = "DOOR.SYS"
    DORINFO1_DEF = "DORINFO1.DEF"
    CHAIN_TXT = "CHAIN.TXT"


class Share(msgspec.Struct, frozen=True):
    """A file or folder that a door in the cage sees at `inside`."""

    outside: Path
    inside: str


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What each process of a door in the cage may take. The defaults are ample for a text game of any age."""

    cpu_s: int = 600
    """Of computing, not of waiting: a loop without end stops here at the latest."""
    memory_mib: int = 1024
    """Of address space, which interpreters reserve much of and use little."""
    processes: int = 64
    """Of one stay together. Not held by the kernel for a venue that runs as root."""
    open_files: int = 256
    file_mib: int = 64
    """The longest file that it may write."""


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """One door, checked. The defaults are those of `doors.toml`."""

    id: str
    title: str
    command: tuple[str, ...]
    """The program and its arguments, never through a shell; may hold `PLACEHOLDERS`."""
    directory: Path
    """The folder that it runs in and may write to."""
    dropfiles: tuple[str, ...] = ()
    """Their names as the operator spells them, for doors that look for `door32.sys`."""
    encoding: Encoding = Encoding.CP437
    """What it speaks."""
    concurrent: int = 1
    """Callers at once."""
    time_limit_s: int = 3600
    """Of one stay."""
    idle_limit_s: int = 600
    """Without a key, 0 for none."""
    hang_limit_s: int = 120
    """Without a byte from the door after a key, 0 for none."""
    environment: Mapping[str, str] = {}
    trusted: bool = False
    """Runs without the cage and its limits."""
    com_port: int = 0
    """That dropfiles speak of: 0 is the local console, 1 is what dosemu calls COM1."""
    readable: tuple[Share, ...] = ()
    writable: tuple[Share, ...] = ()
    limits: Limits = Limits()


PLACEHOLDERS: Final = ("{drop}", "{directory}", "{node}", "{user}", "{login}", "{python}")
"""In a command or an environment: the folder of the dropfiles, the working folder, the node, the account's number, a
name of lower case letters and digits that no other account has, and the Python that the venue runs on."""

_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,23}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACES: Final = re.compile(r"\{[a-z]+\}")


def load_doors(path: Path) -> tuple[Door, ...]:
    """The doors of a file, in its order; none if there is no such file. Raises WrongDoors."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return ()
    except OSError as fault:
        raise WrongDoors(f"{path}: it can't be read ({fault.strerror}): let the venue's user read it") from fault
    if len(text) > MAX_FILE_BYTES:
        raise WrongDoors(f"{path}: it is longer than {MAX_FILE_BYTES} bytes: is it the right file?")
    return parse_doors(text, path)


def parse_doors(text: bytes, path: Path) -> tuple[Door, ...]:
    """As `load_doors`; relative folders are from that of `path`."""
    try:
        tables = tomllib.loads(text.decode("utf-8"))
    except UnicodeDecodeError as fault:
        raise WrongDoors(f"{path}: byte {fault.start} is not UTF-8: save the file as UTF-8") from fault
    except tomllib.TOMLDecodeError as fault:
        raise WrongDoors(f"{path}: {inert(str(fault))}: correct the TOML there") from fault
    for key in tables:
        if key != "door":
            raise WrongDoors(f"{path}: {inert(key)!r} is unknown: each door is a table [door.ID]")
    doors = tables.get("door", {})
    if not isinstance(doors, dict):
        raise WrongDoors(f"{path}: 'door' is no table: each door is a table [door.ID]")
    return tuple(_door(name, table, path) for name, table in doors.items())


def _door(name: str, table: object, path: Path) -> Door:
    where = f"{path}: door {inert(name)!r}"
    if not _ID.fullmatch(name):
        raise WrongDoors(f"{where}: its id should be 1 to 24 of a-z, 0-9, - and _, such as [door.nethack]")
    if not isinstance(table, dict):
        raise WrongDoors(f"{where} is no table: write [door.{name}] and its fields below")
    for field in table:
        if field not in FIELDS:
            near = difflib.get_close_matches(field, FIELDS, 1)
            remedy = f"did you mean {near[0]}?" if near else f"there are {', '.join(FIELDS)}"
            raise WrongDoors(f"{where}: field {inert(field)!r} is unknown: {remedy}")
    for field in ("command", "directory"):
        if field not in table:
            raise WrongDoors(f"{where}: field {field} is missing: it should be {FIELDS[field].expected}")
    values: dict[str, Any] = {"title": name.capitalize()}
    for field, value in table.items():
        try:
            values[field] = FIELDS[field].read(value, path.parent)
        except _Wrong as fault:
            shown = f" = {value!r}" if isinstance(value, str | int | float) else ""
            raise WrongDoors(
                f"{where}: field {field}{inert(shown)} is wrong: {fault}it should be {FIELDS[field].expected}"
            ) from None
    limits = Limits(**{field: values.pop(field) for field in Limits.__struct_fields__ if field in values})
    return Door(id=name, limits=limits, **values)


class _Wrong(Exception):
    """The value is not what it should be; the text, if any, says what is wrong with it."""


class _Field(msgspec.Struct, frozen=True):
    expected: str
    read: Callable[[object, Path], Any]


def _title(value: object, _: Path) -> str:
    if not isinstance(value, str) or not value.strip() or inert(value) != value or len(value) > MAX_TITLE_CHARS:
        raise _Wrong
    return value


def _command(value: object, _: Path) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            value = shlex.split(value)
        except ValueError as fault:
            raise _Wrong(f"{fault}; ") from None
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value) or not value[0]:
        raise _Wrong
    return tuple(map(_filled_later, value))


def _filled_later(word: str) -> str:
    """A word that may hold placeholders."""
    for brace in _BRACES.findall(word):
        if brace not in PLACEHOLDERS:
            raise _Wrong(f"{brace} is not known; ")
    if "\0" in word:
        raise _Wrong("it holds a NUL; ")
    return word


def _folder(value: object, base: Path) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise _Wrong
    folder = (base / Path(value).expanduser()).resolve()
    if not folder.is_dir():
        raise _Wrong(f"there is no folder {inert(str(folder))}: make it, or name another; ")
    if base.resolve().is_relative_to(folder):  # a door may write to all of it: keys, accounts, this file
        raise _Wrong("it holds the venue's own data: make a folder for the door, such as doors/NAME; ")
    return folder


def _dropfiles(value: object, _: Path) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(n, str) and n.upper() in set(Dropfile) for n in names):
        raise _Wrong
    return tuple(dict.fromkeys(names))


def _encoding(value: object, _: Path) -> Encoding:
    if not isinstance(value, str) or value.lower() not in set(Encoding):
        raise _Wrong
    return Encoding(value.lower())


def _truth(value: object, _: Path) -> bool:
    if not isinstance(value, bool):
        raise _Wrong
    return value


def _environment(value: object, _: Path) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise _Wrong
    for name, text in value.items():
        if not _VARIABLE.fullmatch(name) or not isinstance(text, str):
            raise _Wrong(f"{inert(name)!r} is not a variable with a text; ")
        _filled_later(text)
    return dict(value)


def _shares(value: object, base: Path) -> tuple[Share, ...]:
    if not isinstance(value, list):
        raise _Wrong
    return tuple(_share(text, base) for text in value)


def _share(text: object, base: Path) -> Share:
    if not isinstance(text, str) or "\0" in text:
        raise _Wrong
    outside, colon, inside = text.partition(":")
    source = (base / Path(outside).expanduser()).resolve()
    target = inside if colon else outside
    if not outside or not target.startswith("/") or target == "/" or ".." in Path(target).parts:
        raise _Wrong
    if not source.exists():
        raise _Wrong(f"there is no {inert(str(source))}: make it, or leave it out; ")
    return Share(source, target)


def _whole(low: int, high: int, unit: str, example: int, *, off: str = "") -> _Field:
    def read(value: object, _: Path) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not (low <= value <= high or (off and value == 0)):
            raise _Wrong
        return value

    return _Field(f"{unit} from {low} to {high}, such as {example}" + (f", or 0 for {off}" if off else ""), read)


_SHARES_EXPECTED: Final = 'a list of "PATH" or "PATH:PATH INSIDE", such as ["state:/var/games/nethack"]'

FIELDS: Final[Mapping[str, _Field]] = {
    "title": _Field(f"1 to {MAX_TITLE_CHARS} printable characters", _title),
    "command": _Field(
        'a program with its arguments, such as "/usr/games/robots" or ["python3", "game.py", "{drop}"]; '
        f"known are {' '.join(PLACEHOLDERS)}",
        _command,
    ),
    "directory": _Field("the folder that the door runs in and writes to; a relative one is from this file", _folder),
    "dropfiles": _Field(f"a list of {', '.join(Dropfile)}", _dropfiles),
    "encoding": _Field(f'"{Encoding.CP437}" or "{Encoding.UTF_8}"', _encoding),
    "concurrent": _whole(1, MAX_CONCURRENT, "callers at once", 1),
    "time_limit_s": _whole(1, MAX_SECONDS, "seconds", 3600),
    "idle_limit_s": _whole(1, MAX_SECONDS, "seconds", 600, off="none"),
    "hang_limit_s": _whole(1, MAX_SECONDS, "seconds", 120, off="none"),
    "environment": _Field('a table of variables, such as { NETHACKOPTIONS = "color" }', _environment),
    "trusted": _Field("true for a door without the cage, or false", _truth),
    "com_port": _whole(1, 4, "a COM port", 1, off="the local console"),
    "readable": _Field(_SHARES_EXPECTED, _shares),
    "writable": _Field(_SHARES_EXPECTED, _shares),
    "cpu_s": _whole(1, MAX_SECONDS, "seconds", Limits().cpu_s),
    "memory_mib": _whole(16, MAX_MIB, "MiB", Limits().memory_mib),
    "processes": _whole(1, MAX_COUNT, "processes", Limits().processes),
    "open_files": _whole(16, MAX_COUNT, "files", Limits().open_files),
    "file_mib": _whole(1, MAX_MIB, "MiB", Limits().file_mib),
}
"""What a table may hold."""
