"""`starlane reset`: a new world in the place of the old one."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import Any

import msgspec

from starlane.commands.data import universe_path
from starlane.commands.operating import MAX_SEED, command_parser, folder_of, new_seed, opened, whole_number


def add_to(subparsers: Any) -> None:
    """Add the command to those of `starlane`."""
    parser = command_parser(
        subparsers,
        "reset",
        run,
        help_="make a new world with the same settings in the place of the old one, and keep a copy of that",
        example="starlane reset --seed 43 --data /srv/starlane",
    )
    parser.add_argument(
        "--seed", type=whole_number(0, MAX_SEED), metavar="N", help="seed of the new world (default: chance)"
    )
    parser.add_argument("--force", action="store_true", help="while pilots are aboard too: their session ends")


def run(args: argparse.Namespace) -> int:
    """Reset the universe. Raises UniverseFault if pilots are aboard and it is not forced."""
    seed = new_seed() if args.seed is None else args.seed
    now = datetime.now().astimezone()
    backup = universe_path(folder_of(args)).with_name(f"universe.before-{now:%Y%m%d-%H%M%S-%f}.db")
    with opened(args) as universe:
        universe.reset(msgspec.structs.replace(universe.settings, seed=seed), backup, while_aboard=args.force)
        print(f"A new world of {universe.settings.sectors} sectors is ready. Its seed is {seed}.")
    print(f"The old one is kept in {backup}.")
    return 0
