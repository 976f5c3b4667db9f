"""`minimax` never loses Tic-Tac-Toe, beats the others, and keeps to its time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from agentbbs.bots.greedy import GREEDY
from agentbbs.bots.minimax import MINIMAX
from agentbbs.games.c4 import C4
from agentbbs.games.game import Game, Position
from agentbbs.games.ttt import TTT

AMPLE_S = 5.0
"""The search of Tic-Tac-Toe ends by itself in a tenth of a second."""

OVERRUN_S = 0.05


@pytest.mark.parametrize("seat", [0, 1])
def test_it_never_loses_tic_tac_toe_whatever_the_opponent_plays(seat: int) -> None:
    results = set()
    seen = set()
    opened: list[Position] = [TTT.initial()]
    while opened:
        position = opened.pop()
        if position.outcome is not None:
            results.add(position.outcome.winner)
            continue
        if position.to_move == seat:
            replies = [MINIMAX.choose(position, random.Random(seat), AMPLE_S)]
        else:
            replies = list(position.legal)
        for move in replies:
            after = position.play(move)
            if after.serialise() not in seen:
                seen.add(after.serialise())
                opened.append(after)
    assert results == {seat, -1}


def test_it_beats_greedy_at_connect_four(score: Callable[..., float]) -> None:
    assert score(MINIMAX, GREEDY, C4, 10, 0.05) >= 0.8


def test_it_takes_a_win_even_with_no_time() -> None:
    position = C4.initial()
    for move in "001122":
        position = position.play(move)
    assert MINIMAX.choose(position, random.Random(), 0) == "3"


@pytest.mark.parametrize("budget_s", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("game", [TTT, C4], ids=["ttt", "c4"])
def test_it_keeps_to_its_time(game: Game, budget_s: float) -> None:
    """Measured in processor time, so that a busy machine does not count as thinking."""
    rng = random.Random(6)
    for _ in range(3):
        position: Position = game.initial()
        for _ in range(rng.randrange(5)):
            position = position.play(rng.choice(position.legal))
        started = time.process_time()
        MINIMAX.choose(position, rng, budget_s)
        assert time.process_time() - started < budget_s + OVERRUN_S


def test_a_forced_move_takes_no_time() -> None:
    """One legal move left: there is nothing to think about."""
    position: Position = TTT.initial()
    for move in "01243576":
        position = position.play(move)
    assert position.legal == ("8",)
    started = time.process_time()
    assert MINIMAX.choose(position, random.Random(), 60) == "8"
    assert time.process_time() - started < 1
