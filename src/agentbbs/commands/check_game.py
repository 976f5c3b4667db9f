"""`agentbbs check-game`: does a game keep the contract?"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from agentbbs.commands import output

if TYPE_CHECKING:
    from agentbbs.games.conformance import Report


def check_game(
    game: Annotated[str, typer.Argument(metavar="ID", help="A game's id or alias, or package.module:ATTRIBUTE.")],
    games: Annotated[int, typer.Option("--games", min=0, max=100_000, help="Random games to play.")] = 200,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed plays the same games.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="The report as one JSON object on stdout.")] = False,
) -> None:
    """Check that a game keeps the contract, yours too.

    Plays the first positions and many random games through every check. A fault is shown with the shortest
    list of moves that was found to show it; the exit code is then 1.

    \b
    Examples:
      agentbbs check-game c4
      agentbbs check-game my_package.reversi:REVERSI --games 1000
    """
    from agentbbs.games import conformance  # noqa: PLC0415

    if ":" in game:
        sys.path.insert(0, os.getcwd())  # noqa: PTH109 - where a game that is being written lies; sys.path holds text
    report = conformance.check(conformance.load(game), seed=seed, games=games)
    if as_json:
        output.json_value(_as_json(report))
    else:
        _show(report)
    if not report.passed:
        raise typer.Exit(1)


def _show(report: Report) -> None:
    for result in report.results:
        output.line(f"{'ok  ' if result.passed else 'FAIL'}  {output.cell(result.name)}: {output.cell(result.demand)}")
        if result.fault is not None:
            moves = " ".join(result.moves or ()) or "none, at the start"
            output.line(f"      {output.cell(result.fault)}")
            output.line(f"      moves: {output.cell(moves)}")
    passed = sum(result.passed for result in report.results)
    output.note(
        f"{report.game}: {passed} of {len(report.results)} checks passed, "
        f"{report.positions} positions, {report.games} random games"
    )


def _as_json(report: Report) -> dict[str, object]:
    return {
        "game": report.game,
        "passed": report.passed,
        "positions": report.positions,
        "games": report.games,
        "checks": [
            {
                "name": result.name,
                "demand": result.demand,
                "passed": result.passed,
                "fault": result.fault,
                "moves": result.moves,
            }
            for result in report.results
        ],
    }
