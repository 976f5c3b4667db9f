"""`starlane verify`: whether a universe is sound."""

from __future__ import annotations

import argparse
from typing import Any

from starlane.commands.operating import command_parser, opened, print_json


def add_to(subparsers: Any) -> None:
    """Add the command to those of `starlane`."""
    parser = command_parser(
        subparsers,
        "verify",
        run,
        help_="check that money and goods are conserved and that everything refers to what there is",
        example="starlane verify --replay --data /srv/starlane",
    )
    parser.add_argument("--json", action="store_true", help="the answer for programs")
    parser.add_argument(
        "--replay", action="store_true", help="also make the world again from its seed and its journal, and compare"
    )


def run(args: argparse.Namespace) -> int:
    """Print what is wrong; the exit status is 1 if anything is."""
    from starlane.universe.faults import UniverseDamaged  # noqa: PLC0415 - slow beside a usage error

    faults: list[str] = []
    try:
        with opened(args) as universe:
            faults += universe.verify()
            if args.replay:
                from starlane.universe.replay import differences  # noqa: PLC0415 - rarely asked for

                faults += differences(universe)
    except UniverseDamaged as damage:
        faults.append(str(damage))
    if args.json:
        print_json({"sound": not faults, "replayed": args.replay, "faults": faults})
    else:
        print("\n".join(faults) if faults else "The universe is sound.")
    return 1 if faults else 0
