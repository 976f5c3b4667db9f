"""Alpha-beta against plain exhaustive search, on games that it knows nothing of."""

from __future__ import annotations

import random
import time
from functools import cache
from typing import Any

import msgspec
import pytest

from agentbbs.bots import alphabeta
from agentbbs.games.game import NOBODY, IllegalMove, Outcome
from agentbbs.games.ttt import TTT, TicTacToePosition

FOREVER = float("inf")


class Heap(msgspec.Struct, frozen=True):
    """Take one, two or three from a heap; who takes the last wins. Whoever takes two moves again."""

    left: int
    ply: int
    seat: int

    @property
    def to_move(self) -> int:
        return self.seat if self.left else NOBODY

    @property
    def legal(self) -> tuple[str, ...]:
        return ("1", "2", "3")[: self.left]

    @property
    def outcome(self) -> Outcome | None:
        return None if self.left else Outcome(self.seat)

    def play(self, move: str) -> Heap:
        if move not in self.legal:
            raise IllegalMove(move, self.legal)
        left = self.left - int(move)
        stays = move == "2" or left == 0
        return Heap(left, self.ply + 1, self.seat if stays else 1 - self.seat)

    def observation(self) -> dict[str, Any]:
        return {"board": self.left, "toMove": self.to_move, "legal": list(self.legal)}

    def text(self) -> str:
        return str(self.left)

    def serialise(self) -> str:
        return f"{self.left} {self.ply} {self.seat}"


@cache
def value(position: Heap | TicTacToePosition) -> int:
    """What the seat to move gets with best play: 100 - plies for a win, plies - 100 for a loss, 0 for a draw."""
    return max(value_of(position, move) for move in position.legal)


def value_of(position: Heap | TicTacToePosition, move: str) -> int:
    """The value of a move for the seat that plays it."""
    after = position.play(move)
    if after.outcome is not None:
        if after.outcome.winner == NOBODY:
            return 0
        return 100 - after.ply if after.outcome.winner == position.to_move else after.ply - 100
    return value(after) if after.to_move == position.to_move else -value(after)


@pytest.mark.parametrize("left", range(1, 14))
@pytest.mark.parametrize("seat", [0, 1])
def test_it_finds_the_quickest_win_and_the_slowest_loss_where_a_seat_may_move_twice(left: int, seat: int) -> None:
    position = Heap(left, 0, seat)
    move = alphabeta.best(position, list(position.legal), FOREVER)
    assert value_of(position, move) == value(position)


def test_it_plays_best_in_every_position_of_random_games_of_tic_tac_toe() -> None:
    rng = random.Random(3)
    for _ in range(40):
        position = TTT.initial()
        for _ in range(2 + rng.randrange(4)):
            position = position.play(rng.choice(position.legal))
        while position.outcome is None:
            moves = list(position.legal)
            rng.shuffle(moves)
            move = alphabeta.best(position, moves, FOREVER)
            assert value_of(position, move) == value(position)
            position = position.play(move)


def test_of_equal_moves_it_takes_the_first() -> None:
    for first in "0246":
        moves = [first, *(move for move in "012345678" if move != first)]
        assert alphabeta.best(TTT.initial(), moves, FOREVER) == first


def test_after_the_deadline_it_takes_the_first_move() -> None:
    assert alphabeta.best(TTT.initial(), list("876543210"), 0) == "8"


def test_a_long_game_without_a_choice_ends_within_the_stack() -> None:
    class Corridor(Heap, frozen=True):
        @property
        def legal(self) -> tuple[str, ...]:
            return ("1",)[: self.left]

        def play(self, move: str) -> Corridor:
            return Corridor(self.left - 1, self.ply + 1, 1 - self.seat if self.left > 1 else self.seat)

    assert alphabeta.best(Corridor(2000, 0, 0), ["1"], time.monotonic() + 5) == "1"
