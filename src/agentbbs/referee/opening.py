"""A game that begins in another position than the first: for matches that are about one position."""

from __future__ import annotations

from collections.abc import Iterable

from agentbbs.games.game import Game, Position


class Opening:
    """`game` from the position after `moves` on, with its id and rules. Implements `games.game.Game`."""

    def __init__(self, game: Game, moves: Iterable[str]) -> None:
        """Raises IllegalMove."""
        self._game = game
        position = game.initial()
        for move in moves:
            position = position.play(move)
        self._position: Position = position
        self.id = game.id
        self.title = game.title
        self.aliases = game.aliases
        self.version = game.version
        self.max_plies = game.max_plies

    def initial(self) -> Position:
        """The position in which the match begins."""
        return self._position

    def restore(self, text: str) -> Position:
        """As the game's own."""
        return self._game.restore(text)
