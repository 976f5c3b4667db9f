"""`greedy` takes wins, blocks losses, steps into none, and beats chance."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from agentbbs.bots.chance import CHANCE
from agentbbs.bots.greedy import GREEDY
from agentbbs.games.c4 import C4
from agentbbs.games.game import Game, Position
from agentbbs.games.ttt import TTT


def chosen(game: Game, moves: str) -> set[str]:
    """What `greedy` plays after `moves`, over some seeds."""
    position: Position = game.initial()
    for move in moves:
        position = position.play(move)
    return {GREEDY.choose(position, random.Random(seed), 1) for seed in range(10)}


@pytest.mark.parametrize(
    ("game", "moves", "answer"),
    [
        (TTT, "0314", "2"),  # both sides threaten: it wins rather than blocks
        (TTT, "031", "2"),
        (TTT, "03148", "5"),
        (C4, "001122", "3"),
        (C4, "00112", "3"),
        (C4, "010203", "0"),
    ],
)
def test_it_takes_a_win_and_blocks_a_loss(game: Game, moves: str, answer: str) -> None:
    assert chosen(game, moves) == {answer}


def test_it_does_not_lift_the_opponent_into_a_win() -> None:
    """O has three in the second row, and the fourth cell is over the one that the centre move would fill."""
    assert "3" not in chosen(C4, "01206162")


def test_of_two_losses_it_blocks_one() -> None:
    """X threatens both ends of an open three."""
    assert chosen(C4, "33224") == {"1", "5"}


def test_it_likes_the_centre() -> None:
    assert chosen(TTT, "") == {"4"}
    assert chosen(C4, "") == {"3"}


@pytest.mark.parametrize("game", [TTT, C4], ids=["ttt", "c4"])
def test_it_beats_chance_clearly(game: Game, score: Callable[..., float]) -> None:
    assert score(GREEDY, CHANCE, game, 60, 1) > 0.8
