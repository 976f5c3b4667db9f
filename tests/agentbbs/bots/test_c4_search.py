"""The Connect 4 search: tactics known by name, and plain exhaustive search as its judge."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from agentbbs.bots import c4_search
from agentbbs.games.c4 import C4, COLUMNS, ROWS, ConnectFourPosition, has_four
from agentbbs.games.game import NOBODY

FOREVER = float("inf")


def after(moves: str) -> ConnectFourPosition:
    """The position after moves of one character each."""
    position = C4.initial()
    for move in moves:
        position = position.play(move)
    return position


def found(position: ConnectFourPosition, budget_s: float = 0.5) -> str:
    """What the search plays."""
    return c4_search.best(position, list(position.legal), time.monotonic() + budget_s)


@cache
def value(position: ConnectFourPosition, depth: int) -> int:
    """The value for the player to move by looking at every move: 100 - plies for a win within `depth` plies,
    plies - 100 for a loss, else 0."""
    return max(value_of(position, move, depth) for move in position.legal)


def value_of(position: ConnectFourPosition, move: str, depth: int) -> int:
    """The value of a move for the player who makes it."""
    reached = position.play(move)
    if reached.outcome is not None:
        return 0 if reached.outcome.winner == NOBODY else 100 - reached.ply
    return -value(reached, depth - 1) if depth > 1 else 0


def random_positions(seed: int, plies: range) -> Iterator[ConnectFourPosition]:
    """Positions of random games that are not over, at random plies, without end."""
    rng = random.Random(seed)
    while True:
        position = C4.initial()
        for _ in range(rng.choice(plies)):
            position = position.play(rng.choice(position.legal))
            if position.outcome is not None:
                break
        else:
            yield position


@pytest.mark.parametrize(
    ("moves", "answers"),
    [
        pytest.param("001122", "3", id="win in one, a row"),
        pytest.param("010203", "0", id="win in one, a column"),
        pytest.param("0112232336", "3", id="win in one, a diagonal"),
        pytest.param("00112", "3", id="block in one, a row"),
        pytest.param("01020", "0", id="block in one, a column"),
        pytest.param("0011226", "3", id="win, not block"),
        pytest.param("3323", "14", id="win in three: two of three open cells"),
        pytest.param("332", "14", id="block an open two before it is a three"),
    ],
)
def test_tactics(moves: str, answers: str) -> None:
    assert found(after(moves), 0.4) in set(answers)


@pytest.mark.parametrize("budget_s", [0.0, 0.2])
def test_it_finds_every_forced_win_within_five_plies_on_the_quickest_way(budget_s: float) -> None:
    won = 0
    positions = random_positions(11, range(8, 24))
    while won < 12:
        position = next(positions)
        best = value(position, 3) or value(position, 5)
        if best <= 0 or (budget_s == 0 and best < 100 - position.ply - 1):
            continue
        won += 1
        move = found(position, budget_s or 0)
        assert value_of(position, move, 5) == best
    value.cache_clear()


def test_it_defends_as_long_as_can_be() -> None:
    lost = 0
    positions = random_positions(12, range(8, 24))
    while lost < 12:
        position = next(positions)
        best = value(position, 4)
        if best >= 0:
            continue
        lost += 1
        assert value_of(position, found(position, 0.2), 4) == best
    value.cache_clear()


def test_near_the_end_it_plays_perfectly() -> None:
    positions = random_positions(13, range(32, 37))
    for _ in range(30):
        position = next(positions)
        best = value(position, 42)
        assert value_of(position, c4_search.best(position, list(position.legal), FOREVER), 42) == best
    value.cache_clear()


def test_it_never_fills_the_cell_under_a_four_even_with_no_time() -> None:
    positions = random_positions(14, range(6, 30))
    for _ in range(200):
        position = next(positions)
        values = {move: value_of(position, move, 2) for move in position.legal}
        assert values[found(position, 0)] == max(values.values())


def test_the_centre_is_the_first_move() -> None:
    """The one first move that wins, as was shown by J. Allen and V. Allis in 1988."""
    assert found(C4.initial()) == "3"


def test_winning_cells_are_those_that_complete_a_four() -> None:
    cells = [1 << 8 * row + column for row, column in product(range(ROWS), range(COLUMNS))]
    positions = random_positions(15, range(30))
    for _ in range(200):
        position = next(positions)
        taken = position.x | position.o
        for own, other in ((position.x, position.o), (position.o, position.x)):
            expected = sum(cell for cell in cells if not taken & cell and has_four(own | cell))
            assert c4_search.winning_cells(own, other) == expected


def test_drops_are_the_lowest_free_cells() -> None:
    positions = random_positions(16, range(38))
    for _ in range(100):
        position = next(positions)
        taken = position.x | position.o
        played = (position.play(move) for move in position.legal)
        assert c4_search.drops(taken) == sum((reached.x | reached.o) ^ taken for reached in played)
