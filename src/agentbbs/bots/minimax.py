"""`minimax`: searches as deep as its time allows; perfect at Tic-Tac-Toe, strong at Connect 4."""

from __future__ import annotations

import random
import time
from typing import Final

from agentbbs.bots import alphabeta, c4_search
from agentbbs.bots.bot import centre_first
from agentbbs.games.c4 import ConnectFourPosition
from agentbbs.games.game import Position

_SEARCHING_SHARE: Final = 0.98
"""Of the budget; the rest goes into freeing what the search remembered, about 1 % of its time."""


class Minimax:
    """The strongest bot of the house. It solves Tic-Tac-Toe within a tenth of a second."""

    __slots__ = ()

    name: Final = "minimax"
    blurb: Final = "Thinks ahead as far as time allows. Perfect at Tic-Tac-Toe, strong at Connect 4."

    def choose(self, position: Position, rng: random.Random, budget_s: float) -> str:
        """As `Bot.choose`: `c4_search` for Connect 4, `alphabeta` for every other game."""
        deadline = time.monotonic() + budget_s * _SEARCHING_SHARE
        moves = centre_first(position, rng)
        if len(moves) == 1:
            return moves[0]
        if isinstance(position, ConnectFourPosition):
            return c4_search.best(position, moves, deadline)
        return alphabeta.best(position, moves, deadline)


MINIMAX: Final = Minimax()
