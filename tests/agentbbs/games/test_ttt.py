"""Tic-Tac-Toe against what is known of it: every game, every position, every last move."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentbbs.games.game import NOBODY, IllegalMove, MalformedPosition, Outcome
from agentbbs.games.ttt import TTT, TicTacToePosition

MOVES = tuple("012345678")

untimed = settings(deadline=None)
"""A busy machine is no fault of the rules."""


def after(moves: str) -> TicTacToePosition:
    """The position after moves of one character each."""
    position = TTT.initial()
    for move in moves:
        position = position.play(move)
    return position


def reachable() -> set[TicTacToePosition]:
    """Every position that a game can come to."""
    found = {TTT.initial()}
    opened = [TTT.initial()]
    while opened:
        position = opened.pop()
        new = {position.play(move) for move in position.legal} - found
        found |= new
        opened += new
    return found


@st.composite
def positions(draw: st.DrawFn) -> TicTacToePosition:
    """A position of some game, over or not."""
    position = TTT.initial()
    for _ in range(draw(st.integers(0, 9))):
        if position.outcome is not None:
            break
        position = position.play(draw(st.sampled_from(position.legal)))
    return position


def test_there_are_255168_complete_games() -> None:
    """The counts of wins for X, wins for O and draws over the whole game tree are well known."""
    results: Counter[int] = Counter()

    def walk(position: TicTacToePosition) -> None:
        if position.outcome is not None:
            results[position.outcome.winner] += 1
        for move in position.legal:
            walk(position.play(move))

    walk(TTT.initial())
    assert results == {0: 131184, 1: 77904, NOBODY: 46080}
    assert results.total() == 255168


def test_there_are_5478_positions_and_restore_knows_each_of_them_and_no_other() -> None:
    known = {position.serialise(): position for position in reachable()}
    assert len(known) == 5478
    taken = {}
    for cells in product("XO.", repeat=9):
        for seats in (" 0 1", " 1 0", " -1 0", " -1 1", " 0 -1"):
            text = "".join(cells) + seats
            try:
                taken[text] = TTT.restore(text)
            except MalformedPosition:
                continue
    assert taken == known


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        ("012345768", 0),  # X completes 0-4-8 with the ninth mark
        ("012435768", NOBODY),
        ("031485", 1),
        ("03142", 0),
    ],
)
def test_a_last_move_that_wins_is_a_win_and_a_full_board_without_one_a_draw(moves: str, winner: int) -> None:
    position = after(moves)
    assert position.outcome == Outcome(winner)
    assert (position.ply, position.to_move, position.legal) == (len(moves), NOBODY, ())
    assert position.observation()["legal"] == []
    assert position.observation()["toMove"] == -1


def test_every_line_wins() -> None:
    lines = ["012", "345", "678", "036", "147", "258", "048", "246"]
    for line in lines:
        others = [move for move in MOVES if move not in line][:2]
        assert after(f"{line[0]}{others[0]}{line[1]}{others[1]}{line[2]}").outcome == Outcome(0)


def test_the_observation_is_the_one_of_the_specification() -> None:
    assert after("04").observation() == {
        "board": ["X", ".", ".", ".", "O", ".", ".", ".", "."],
        "toMove": 0,
        "legal": ["1", "2", "3", "5", "6", "7", "8"],
    }
    assert list(after("04").observation()) == ["board", "toMove", "legal"]


@untimed
@given(positions())
def test_what_a_caller_does_to_an_observation_stays_with_the_caller(position: TicTacToePosition) -> None:
    before = position.serialise()
    shown = position.observation()
    shown["board"][0] = "?"
    shown["legal"].clear()
    assert position.serialise() == before
    assert position.observation()["board"] == list(position.cells)
    assert position.observation()["legal"] == list(position.legal)


@untimed
@given(positions())
def test_restore_undoes_serialise(position: TicTacToePosition) -> None:
    restored = TTT.restore(position.serialise())
    assert restored == position
    assert restored.serialise() == position.serialise()


@untimed
@given(positions(), st.sampled_from(MOVES))
def test_playing_a_move_leaves_the_position_as_it_was(position: TicTacToePosition, move: str) -> None:
    before = TTT.restore(position.serialise())
    if move in position.legal:
        following = position.play(move)
        assert following.ply == position.ply + 1
        assert following.cells[int(move)] == "XO"[position.to_move]
    else:
        with pytest.raises(IllegalMove):
            position.play(move)
    assert position == before


@untimed
@given(positions(), st.text(max_size=4) | st.text("0123456789 -+.ehX", max_size=3))
def test_any_string_that_is_not_in_legal_is_an_illegal_move(position: TicTacToePosition, move: str) -> None:
    if move not in position.legal:
        with pytest.raises(IllegalMove) as caught:
            position.play(move)
        assert (caught.value.move, caught.value.legal) == (move, position.legal)


@pytest.mark.parametrize("move", ["9", "-1", "a ", "A", "", " 0", "0 ", "00", "+0", "\uff10", "\u0660", "0\n", "????"])
def test_near_misses_of_a_move_are_illegal(move: str) -> None:
    with pytest.raises(IllegalMove):
        TTT.initial().play(move)


@untimed
@given(st.text(max_size=20) | st.text("XO.01- ", min_size=12, max_size=16))
def test_any_text_restores_to_what_it_says_or_is_malformed(text: str) -> None:
    try:
        restored = TTT.restore(text)
    except MalformedPosition:
        return
    assert restored.serialise() == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("XX....... 1 0", "count"),
        ("OX.....OX 1 0", "wrong seats"),
        ("XO....... 1 0", "wrong seats"),
        ("XXXOOO... -1 1", "went on after X"),
        ("OOOXX.X.X -1 0", "went on after O"),
        ("XXXOO...O 0 1", "went on after X"),
        ("......... 0 0", "wrong seats"),
        ("......... 0 -1\n", "not a position"),
        ("\u0445........ 1 0", "not a position"),
    ],
)
def test_restore_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(MalformedPosition, match=why):
        TTT.restore(text)


def test_the_text_shows_marks_and_the_names_of_free_cells() -> None:
    assert after("04").text() == " X | 1 | 2\n---+---+---\n 3 | O | 5\n---+---+---\n 6 | 7 | 8"
