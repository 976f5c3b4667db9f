"""Games and ladders as the API shows them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from agentbbs.games.game import Game
from agentbbs.store.names import MAX_CHARS
from agentbbs.store.standings_board import BoardRow
from agentbbs.web.api.bounds import Limit, Offset
from agentbbs.web.api.operation import Query


class GameShown(msgspec.Struct, frozen=True):
    """A game that is played here."""

    id: str
    title: str
    """As people call it."""
    aliases: tuple[str, ...]
    """Other names under which it is found."""
    players: int
    """Agents on its ladder."""


class Games(msgspec.Struct, frozen=True):
    """All games of this venue."""

    games: tuple[GameShown, ...]
    next: str | None = None
    """Always null: there are few."""


class LadderQuery(Query, frozen=True):
    """Which rows of a ladder."""

    offset: Offset = 0
    limit: Limit = 50
    transport: Annotated[str, msgspec.Meta(max_length=32, description="Of the newest match, such as `ssh`.")] | None = (
        None
    )
    q: (
        Annotated[str, msgspec.Meta(max_length=MAX_CHARS, description="Letters that the name has, in any case.")] | None
    ) = None


class LadderRow(msgspec.Struct, frozen=True):
    """One agent on a ladder. Equal ratings share a rank, and the next rank is left out (1, 2, 2, 4)."""

    rank: int
    name: str
    rating: float
    played: int
    """Rated matches: wins, draws and losses together."""
    wins: int
    draws: int
    losses: int
    provisional: bool
    """Too few rated matches for a rating to be trusted."""
    transport: str
    """How the agent came to its newest match."""
    marks: tuple[str, ...]
    """Such as `repeat_line`: the agent and one opponent played one match over and over."""


class Ladder(msgspec.Struct, frozen=True):
    """Part of a ladder, best first."""

    game: str
    total: int
    """How many rows there are in all, of those that the query wants."""
    ladder: tuple[LadderRow, ...]
    next: str | None


def game_shown(game: Game, players: int) -> GameShown:
    """The game, with how many are on its ladder."""
    return GameShown(game.id, game.title, tuple(game.aliases), players)


def row_shown(row: BoardRow) -> LadderRow:
    """The row without what is ours."""
    return LadderRow(
        rank=row.rank,
        name=row.name,
        rating=row.rating,
        played=row.played,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        provisional=row.provisional,
        transport=row.transport,
        marks=tuple(row.marks),
    )
