"""`starlane maintain`: let days pass."""

from __future__ import annotations

import argparse
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from starlane.commands.operating import command_parser, opened, whole_number
from starlane.settings import Clock

if TYPE_CHECKING:
    from starlane.universe.universe import Universe

MAX_DAYS: Final = 3_650
"""At once: ten years, far beyond any match, and a mistyped number still ends."""


def add_to(subparsers: Any) -> None:
    """Add the command to those of `starlane`."""
    parser = command_parser(
        subparsers,
        "maintain",
        run,
        help_="let the days pass that the calendar has begun, or just so many",
        example="starlane maintain --days 1 --data /srv/starlane",
    )
    parser.add_argument(
        "--days",
        type=whole_number(1, MAX_DAYS),
        metavar="N",
        help="so many days, whatever the calendar says (default: those that are due; one under the manual clock)",
    )


def run(args: argparse.Namespace) -> int:
    """Perform the days."""
    with opened(args) as universe:
        passed = _pass_days(universe, args.days)
        with universe.look() as sky:
            print(f"{passed} {'day has' if passed == 1 else 'days have'} passed. It is day {sky.today}.")
    return 0


def _pass_days(universe: Universe, days: int | None) -> int:
    from starlane.orders import OPERATOR, NewDay  # noqa: PLC0415 - slow beside a usage error

    if days is None and universe.settings.clock is Clock.LOCAL:
        return universe.catch_up(date.today())  # noqa: DTZ011 - the local day, as `Clock.LOCAL` says
    for _ in range(days or 1):
        universe.perform(OPERATOR, NewDay())
    return days or 1
