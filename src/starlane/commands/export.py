"""`starlane export`: the whole universe, for tools and archives."""

from __future__ import annotations

import argparse
from typing import Any

from starlane.commands.operating import command_parser, opened, print_json


def add_to(subparsers: Any) -> None:
    """Add the command to those of `starlane`."""
    parser = command_parser(
        subparsers,
        "export",
        run,
        help_="tell what the universe holds; with --json all of it, letters too: for operators",
        example="starlane export --json --data /srv/starlane > universe.json",
    )
    parser.add_argument("--json", action="store_true", help="everything, as one JSON value")


def run(args: argparse.Namespace) -> int:
    """Print the universe, or what there is in it."""
    from starlane.universe.export import exported  # noqa: PLC0415 - slow beside a usage error

    with opened(args) as universe, universe.look() as sky:
        whole = exported(sky)
    if args.json:
        print_json(whole)
        return 0
    settings = whole["settings"]
    print(f"Day {whole['day']} of the world that the seed {settings.seed} makes; clock {settings.clock}")
    for name, value in whole.items():
        if isinstance(value, list):
            print(f"{len(value):>9,} {name}")
    return 0
