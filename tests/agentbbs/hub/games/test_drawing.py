"""Boards as text in styles."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.games.catalog import GAMES, find
from agentbbs.games.game import Position
from agentbbs.hub.games.drawing import board
from agentbbs.hub.games.grid import Place
from agentbbs.hub.paint import spans
from agentbbs.hub.text import Style, Text, plain


def after(game: str, moves: str) -> Position:
    position = find(game).initial()
    for move in moves:
        position = position.play(move)
    return position


def shown(rows: list[Text]) -> str:
    return "\n".join(plain(row).rstrip() for row in rows)


def styled(rows: list[Text], style: Style) -> list[str]:
    return [span.text for row in rows for span in spans(row) if span.style is style]


def test_tic_tac_toe_with_its_last_move() -> None:
    assert shown(board("ttt", after("ttt", "48"), last="8")) == (
        "    0 │ 1 │ 2\n   ───┼───┼───\n    3 │ X │ 5\n   ───┼───┼───\n    6 │ 7 │[O]"
    )


def test_connect_four_with_its_last_move() -> None:
    assert shown(board("c4", after("c4", "332"), last="2")) == (
        "   │   │   │   │   │   │   │   │\n" * 4
        + "   │   │   │   │ O │   │   │   │\n"
        + "   │   │   │[X]│ X │   │   │   │\n"
        + "   └───┴───┴───┴───┴───┴───┴───┘\n"
        + "     0   1   2   3   4   5   6"
    )


def test_the_cursor_is_marked_on_a_cell_over_a_column_or_on_a_move() -> None:
    assert styled(board("ttt", after("ttt", "4"), Place(1, 1)), Style.CURSOR) == [" X "]
    assert styled(board("c4", after("c4", "3"), Place(2, 0)), Style.CURSOR) == [" ▼ ", " 2 "]
    assert styled(board("halma", after("ttt", "4"), Place(1, 0)), Style.CURSOR) == ["1"]


def test_a_full_column_is_shown_as_one() -> None:
    assert " 0 " in styled(board("c4", after("c4", "000000")), Style.DIM)


@pytest.mark.parametrize("game", [*GAMES, "halma"])
@given(seed=st.integers(0, 1000))
def test_every_position_fits_a_narrow_screen(game: str, seed: int) -> None:
    rng = random.Random(seed)
    position = find(game if game in GAMES else "c4").initial()
    last = None
    while position.legal:
        rows = board(game, position, Place(0, 0), last)
        assert len(rows) <= 12
        assert all(len(plain(row)) < 40 for row in rows)
        last = rng.choice(position.legal)
        position = position.play(last)
    assert board(game, position, None, last)
