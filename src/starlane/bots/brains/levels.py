"""The levels of bots, from the weakest."""

from __future__ import annotations

from enum import StrEnum

from starlane.bots.brains.admiral import Admiral
from starlane.bots.brains.brain import Brain
from starlane.bots.brains.drifter import Drifter
from starlane.bots.brains.trader import Trader


class Level(StrEnum):
    """How well a bot plays."""

    RANDOM = "random"
    TRADER = "trader"
    ADMIRAL = "admiral"


def brain_of(level: Level, seed: int) -> Brain:
    """A new brain; `seed` is of its own chances."""
    match level:
        case Level.RANDOM:
            return Drifter(seed)
        case Level.TRADER:
            return Trader()
        case Level.ADMIRAL:
            return Admiral()
