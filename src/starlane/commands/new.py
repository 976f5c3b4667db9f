"""`starlane new`: make a world."""

from __future__ import annotations

import argparse
from typing import Any

from starlane.commands.data import universe_path
from starlane.commands.operating import MAX_SEED, command_parser, folder_of, new_seed, whole_number
from starlane.settings import MAX_AMOUNT, MAX_FIGHTERS, MAX_HOLDS, MAX_SECTORS, MIN_SECTORS, Clock, Settings

_NUMBERS = {
    "sectors": (MIN_SECTORS, MAX_SECTORS, "sectors of the world"),
    "turns_per_day": (1, MAX_AMOUNT, "turns that a pilot has a day"),
    "protected_days": (0, MAX_AMOUNT, "days that a newcomer is protected"),
    "start_credits": (0, MAX_AMOUNT, "credits of a newcomer"),
    "start_holds": (1, MAX_HOLDS, "holds of a newcomer's ship"),
    "start_fighters": (0, MAX_FIGHTERS, "fighters of a newcomer's ship"),
}


def add_to(subparsers: Any) -> None:
    """Add the command to those of `starlane`."""
    parser = command_parser(
        subparsers,
        "new",
        run,
        help_="make a world",
        example="starlane new --seed 42 --sectors 500 --data /srv/starlane",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, MAX_SEED),
        metavar="N",
        help="the same seed makes the same world (default: chance)",
    )
    parser.add_argument(
        "--clock",
        type=Clock,
        choices=[clock.value for clock in Clock],
        default=Clock.LOCAL,
        help="what begins a day: local midnight, or `starlane maintain --days 1` alone (default: %(default)s)",
    )
    defaults = Settings(seed=0)
    for name, (low, high, meaning) in _NUMBERS.items():
        default = getattr(defaults, name)
        option = "--" + name.replace("_", "-")
        parser.add_argument(
            option, type=whole_number(low, high), metavar="N", default=default, help=f"{meaning} (default: {default})"
        )


def run(args: argparse.Namespace) -> int:
    """Make the world of the options. Raises UniverseFault if there is one."""
    from starlane.universe.universe import Universe  # noqa: PLC0415 - slow beside a usage error

    seed = new_seed() if args.seed is None else args.seed
    settings = Settings(seed=seed, clock=args.clock, **{name: getattr(args, name) for name in _NUMBERS})
    folder = folder_of(args)
    Universe.make(universe_path(folder), settings).close()
    print(f"A world of {settings.sectors} sectors lies in {folder}. Its seed is {seed}.")
    print(f"Play in it: starlane play --data {folder}")
    return 0
