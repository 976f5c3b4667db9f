"""`starlane grant-turns`: more turns for a pilot, aboard or not."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from starlane.commands.failure import Failed
from starlane.commands.operating import command_parser, opened, whole_number
from starlane.settings import MAX_AMOUNT

if TYPE_CHECKING:
    from starlane.engine.ports import Sky
    from starlane.records import Pilot


def add_to(subparsers: Any) -> None:
    """Add the command to those of `starlane`."""
    parser = command_parser(
        subparsers,
        "grant-turns",
        run,
        help_="give a pilot more turns, also while it is aboard",
        example="starlane grant-turns ada 50 --data /srv/starlane",
    )
    parser.add_argument("player", metavar="PLAYER", help="name or key of the pilot, such as ada or #17")
    parser.add_argument(
        "turns", metavar="N", type=whole_number(-MAX_AMOUNT, MAX_AMOUNT), help="how many; fewer if it is negative"
    )


def run(args: argparse.Namespace) -> int:
    """Grant the turns. Raises Failed if there is no such pilot."""
    from starlane.orders import OPERATOR, GrantTurns  # noqa: PLC0415 - slow beside a usage error
    from starlane.reports import Done  # noqa: PLC0415

    with opened(args) as universe:
        with universe.look() as sky:
            pilot = _named(sky, args.player)
        report = universe.perform(OPERATOR, GrantTurns(pilot=pilot.id, turns=args.turns))
    if isinstance(report, Done):
        print(report.text)
    return 0


def _named(sky: Sky, player: str) -> Pilot:
    from starlane.records import Pilot  # noqa: PLC0415 - see `run`

    pilots = sky.find(Pilot)
    known = [pilot for pilot in pilots if pilot.key == player]  # before names: a caller may be named like a key
    found = known or [pilot for pilot in pilots if pilot.name.casefold() == player.casefold()]
    if found:
        return found[0]
    raise Failed(f"there is no pilot {player!r}: `starlane scores` lists them")
