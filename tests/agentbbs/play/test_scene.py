"""Positions as something to draw: the games of the house, and whatever others show as their board."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.random_matches import finished_matches

from agentbbs.games.c4 import C4
from agentbbs.games.catalog import find
from agentbbs.games.game import Game, Outcome, Position
from agentbbs.games.ttt import TTT
from agentbbs.play.ports import FinishedMatch
from agentbbs.play.scene import EMPTY, MAX_SIDE, Scene, scene


def after(game: Game, moves: str) -> tuple[Position, Position | None]:
    """The position after `moves`, one character each, and the one before it."""
    position, before = game.initial(), None
    for move in moves:
        position, before = position.play(move), position
    return position, before


def drawn(game: Game, moves: str) -> Scene:
    found = scene(*after(game, moves))
    assert found is not None
    return found


class Board(msgspec.Struct, frozen=True):
    """A position of a game that nobody here knows, with any board."""

    board: Any
    ply: int = 0
    to_move: int = 0
    legal: tuple[str, ...] = ("a",)
    outcome: Outcome | None = None

    def play(self, move: str) -> Board:
        return self

    def observation(self) -> dict[str, Any]:
        return {} if self.board is None else {"board": self.board}

    def text(self) -> str:
        return "a board"

    def serialise(self) -> str:
        return "a board"


class TestOfTheHouse:
    def test_ttt_has_its_cells_by_number(self) -> None:
        found = drawn(TTT, "40")
        assert (found.columns, found.rows, found.style) == (3, 3, "grid")
        assert found.cells == ("O", "", "", "", "X", "", "", "", "")
        assert found.names == tuple("012345678")
        assert found.fresh == (0,)

    def test_c4_has_discs_over_the_numbers_of_its_columns(self) -> None:
        found = drawn(C4, "33")
        assert (found.columns, found.rows, found.style) == (7, 6, "discs")
        assert found.column_labels == tuple("0123456")
        assert [at for at, mark in enumerate(found.cells) if mark] == [4 * 7 + 3, 5 * 7 + 3]
        assert found.cells[5 * 7 + 3] == "X"
        assert found.fresh == (4 * 7 + 3,)

    @pytest.mark.parametrize(
        ("game", "moves", "won"),
        [
            (TTT, "03142", (0, 1, 2)),
            (TTT, "01342", ()),
            (TTT, "012436587", ()),
            (TTT, "012346578", (0, 2, 4, 5, 8)),
            (C4, "010101", ()),
            (C4, "0101010", (14, 21, 28, 35)),
            (C4, "0011223", (35, 36, 37, 38)),
            (C4, "2132334444", (18, 24, 30, 36)),
            (C4, "42123521311", (15, 23, 31, 39)),
        ],
        ids=["row", "going on", "drawn", "two lines at once", "three", "column", "level", "rising", "falling"],
    )
    def test_the_line_that_won_is_known_once_it_has(self, game: Game, moves: str, won: tuple[int, ...]) -> None:
        assert drawn(game, moves).won == won

    @settings(deadline=None)
    @given(finished_matches)
    def test_every_position_of_every_match_can_be_drawn(self, match: FinishedMatch) -> None:
        position: Position = find(match.game).initial()
        before: Position | None = None
        for ply in (None, *match.plies):
            if ply is not None:
                position, before = position.play(ply.move), position
            found = scene(position, before)
            assert found is not None
            board = position.observation()["board"]
            flat = [cell for row in board for cell in row]
            assert len(found.cells) == found.columns * found.rows == len(flat)
            assert [mark or "." for mark in found.cells] == flat
            assert len(found.fresh) == (0 if before is None else 1)
            winner = None if position.outcome is None else position.outcome.winner
            assert {found.cells[at] for at in found.won} == ({"XO"[winner]} if winner in {0, 1} else set())


class TestOfOthers:
    @pytest.mark.parametrize(
        ("board", "columns", "cells"),
        [
            ([["a", "."], ["", "B"]], 2, ("a", "", "", "B")),
            (["a", None, "-", "b"], 2, ("a", "", "", "b")),
            ([["♔", "_", " "]], 3, ("♔", "", "")),
            ((("wK", "bQ"),), 2, ("wK", "bQ")),
        ],
    )
    def test_rows_or_a_square_of_short_texts_are_a_grid(
        self, board: object, columns: int, cells: tuple[str, ...]
    ) -> None:
        found = scene(Board(board))
        assert found == Scene(columns, len(cells) // columns, cells)

    @pytest.mark.parametrize(
        "board",
        [
            None,
            [],
            "rnbqkbnr/8",
            {"a1": "R"},
            3,
            [[]],
            [["a"], ["a", "b"]],
            ["a", "b"],
            [1, 2, 3, 4],
            [["long text"]],
            [["a"], "b"],
            [["a", ["b"]]],
            [["\x1b"]],
            [["."] * (MAX_SIDE + 1)],
            [["."]] * (MAX_SIDE + 1),
            [True, False, True, False],
        ],
    )
    def test_anything_else_is_none(self, board: object) -> None:
        assert scene(Board(board)) is None

    def test_what_changed_is_told_between_boards_of_one_shape_alone(self) -> None:
        now = Board(["a", "b", ".", "."])
        for before, fresh in ((Board([".", "b", ".", "c"]), (0, 3)), (Board(["a"]), ()), (Board("text"), ())):
            found = scene(now, before)
            assert found is not None
            assert found.fresh == fresh

    @settings(deadline=None)
    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=4),
            lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
            max_leaves=30,
        )
    )
    def test_no_board_is_a_fault(self, board: object) -> None:
        found = scene(Board(board))
        if found is not None:
            assert len(found.cells) == found.columns * found.rows
            assert not EMPTY & set(found.cells) - {""}
