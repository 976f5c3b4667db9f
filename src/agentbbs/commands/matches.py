"""`agentbbs matches`: what was played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.opened import store

if TYPE_CHECKING:
    from agentbbs.play.replay import SavedMatch
    from agentbbs.store.database import Database
    from agentbbs.store.history import MatchSummary


MAX_LISTED: Final = 10_000_000
"""More than any venue has played; SQLite's own limit is nine digits further."""


def matches(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MAX_LISTED, help="The newest so many.")] = 20,
    game: Annotated[str | None, typer.Option("--game", "-g", metavar="GAME", help="Of this game.")] = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Of this account.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON array of whole matches, as `replay --json` prints one.")
    ] = False,
) -> None:
    """List finished matches, the newest first.

    \b
    Examples:
      agentbbs matches --name ada --limit 5
      agentbbs matches --game c4 --json
    """
    from agentbbs.games import catalog  # noqa: PLC0415 - heavy, as is what follows
    from agentbbs.store import accounts, history  # noqa: PLC0415

    known = None if game is None else catalog.find(game).id
    with store() as database, database.connect() as conn:
        if name is not None:
            accounts.find(conn, name)
        found = history.matches(conn, game=known, name=name, limit=limit)
    if as_json:
        with store() as database:
            output.json_list(_saved(database, found))
        return
    output.table(
        ("MATCH", "ENDED", "GAME", "X", "O", "RESULT", "RATINGS"),
        [
            (
                one.id,
                output.moment(one.ended_ms),
                one.game,
                *one.names,
                _result(one),
                _ratings(one),
            )
            for one in found
        ],
    )
    if not found:
        output.note("no match was finished yet")


def _saved(database: Database, found: tuple[MatchSummary, ...]) -> Iterator[SavedMatch]:
    from agentbbs.play import replay  # noqa: PLC0415
    from agentbbs.store import history  # noqa: PLC0415

    with database.connect() as conn:
        for stored in history.whole(conn, [summary.seq for summary in found]):
            yield replay.of(stored.match, stored.ratings_before, stored.ratings_after)


def _result(one: MatchSummary) -> str:
    if one.termination == "server":
        return "void"
    result = "draw" if one.winner < 0 else f"{'XO'[one.winner]} wins"
    return result if one.reason is None else f"{result}, {one.reason.removeprefix('forfeit: ')}"


def _ratings(one: MatchSummary) -> str:
    """`1500+16 1500-16`, or why the match is not rated."""
    if not one.rated:
        return f"not rated: {one.why}" if one.termination != "server" else "not rated"
    return " ".join(
        f"{before:.0f}{round(after) - round(before):+d}"
        for before, after in zip(one.ratings_before, one.ratings_after, strict=True)
        if before is not None and after is not None
    )
