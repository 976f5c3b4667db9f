"""`agentbbs ladder`: who is best at a game."""

from __future__ import annotations

from typing import Annotated

import typer

from agentbbs.commands import output
from agentbbs.commands.opened import store


def ladder(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's id or alias: ttt, c4, ...")],
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="The best so many; else all.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array on stdout.")] = False,
) -> None:
    """Show the ladder of a game.

    Equal ratings share a rank. The mark repeat_line: the account is of a pair that played one and the same
    match ten times or more.

    \b
    Examples:
      agentbbs ladder ttt
      agentbbs ladder c4 --limit 10 --json
    """
    from agentbbs.games import catalog  # noqa: PLC0415 - heavy, as is what follows
    from agentbbs.store import ladder as ladders  # noqa: PLC0415

    known = catalog.find(game)
    with store() as database, database.connect() as conn:
        rows = ladders.ladder(conn, known.id, limit=limit)
    if as_json:
        output.json_list(
            {
                "rank": row.rank,
                "name": row.name,
                "rating": round(row.rating),
                "played": row.played,
                "wins": row.wins,
                "draws": row.draws,
                "losses": row.losses,
                "marks": row.marks,
            }
            for row in rows
        )
        return
    output.table(
        ("RANK", "NAME", "RATING", "PLAYED", "WINS", "DRAWS", "LOSSES", "MARKS"),
        [
            (row.rank, row.name, round(row.rating), row.played, row.wins, row.draws, row.losses, " ".join(row.marks))
            for row in rows
        ],
    )
    if not rows:
        output.note(f"nobody has played a rated match of {known.title} yet")
