"""`starlane scores`: how the pilots stand, with the parts of their worth."""

from __future__ import annotations

import argparse
from typing import Any

from starlane.commands.operating import command_parser, opened, print_json
from starlane.settings import MAX_NAME_CHARS


def add_to(subparsers: Any) -> None:
    """Add the command to those of `starlane`."""
    parser = command_parser(
        subparsers,
        "scores",
        run,
        help_="show how the pilots stand, the wealthiest first",
        example="starlane scores --json --data /srv/starlane",
    )
    parser.add_argument("--json", action="store_true", help="everything that counts, for programs")


def run(args: argparse.Namespace) -> int:
    """Print the scores of now."""
    from starlane.door.screens.wording import column, counted  # noqa: PLC0415 - slow beside a usage error
    from starlane.door.widths import columns_of  # noqa: PLC0415
    from starlane.engine.looking import scores  # noqa: PLC0415

    with opened(args) as universe, universe.look() as sky:
        day, seed, lines = sky.today, sky.settings.seed, scores(sky)
    if args.json:
        print_json({"day": day, "seed": seed, "scores": lines})
        return 0
    columns = max([MAX_NAME_CHARS, *(columns_of(line.name) for line in lines)])
    print(f"Day {day}, {counted(len(lines), 'pilots')}")
    print(
        f"{'rank':>4}  {column('pilot', columns)} {'net worth':>13} {'kills':>6} {'thorns':>6}"
        f" {'deaths':>6} {'seen':>6} {'turns':>6}"
    )
    for line in lines:
        print(
            f"{line.rank:>4}  {column(line.name, columns)} {line.net_worth:>13,} {line.kills:>6} {line.thorns:>6}"
            f" {line.deaths:>6} {line.sectors_seen:>6} {line.turns:>6}"
        )
    return 0
