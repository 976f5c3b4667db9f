"""What the commands for operators share: the options, and the universe that they work on."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from starlane.commands.data import DATA_VARIABLE, data_folder, universe_path

if TYPE_CHECKING:
    from starlane.universe.universe import Universe

SEED_BYTES: Final = 6
"""Of a seed that nobody chose; it is short enough to be typed."""
MAX_SEED: Final = 2**63 - 1


def command_parser(
    subparsers: Any, name: str, run: Callable[[argparse.Namespace], int], *, help_: str, example: str
) -> argparse.ArgumentParser:
    """The parser of a command, with `--data` and an example under its help."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=help_,
        description=help_[0].upper() + help_[1:] + ".",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--data", metavar="DIR", help=f"folder of the world (default: {DATA_VARIABLE}, or that of `starlane play`)"
    )
    parser.set_defaults(run=run)
    return parser


def folder_of(args: argparse.Namespace) -> Path:
    """The data folder that a command works in; it need not exist."""
    return data_folder(args.data)


def opened(args: argparse.Namespace) -> Universe:
    """The universe in the data folder; close it. Raises UniverseFault."""
    from starlane.universe.universe import Universe  # noqa: PLC0415 - slow beside a usage error

    return Universe.open(universe_path(folder_of(args)))


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """The type of an option that is a whole number from `low` to `high`."""

    def parse(text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"should be a whole number from {low:,} to {high:,}, not {text!r}")
        return int(text)

    return parse


def new_seed() -> int:
    """A seed that nobody can foresee."""
    return int.from_bytes(os.urandom(SEED_BYTES))


def print_json(value: object) -> None:
    """Print a value as JSON, indented so that a person can read it too."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    # Line by line: of one long text Python drops the rest without a word where its output is unbuffered and the reader
    # goes away.
    sys.stdout.writelines(f"{line}\n" for line in text.split("\n"))
