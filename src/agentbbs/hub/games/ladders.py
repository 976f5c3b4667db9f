"""The ladder of a game, and the caller's own place on it."""

from __future__ import annotations

from typing import Final

from agentbbs.games.game import Game
from agentbbs.hub.games.match_lists import show_matches
from agentbbs.hub.games.picking import pick_game
from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.visit import Visit
from agentbbs.store import ladder
from agentbbs.store.ladder import LadderRow
from agentbbs.store.names import MAX_CHARS as MAX_NAME_CHARS

MAX_LISTED: Final = 500
"""Of the best; who stands lower sees the own place under them."""

_GAME: Final = Command("G", "another game")
_TABLE: Final = (
    Column("Rank", 5, right=True),
    Column("Name", MAX_NAME_CHARS),
    Column("Rating", 6, right=True),
    Column("Played", 6, right=True, from_columns=70),
    Column("W", 5, right=True),
    Column("D", 5, right=True),
    Column("L", 5, right=True),
    Column("", None),
)


async def show_ladders(visit: Visit) -> None:
    """Ladders, game by game, until the caller wants back; a row leads to the matches of its account."""
    game = await pick_game(visit.caller)
    while game is not None:
        game = await _show(visit, game)


async def _show(visit: Visit, game: Game) -> Game | None:
    """One ladder. Gives the game whose ladder comes next."""
    database = visit.board.database
    listing = Listing(visit.caller)
    while True:
        rows = await database.read(ladder.ladder, game.id, limit=MAX_LISTED)
        said = await _own_place(visit, game)
        cells = [_row(row, own=row.name == visit.visitor.name) for row in rows]
        chosen = await listing.pick(f"The ladder of {game.title}", _TABLE, cells, [_GAME], said=said)
        if isinstance(chosen, int):
            await show_matches(visit, name=rows[chosen].name, game=game)
        elif chosen == _GAME.key:
            return await pick_game(visit.caller) or game
        else:
            return None


async def _own_place(visit: Visit, game: Game) -> Text:
    account = visit.visitor.account
    if account is None:
        return ""
    place = await visit.board.database.read(ladder.place, account, game.id)
    if place is None:
        return Span("You have played no rated match of this game.", Style.DIM)
    standing = await visit.board.database.read(ladder.standing, account, game.id)
    rank, count = place
    record = f"{standing.wins} won, {standing.draws} drawn, {standing.losses} lost"
    return (Span("Your place: ", Style.LABEL), f"{rank} of {count}, rating {standing.rating:.0f}, {record}")


def _row(row: LadderRow, *, own: bool) -> list[Span]:
    numbers = (row.played, row.wins, row.draws, row.losses)
    return [
        Span(str(row.rank), Style.NUMBER),
        Span(row.name, Style.NOTICE if own else Style.NAME),
        Span(f"{row.rating:.0f}"),
        *(Span(str(number)) for number in numbers),
        Span(" ".join(row.marks), Style.DIM),
    ]
