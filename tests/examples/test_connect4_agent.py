"""The Connect 4 agent against truth from outside: the house's rules, exhausted endings, the house agents."""

from __future__ import annotations

import importlib.util
import itertools
import random
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agentbbs.bots import catalog as bots
from agentbbs.games.c4 import C4, ConnectFourPosition
from agentbbs.protocol.arena_board import to_move, view

SCRIPT = Path(__file__).parents[2] / "examples" / "connect4-agent" / "agent.py"
LOOKS = 20
"""At the clock, in a search that is cut off: about 5,000 positions, whatever the machine."""


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("connect4_agent", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


AGENT = _loaded()


def turn(position: ConnectFourPosition, **changes: Any) -> dict[str, Any]:
    shown = view(C4, position)
    asked = {"match_id": "m", "game": "connect4", "you": shown.you, "move_number": position.ply + 1}
    return asked | {"board": shown.board, "legal": list(shown.legal), "deadline_ms": 1000, "nonce": "n"} | changes


def reached(moves: str) -> ConnectFourPosition:
    position = C4.initial()
    for move in moves:
        position = position.play(move)
    return position


def chosen(position: ConnectFourPosition, looks: int = LOOKS) -> str:
    """The house's move that the agent makes, with that much time."""
    ticks = itertools.count(0.0, 0.4 / looks)
    return to_move(C4, AGENT.choose(turn(position), lambda: next(ticks)))


@st.composite
def positions(draw: st.DrawFn, plies: st.SearchStrategy[int]) -> ConnectFourPosition:
    """That far into a match which is not over."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    position = C4.initial()
    for _ in range(draw(plies)):
        calm = [move for move in position.legal if position.play(move).outcome is None]
        assume(calm)
        position = position.play(rng.choice(calm))
    return position


def cells(position: ConnectFourPosition) -> tuple[int, int]:
    """Those of the player to move, and the other's."""
    shown = view(C4, position)
    return AGENT.cells_of(shown.board, shown.you), AGENT.cells_of(shown.board, "O" if shown.you == "X" else "X")


@given(positions(st.integers(0, 36)))
def test_it_knows_which_moves_are_there_and_which_win(position: ConnectFourPosition) -> None:
    mine, theirs = cells(position)
    free = AGENT.playable(mine | theirs)
    wins = free & AGENT.winning(mine, mine | theirs)
    for column in range(7):
        move = str(column)
        assert bool(free & AGENT.COLUMN[column]) == (move in position.legal)
        won = move in position.legal and position.play(move).outcome is not None and position.ply < 41
        assert bool(wins & AGENT.COLUMN[column]) == won


@cache
def exhausted(position: ConnectFourPosition) -> int:
    """1 if the player to move wins, 0 for a draw, -1: by the rules of the house, to the end of every line."""
    if position.outcome is not None:
        return 0 if position.outcome.winner == -1 else -1
    return max(-exhausted(position.play(move)) for move in position.legal)


@settings(max_examples=30, deadline=None)
@given(positions(st.integers(31, 40)))
def test_it_plays_endings_perfectly(position: ConnectFourPosition) -> None:
    move = chosen(position, looks=100)
    assert -exhausted(position.play(move)) == exhausted(position)


@pytest.mark.parametrize(
    ("moves", "best"),
    [("", "3"), ("010101", "0"), ("01010", "0"), ("445566", "3"), ("2636", "14"), ("263", "14")],
    ids=["the centre first", "win up", "block up", "win sideways", "make two ways to win", "stop two ways to win"],
)
def test_it_sees_what_is_to_be_seen(moves: str, best: str) -> None:
    assert chosen(reached(moves), looks=2) in best


def test_it_knows_who_gets_a_cell_in_the_end() -> None:
    def cell(name: str) -> int:
        bit: int = 1 << 7 * "abcdefg".index(name[0]) + int(name[1]) - 1
        return bit

    gets = AGENT.who_gets_them
    assert gets(cell("a3"), 0) > 0  # an odd row: the first player's
    assert gets(0, cell("g4")) < 0  # an even row: the second player's
    assert gets(cell("a4"), cell("g3")) == 0  # neither gets what they need
    assert gets(cell("a3"), cell("g4")) > 0  # the odd one turns round who has to give
    assert gets(cell("a3"), cell("g5")) == 0  # a fight over two odd columns
    assert gets(cell("a5"), cell("a4")) < 0  # the cell beneath decides about the column
    assert gets(cell("a6") | cell("b3"), cell("a2")) > 0  # and about no other column


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["greedy", "random"])
@pytest.mark.parametrize("seed", [1, 2])
def test_it_beats_house_agents_with_hardly_any_time(name: str, seat: int, seed: int) -> None:
    bot, rng, position = bots.find(name), random.Random(seed), C4.initial()
    while position.outcome is None:
        mine = position.to_move == seat
        position = position.play(chosen(position) if mine else bot.choose(position, rng, 60.0))
    assert position.outcome.winner == seat


def test_what_it_has_no_time_for_is_still_legal_and_loses_nothing_at_once() -> None:
    position = reached("01010")
    assert AGENT.choose(turn(position, deadline_ms=0), lambda: 0.0) == "a"


@pytest.mark.parametrize(
    "changes",
    [
        {"board": ""},
        {"board": "```\n .......\n```"},
        {"board": "```\n" + " ........\n" * 6 + " abcdefgh\n```"},
        {"game": "chess"},
        {"legal": ["b", "g"]},
    ],
)
def test_legal_counts_whatever_the_board_looks_like(changes: dict[str, Any]) -> None:
    asked = turn(C4.initial(), **changes)
    assert AGENT.choose(asked) in asked["legal"]


def test_the_same_question_gets_the_same_move_and_memory_is_bounded() -> None:
    answers = AGENT.Answers()
    short = turn(C4.initial(), deadline_ms=0)
    assert answers.move(short) == answers.move(short | {"nonce": "other", "board": ""}) == "d"
    assert answers.move(short | {"legal": ["a"]}) == "a"
    for number in range(AGENT.MAX_ANSWERS + 1):
        answers.move(short | {"match_id": f"m-{number}", "legal": ["a"]})
    assert len(answers.moves) == AGENT.MAX_ANSWERS
