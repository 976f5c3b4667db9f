"""Agreement with OpenSpiel, an implementation that owes nothing to ours, move by move on random games."""

from __future__ import annotations

import random
from typing import Any

import pytest

from agentbbs.games.c4 import C4
from agentbbs.games.game import Game, Outcome, Position
from agentbbs.games.ttt import TTT

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel (the extra `oracle`) is not installed")

GAMES = 300


@pytest.mark.parametrize(("game", "oracle"), [(TTT, "tic_tac_toe"), (C4, "connect_four")], ids=["ttt", "c4"])
def test_random_games_agree(game: Game, oracle: str) -> None:
    rng = random.Random(20)
    winners = set()
    for _ in range(GAMES):
        position: Position = game.initial()
        state = pyspiel.load_game(oracle).new_initial_state()
        agree(position, state)
        while position.outcome is None:
            move = rng.choice(position.legal)
            position = position.play(move)
            state.apply_action(int(move))
            agree(position, state)
        winners.add(position.outcome.winner)
    assert winners >= {0, 1}


@pytest.mark.parametrize("moves", ["012345768", "012435768"])
def test_full_boards_agree(moves: str) -> None:
    position: Position = TTT.initial()
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for move in moves:
        position = position.play(move)
        state.apply_action(int(move))
    agree(position, state)


def agree(position: Position, state: Any) -> None:
    """Board, turn, legal moves and outcome are the same in both."""
    board = position.observation()["board"]
    ours = "".join(cell if isinstance(cell, str) else "".join(cell) for cell in board)
    assert ours == "".join(str(state).split()).upper()
    assert state.is_terminal() == (position.outcome is not None)
    assert [int(move) for move in position.legal] == state.legal_actions()
    if position.outcome is None:
        assert position.to_move == state.current_player()
    else:
        assert position.to_move == -1
        assert state.returns() == returns(position.outcome)


def returns(outcome: Outcome) -> list[float]:
    """What each seat takes from a game, as OpenSpiel counts it."""
    return [0.0 if outcome.winner == -1 else 1.0 if outcome.winner == seat else -1.0 for seat in (0, 1)]
