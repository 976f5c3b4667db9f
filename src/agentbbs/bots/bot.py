"""The contract of a house bot."""

from __future__ import annotations

import random
from typing import Protocol, runtime_checkable

from agentbbs.games.game import Position


@runtime_checkable
class Bot(Protocol):
    """Something that chooses moves. A bot keeps nothing between moves, so one serves any number of matches."""

    @property
    def name(self) -> str:
        """The name it is asked for by, lower case; also the name its opponents see."""
        ...

    @property
    def blurb(self) -> str:
        """One line for a person who picks an opponent: how it plays and how strong it is."""
        ...

    def choose(self, position: Position, rng: random.Random, budget_s: float) -> str:
        """One of `position.legal`, thought over for at most about `budget_s` seconds; 0 is allowed.

        Synchronous, and busy for that long: call it off the event loop. Whatever it leaves to chance it
        takes from `rng`. Raises ValueError if the game is over.
        """
        ...


def require_moves(position: Position) -> tuple[str, ...]:
    """The legal moves of `position`. Raises ValueError if there are none: the game is over."""
    if not position.legal:
        raise ValueError("the game is over: there is no move to choose")
    return position.legal


def centre_first(position: Position, rng: random.Random) -> list[str]:
    """The legal moves, those in the middle of the list first, equals in random order.

    Knows nothing of the game: the middle of the list is the centre of most boards, and a fair guess in the rest.
    """
    legal = require_moves(position)
    middle = (len(legal) - 1) / 2
    ranked = list(enumerate(legal))
    rng.shuffle(ranked)
    ranked.sort(key=lambda place: abs(place[0] - middle))
    return [move for _, move in ranked]
