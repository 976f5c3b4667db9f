"""Games between bots."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from agentbbs.bots.bot import Bot
from agentbbs.games.game import Game, Position

Score = Callable[..., float]


@pytest.fixture
def score() -> Score:
    """`score(first, second, game, matches, budget_s)` is the share of the points that the first bot takes.

    Sides change after each match; the first two plies are random, so that no two matches are the same.
    """

    def play(first: Bot, second: Bot, game: Game, matches: int, budget_s: float) -> float:
        points = 0.0
        for number in range(matches):
            rng = random.Random(number)
            seats = (first, second) if number % 2 == 0 else (second, first)
            position: Position = game.initial()
            for _ in range(2):
                position = position.play(rng.choice(position.legal))
            while position.outcome is None:
                position = position.play(seats[position.to_move].choose(position, rng, budget_s))
            winner = position.outcome.winner
            points += 0.5 if winner == -1 else float(seats[winner] is first)
        return points / matches

    return play
