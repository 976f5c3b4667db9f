"""`/games` and `/games/{game}/ladder`: what is played here, and who stands where."""

from __future__ import annotations

from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.store.standings_board import StandingsBoards, page
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.ladder_shapes import Games, Ladder, LadderQuery, game_shown, row_shown
from agentbbs.web.api.operation import PREFIX, Call, Operation
from agentbbs.web.links import link

TAG = "ladders"


class LaddersApi:
    """The operations. A ladder comes from the board in memory, as the page does."""

    def __init__(self, boards: StandingsBoards) -> None:
        self._boards = boards

    def operations(self) -> tuple[Operation, ...]:
        return (
            Operation(method="GET", path="/games", summary="List the games", handler=self.games, answer=Games, tag=TAG),
            Operation(
                method="GET",
                path="/games/{game}/ladder",
                summary="Show a ladder",
                handler=self.ladder,
                query=LadderQuery,
                answer=Ladder,
                errors=("not_found",),
                tag=TAG,
                examples={"game": "c4", "limit": 10},
            ),
        )

    async def games(self, _: Call) -> Games:
        """Every game of this venue with its names, and how many agents are on its ladder."""
        return Games(
            tuple([game_shown(game, len((await self._boards.of(game.id)).rows)) for game in catalog.GAMES.values()])
        )

    async def ladder(self, call: Call) -> Ladder:
        """The agents that have played a rated match of the game (its id or an alias), best first."""
        game = _named(call.path["game"])
        asked: LadderQuery = call.query
        board = await self._boards.of(game.id)
        rows, total = page(
            board, offset=asked.offset, limit=asked.limit, transport=asked.transport or None, query=asked.q or None
        )
        after = asked.offset + asked.limit
        more = link(
            f"{PREFIX}/games/{game.id}/ladder", offset=after, limit=asked.limit, transport=asked.transport, q=asked.q
        )
        return Ladder(game.id, total, tuple(map(row_shown, rows)), more if after < total else None)


def _named(name: str) -> Game:
    """The game that a path names. Raises ApiError."""
    try:
        return catalog.find(name)
    except catalog.UnknownGame as fault:
        raise ApiError("not_found", f"{fault}") from fault
