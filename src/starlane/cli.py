"""The command `starlane`. argparse, because a door must start at once and typer takes longer than the whole of it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from starlane.commands.failure import Failed

COMMANDS: Final = {
    "play": "play, on this terminal or as a door of a board",
    "new": "make a world",
    "reset": "make a new world in the place of the old one",
    "grant-turns": "give a pilot more turns",
    "scores": "show how the pilots stand",
    "export": "tell what the universe holds, all of it with --json",
    "maintain": "let days pass",
    "verify": "check that a universe is sound",
}
"""Each command with its line in the list of them. Its module in `starlane.commands`, with `_` for `-`, has
`add_to(subparsers)` and `run(args) -> int`; it is imported when it is named, for the list alone must not take its time.
"""

_FAILED: Final = 1
_INTERRUPTED: Final = 130
"""What a shell says of a program that Ctrl-C has ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out a command line; returns the exit status: 0 done, 1 failed, 2 misused."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(_parser(words).parse_args(words))
    except BrokenPipeError:  # who reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="starlane",
        description="Starlane: trade and fight among the stars, alone or with everybody on a board.",
        epilog="example:\n  starlane play",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    if words and words[0] in COMMANDS:
        import_module(f"starlane.commands.{words[0].replace('-', '_')}").add_to(subparsers)
    else:
        for command, line in COMMANDS.items():
            subparsers.add_parser(command, help=line)
    return parser


def _run(args: argparse.Namespace) -> int:
    from starlane.engine.refusal import Refused  # noqa: PLC0415 - light; here for the order of imports
    from starlane.universe.faults import UniverseFault  # noqa: PLC0415

    try:
        status: int = args.run(args)
        sys.stdout.flush()
    except (Failed, UniverseFault, Refused) as fault:
        return _fail(str(fault))
    except BrokenPipeError:
        raise
    except OSError as fault:
        return _fail(f"{fault.filename or 'the system'}: {fault.strerror or fault}")
    return status


def _fail(reason: str) -> int:
    sys.stderr.write(f"starlane: {reason}\n")
    return _FAILED
