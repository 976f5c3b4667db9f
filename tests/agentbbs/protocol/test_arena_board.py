"""Boards byte for byte, and moves there and back."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.games import catalog
from agentbbs.games.c4 import C4
from agentbbs.games.game import Game, Position
from agentbbs.games.ttt import TTT
from agentbbs.protocol.arena_board import arena_name, from_move, game_named, to_move, view

OF_THE_SPECIFICATION: Final = "```\n .......\n .......\n .......\n ...O...\n ...X...\n ..XOX..\n abcdefg\n```"


def after(game: Game, moves: str) -> Position:
    position = game.initial()
    for move in moves:
        position = position.play(move)
    return position


def test_the_very_board_of_the_specification() -> None:
    """X on c, O on d, X on d, O on d, X on e: columns 2, 3, 3, 3 and 4 of the house."""
    assert view(C4, after(C4, "23334"), 1).board == OF_THE_SPECIFICATION


def test_the_empty_boards() -> None:
    assert view(C4, C4.initial(), 0).board == "```\n" + " .......\n" * 6 + " abcdefg\n```"
    assert view(TTT, TTT.initial(), 0).board == "```\n ... 012\n ... 345\n ... 678\n```"


def test_tic_tac_toe_has_the_numbers_of_its_cells_beside_them() -> None:
    shown = view(TTT, after(TTT, "048"), 1)
    assert shown.board == "```\n X.. 012\n .O. 345\n ..X 678\n```"
    assert (shown.legal, shown.you) == (tuple("123567"), "O")


def test_a_full_column_is_not_legal() -> None:
    shown = view(C4, after(C4, "000000"), 0)
    assert shown.legal == tuple("bcdefg")
    assert shown.board.split("\n")[1:7] == [" O......", " X......"] * 3


def test_after_the_end_nothing_is_legal() -> None:
    over = after(C4, "0101010")
    for seat, mark in enumerate("XO"):
        assert (view(C4, over, seat).legal, view(C4, over, seat).you) == ((), mark)


def test_without_a_seat_it_is_the_one_to_move() -> None:
    assert view(TTT, after(TTT, "0"), 1) == view(TTT, after(TTT, "0"))


def test_names_on_the_wire() -> None:
    assert (arena_name(C4), arena_name(TTT)) == ("connect4", "ttt")
    for game in (C4, TTT):
        assert game_named(arena_name(game)) is game
        assert game_named(game.id.upper()) is game
    with pytest.raises(catalog.UnknownGame):
        game_named("chess960")


@pytest.mark.parametrize("game", [C4, TTT], ids=lambda game: game.id)
@given(st.randoms(use_true_random=False))
def test_every_position_says_its_moves_there_and_back(game: Game, chance: random.Random) -> None:
    position = game.initial()
    while position.legal:
        shown = view(game, position, position.to_move)
        assert tuple(to_move(game, move) for move in shown.legal) == position.legal
        assert tuple(from_move(game, to_move(game, move)) for move in shown.legal) == shown.legal
        assert shown.board.count("\n") == (8 if game is C4 else 4)
        assert not shown.board.endswith("\n")
        assert shown.board.count("X") + shown.board.count("O") == position.ply
        position = position.play(chance.choice(position.legal))


@pytest.mark.parametrize("move", ["", "h", "A", "0", "aa", "\uff19"])
def test_a_move_that_the_wire_has_not(move: str) -> None:
    with pytest.raises(KeyError):
        to_move(C4, move)


def test_a_move_that_the_house_has_not() -> None:
    for game, move in ((C4, "7"), (C4, "a"), (TTT, "9")):
        with pytest.raises(KeyError):
            from_move(game, move)


class Theirs:
    """A position of a game of another package, whose text holds a fence of its own."""

    ply, to_move, legal, outcome = 0, 0, ("e2-e4", "pass"), None

    def __init__(self, text: str) -> None:
        self._text = text

    def text(self) -> str:
        return self._text


class TheirGame:
    id = "their-game"


@pytest.mark.parametrize(
    ("text", "fence"), [("B.W\n.B.", "```"), ("a `code` span", "```"), ("```\nout", "````"), ("`" * 9, "`" * 10)]
)
def test_a_game_of_another_package_has_its_own_text_and_moves(text: str, fence: str) -> None:
    game: Any = TheirGame()
    position: Any = Theirs(text)
    shown = view(game, position, 0)
    rows = "".join(f" {row}\n" for row in text.split("\n"))
    assert shown.board == f"{fence}\n{rows}{fence}"
    assert (shown.legal, shown.you, arena_name(game)) == (("e2-e4", "pass"), "X", "their-game")
    assert to_move(game, "e2-e4") == from_move(game, "e2-e4") == "e2-e4"
