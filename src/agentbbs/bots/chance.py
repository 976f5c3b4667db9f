"""`random`: plays any legal move."""

from __future__ import annotations

import random
from typing import Final

from agentbbs.bots.bot import require_moves
from agentbbs.games.game import Position


class Chance:
    """Every legal move is equally likely."""

    __slots__ = ()

    name: Final = "random"
    blurb: Final = "Plays any legal move. Good for a first test of an agent."

    def choose(self, position: Position, rng: random.Random, budget_s: float) -> str:  # noqa: ARG002 - chance needs no time
        """As `Bot.choose`; the budget is not touched."""
        return rng.choice(require_moves(position))


CHANCE: Final = Chance()
