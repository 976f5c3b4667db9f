"""`starlane play`: the door itself, one process a caller, from the first byte to the hang-up."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from starlane.commands.data import DATA_VARIABLE, data_folder, universe_path
from starlane.commands.operating import MAX_SEED, new_seed, whole_number
from starlane.door.console import HungUp, TimeUp
from starlane.door.descriptors import Descriptors
from starlane.door.identity import DropfileFault, Identity, from_drop, from_name
from starlane.door.keys import Encoding
from starlane.door.paint import Painter
from starlane.door.styles import Span, Style
from starlane.door.surroundings import speaks_ansi, spoken_encoding
from starlane.door.terminal import Terminal
from starlane.door.wire import COMMON_SIZE, Size
from starlane.settings import MAX_NAME_CHARS, MAX_SECTORS, MIN_SECTORS, Settings
from starlane.universe.faults import UniverseFault, UniverseMissing
from starlane.universe.universe import Universe

if TYPE_CHECKING:
    _Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse has no other name for it

ERRORS_FILE: Final = "starlane-errors.log"
"""In the data folder: what went wrong in the program itself, for whoever mends it."""
DROP_VARIABLE: Final = "BBS_DROP"
MAX_MINUTES: Final = 1440
"""Of one call: a day."""

_STDIN, _STDOUT = 0, 1
_PLAYED, _BROKEN, _MISUSED = 0, 1, 2
"""Exit statuses. A hang-up is a normal end of a call."""
_TIME_IS_UP: Final = "Your time on this board is over. Your ship waits for you where it is."
_BREAKDOWN: Final = "Something broke in the engine room, and the door has to close. Your operator finds it in the log."


class _Misuse(Exception):
    """The door can't be opened as it was asked to; the text is one line for the operator."""


def add_to(subparsers: _Subparsers) -> None:
    """Add the command to those of `starlane`."""
    parser = subparsers.add_parser(
        "play",
        help="play, on this terminal or as a door of a board",
        description="Play. Without options: in a world of your own, which is made at the first call.",
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the world (default: STARLANE_DATA, or your own)")
    parser.add_argument("--drop", metavar="PLACE", help="DOOR32.SYS, DOOR.SYS or their folder (default: BBS_DROP)")
    parser.add_argument("--name", help="who plays (default: what the dropfile says, or $USER)")
    parser.add_argument("--key", help="what the player is known by to the world (default: from dropfile or name)")
    colours = parser.add_mutually_exclusive_group()
    colours.add_argument("--ansi", action="store_true", default=None, dest="ansi", help="with colours")
    colours.add_argument("--plain", action="store_false", default=None, dest="ansi", help="without escape sequences")
    parser.add_argument("--encoding", choices=[encoding.value for encoding in Encoding], help="of the terminal")
    parser.add_argument("--size", type=_size, metavar="COLUMNSxROWS", help="of the terminal, such as 80x24")
    parser.add_argument(
        "--minutes", type=whole_number(1, MAX_MINUTES), metavar="N", help="the longest that the call may last"
    )
    parser.add_argument(
        "--seed", type=whole_number(0, MAX_SEED), metavar="N", help="of the world, if one has to be made"
    )
    parser.add_argument(
        "--sectors",
        type=whole_number(MIN_SECTORS, MAX_SECTORS),
        metavar="N",
        help="of the world, if one has to be made",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Let one caller play. Returns the exit status."""
    try:
        return _call(args, os.environ)
    except (_Misuse, DropfileFault) as fault:
        print(f"starlane: {fault}", file=sys.stderr)
        return _MISUSED
    except (HungUp, KeyboardInterrupt):
        return _PLAYED


def _call(args: argparse.Namespace, environment: Mapping[str, str]) -> int:
    folder = data_folder(args.data, environment)
    caller = _caller(args, environment)
    with Descriptors(_STDIN, _STDOUT) as wire:
        terminal = _terminal(args, environment, caller, wire)
        try:
            return _play(args, folder, caller, terminal)
        except (HungUp, _Misuse):
            raise
        except Exception as error:  # a caller is never shown a traceback
            return _breakdown(folder, terminal, error)


def _caller(args: argparse.Namespace, environment: Mapping[str, str]) -> Identity | None:
    """Who calls; None if it has to be asked."""
    drop = args.drop or ("" if args.name or args.key else environment.get(DROP_VARIABLE, ""))
    if drop:
        told = from_drop(Path(drop))
        named = _named(args.name, told.key) if args.name else told
        return msgspec.structs.replace(told, name=named.name, key=args.key or told.key)
    name = args.name or environment.get("USER", "")
    return _named(name, args.key) if name else None


def _named(name: str, key: str | None) -> Identity:
    try:
        return from_name(name, key=key or "")
    except ValueError as error:
        raise _Misuse(f"--name: {error}") from error


def _terminal(
    args: argparse.Namespace, environment: Mapping[str, str], caller: Identity | None, wire: Descriptors
) -> Terminal:
    told = args.ansi
    if told is None and caller is not None:
        told = caller.ansi
    if told is None:
        told = speaks_ansi(environment, tty=os.isatty(_STDOUT))
    board = bool(args.drop) or DROP_VARIABLE in environment
    encoding = Encoding(args.encoding) if args.encoding else spoken_encoding(environment, board=board)
    minutes = args.minutes if args.minutes is not None or caller is None else caller.minutes
    return Terminal(
        wire,
        Painter(encoding=encoding, ansi=told),
        fixed=args.size,
        otherwise=(caller.size if caller else None) or COMMON_SIZE,
        seconds=None if minutes is None else max(minutes, 1) * 60.0,
    )


def _play(args: argparse.Namespace, folder: Path, caller: Identity | None, terminal: Terminal) -> int:
    status = _PLAYED
    try:
        caller = caller or _asked(args, terminal)
        with _universe(args, folder, terminal) as universe:
            from starlane.door.visit import visit  # noqa: PLC0415 - all dialogues: only for a caller who gets in

            universe.catch_up(dt.date.today())  # noqa: DTZ011 - the local day, as `Clock.LOCAL` says
            visit(terminal, universe, caller)
    except TimeUp:
        terminal.show(Span(Style.NOTICE, _TIME_IS_UP))
    except UniverseFault as fault:
        terminal.show(Span(Style.DANGER, f"The world can't be entered: {fault}"))
        status = _BROKEN
    terminal.close()
    return status


def _asked(args: argparse.Namespace, terminal: Terminal) -> Identity:
    while True:
        name = terminal.text("What is your name", MAX_NAME_CHARS)
        if name:
            return _named(name, args.key)


def _universe(args: argparse.Namespace, folder: Path, terminal: Terminal) -> Universe:
    """The world in the folder; one is made if it is missing and a door or a private game has to have one."""
    path = universe_path(folder)
    chosen = bool(args.data or os.environ.get(DATA_VARIABLE))
    drop = bool(args.drop or os.environ.get(DROP_VARIABLE))
    try:
        universe = Universe.open(path)
    except UniverseMissing:
        if chosen and not drop and args.seed is None and args.sectors is None:
            raise _Misuse(f"there is no world in {folder}: make one with `starlane new`, or give --seed") from None
        seed = new_seed() if args.seed is None else args.seed
        settings = Settings(seed=seed) if args.sectors is None else Settings(seed=seed, sectors=args.sectors)
        terminal.show(f"There is no world here yet. A new one is made, of {settings.sectors} sectors.")
        return Universe.open_or_make(path, settings)
    for option, value, has in (
        ("--seed", args.seed, universe.settings.seed),
        ("--sectors", args.sectors, universe.settings.sectors),
    ):
        if value is not None and value != has:
            universe.close()
            raise _Misuse(f"the world in {folder} has {option} {has}: leave the option out, or name another folder")
    return universe


def _breakdown(folder: Path, terminal: Terminal, error: Exception) -> int:
    """Keep what went wrong, and tell the caller without the details."""
    import traceback  # noqa: PLC0415 - slow, and hardly ever needed

    now = dt.datetime.now().astimezone().isoformat(timespec="seconds")
    entry = f"{now} process {os.getpid()}\n{''.join(traceback.format_exception(error))}\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ERRORS_FILE).open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(entry)
        lost = ""
    except OSError as fault:
        lost = f" The log can't be written: {fault.strerror}."
    with suppress(HungUp):  # there is nobody to tell
        terminal.show(Span(Style.DANGER, _BREAKDOWN + lost))
        terminal.close()
    return _BROKEN


def _size(text: str) -> Size:
    columns, cross, rows = text.lower().partition("x")
    if not (cross and columns.isascii() and columns.isdigit() and rows.isascii() and rows.isdigit()):
        raise argparse.ArgumentTypeError("should be two numbers, such as 80x24")
    return Size(int(columns), int(rows))
