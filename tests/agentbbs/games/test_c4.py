"""Connect 4 against what is known of it: counts of games and positions, every line, every last move."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentbbs.games.c4 import C4, CELLS, COLUMNS, ROWS, ConnectFourPosition, has_four
from agentbbs.games.conformance import perft
from agentbbs.games.game import NOBODY, IllegalMove, MalformedPosition, Outcome

PERFT = (1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234)
"""Lists of legal moves by their length."""

POSITIONS_BY_PLY = (1, 7, 49, 238, 1120, 4263)
"""Positions by the number of discs: J. Tromp's count, sequence A212693 of the OEIS."""

DRAWN = "045662620302365423361262411153311045054450"
WON_BY_THE_LAST_DISC = "310364153621032464662036022243415104505551"

untimed = settings(deadline=None)
"""A busy machine is no fault of the rules."""


def after(moves: str) -> ConnectFourPosition:
    """The position after moves of one character each."""
    position = C4.initial()
    for move in moves:
        position = position.play(move)
    return position


def serialised(*rows: str, seats: str) -> str:
    """The serialised form of a board whose lowest rows are given, the upper one first."""
    return "/".join(["......."] * (ROWS - len(rows)) + list(rows)) + f" {seats}"


@st.composite
def positions(draw: st.DrawFn) -> ConnectFourPosition:
    """A position of some game, over or not."""
    position = C4.initial()
    for _ in range(draw(st.integers(0, CELLS))):
        if position.outcome is not None:
            break
        position = position.play(draw(st.sampled_from(position.legal)))
    return position


@pytest.mark.parametrize("depth", range(8))
def test_perft(depth: int) -> None:
    assert perft(C4, depth) == PERFT[depth]


@pytest.mark.slow
def test_perft_at_depth_eight() -> None:
    assert perft(C4, 8) == PERFT[8]


def lines() -> list[int]:
    """Every line of four cells, found by coordinates."""
    return [
        sum(1 << 8 * (row + up * step) + column + right * step for step in range(4))
        for row, column in product(range(ROWS), range(COLUMNS))
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        if row + 3 * up < ROWS and 0 <= column + 3 * right < COLUMNS
    ]


LINES = lines()


def test_the_69_lines_win_and_three_of_their_cells_do_not() -> None:
    assert len(LINES) == 69
    for line in LINES:
        assert has_four(line)
        assert not any(has_four(line & ~(1 << bit)) for bit in range(48) if line >> bit & 1)


@untimed
@given(st.sets(st.tuples(st.integers(0, ROWS - 1), st.integers(0, COLUMNS - 1)), max_size=CELLS))
def test_cells_hold_a_four_if_and_only_if_they_hold_a_line(cells: set[tuple[int, int]]) -> None:
    discs = sum(1 << 8 * row + column for row, column in cells)
    assert has_four(discs) == any(discs & line == line for line in LINES)


def test_no_line_runs_round_the_edge() -> None:
    """The last cells of a row and the first of the next, in order: four neighbours by number, no four."""
    for split in (1, 2, 3):
        lower = sum(1 << column for column in range(COLUMNS - split, COLUMNS))
        upper = sum(1 << 8 + column for column in range(4 - split))
        assert not has_four(lower | upper)


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        ("0011223", 0),
        ("0102030", 0),
        ("60102030", 1),
        ("01122323363", 0),
        ("65544343303", 0),
    ],
    ids=["row", "column", "second player", "rising", "falling"],
)
def test_fours(moves: str, winner: int) -> None:
    assert after(moves[:-1]).outcome is None
    assert after(moves).outcome == Outcome(winner)


def test_a_full_board_without_a_four_is_a_draw() -> None:
    position = after(DRAWN)
    assert position.outcome == Outcome(NOBODY)
    assert (position.ply, position.to_move, position.legal) == (CELLS, NOBODY, ())
    assert position.observation()["legal"] == []


def test_the_last_disc_can_still_win() -> None:
    assert after(WON_BY_THE_LAST_DISC[:-1]).outcome is None
    position = after(WON_BY_THE_LAST_DISC)
    assert position.outcome == Outcome(1)
    assert (position.ply, position.to_move, position.legal) == (CELLS, NOBODY, ())


def test_a_full_column_is_no_legal_move() -> None:
    position = after("333333")
    assert position.legal == ("0", "1", "2", "4", "5", "6")
    with pytest.raises(IllegalMove):
        position.play("3")


def test_the_observation_is_the_one_of_the_specification() -> None:
    shown = after("330").observation()
    assert list(shown) == ["board", "toMove", "legal"]
    assert shown["board"] == [*([["."] * 7] * 4), list("...O..."), list("X..X...")]
    assert (shown["toMove"], shown["legal"]) == (1, ["0", "1", "2", "3", "4", "5", "6"])


@untimed
@given(positions())
def test_what_a_caller_does_to_an_observation_stays_with_the_caller(position: ConnectFourPosition) -> None:
    before = position.serialise()
    shown = position.observation()
    for row in shown["board"]:
        row[:] = ["?"] * 7
    shown["legal"].clear()
    assert position.serialise() == before
    assert "?" not in str(position.observation())
    assert position.observation()["legal"] == list(position.legal)


@untimed
@given(positions())
def test_restore_undoes_serialise_at_every_ply(position: ConnectFourPosition) -> None:
    restored = C4.restore(position.serialise())
    assert restored == position
    assert restored.serialise() == position.serialise()
    for move in position.legal:
        assert restored.play(move) == position.play(move)


def test_restore_takes_the_known_number_of_positions_of_each_ply() -> None:
    """Of all boards with so many discs, floating or not, by turns or not, exactly those that games lead to."""
    for discs, known in enumerate(POSITIONS_BY_PLY):
        taken = set()
        seats = "0 -1" if discs == 0 else f"{discs & 1} {(discs - 1) & 1}"
        for heights in product(range(discs + 1), repeat=COLUMNS):
            if sum(heights) != discs:
                continue
            for marks in product("XO", repeat=discs):
                text = f"{board(heights, marks)} {seats}"
                try:
                    taken.add(C4.restore(text))
                except MalformedPosition:
                    continue
        assert len(taken) == known


def board(heights: tuple[int, ...], marks: tuple[str, ...]) -> str:
    """The rows of a board whose columns are filled with `marks` up to `heights`, column by column."""
    rest = iter(marks)
    columns = ["".join(next(rest) for _ in range(height)).ljust(ROWS, ".") for height in heights]
    return "/".join("".join(column[row] for column in columns) for row in reversed(range(ROWS)))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (serialised("XX.....", seats="1 0"), "counts"),
        (serialised("OX.....", seats="1 0"), "wrong seats"),
        (serialised("X......", ".......", seats="1 0"), "floats"),
        (serialised("OOO....", "XXXX...", seats="1 0"), "wrong seats"),
        (serialised("OOOO...", "XXXX...", seats="-1 1"), "after X had won"),
        (serialised("...XX..", "OOOOXXX", seats="-1 0"), "after O had won"),
        (serialised("X......", "O......", seats="0 1"), "no order of turns"),
        (serialised("X.X....", "XOXO...", "XOXO...", "XOXO.O.", seats="-1 0"), "no order of turns"),
        (serialised("......X", "OOOXXXX", seats="-1 0"), "counts"),
        (serialised("XOOO...", "XXXXO..", seats="-1 0"), "no order of turns"),
        (serialised(seats="0 0"), "wrong seats"),
        (serialised(seats="-1 -1"), "wrong seats"),
        (serialised(seats="0 -1") + "\n", "not a position"),
        (serialised("......", seats="0 -1"), "not a position"),
        ("", "not a position"),
    ],
)
def test_restore_says_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(MalformedPosition, match=why):
        C4.restore(text)


def test_one_disc_may_make_two_fours() -> None:
    position = after("0011224455663")
    assert position.outcome == Outcome(0)
    assert C4.restore(position.serialise()) == position


@untimed
@given(positions(), st.text(max_size=4) | st.text("0123456789 -+.eahg", max_size=3))
def test_any_string_that_is_not_in_legal_is_an_illegal_move(position: ConnectFourPosition, move: str) -> None:
    if move not in position.legal:
        with pytest.raises(IllegalMove) as caught:
            position.play(move)
        assert (caught.value.move, caught.value.legal) == (move, position.legal)


@pytest.mark.parametrize(
    "move", ["7", "h", "d", "-1", "a ", "A", "", " 3", "3 ", "03", "+3", "\uff13", "\u0663", "3\n"]
)
def test_near_misses_of_a_move_are_illegal(move: str) -> None:
    with pytest.raises(IllegalMove):
        C4.initial().play(move)


@untimed
@given(st.text(max_size=60) | st.text("XO./01- ", min_size=50, max_size=54))
def test_any_text_restores_to_what_it_says_or_is_malformed(text: str) -> None:
    try:
        restored = C4.restore(text)
    except MalformedPosition:
        return
    assert restored.serialise() == text


@untimed
@given(positions(), st.integers(0, 50), st.sampled_from("XO./01-"))
def test_a_text_with_one_character_changed_restores_to_what_it_says_or_is_malformed(
    position: ConnectFourPosition, place: int, char: str
) -> None:
    text = position.serialise()
    changed = text[:place] + char + text[place + 1 :]
    try:
        restored = C4.restore(changed)
    except MalformedPosition:
        return
    assert restored.serialise() == changed


def test_the_text_shows_the_board_over_the_numbers_of_the_columns() -> None:
    assert after("330").text().splitlines() == [
        *[". . . . . . ."] * 4,
        ". . . O . . .",
        "X . . X . . .",
        "0 1 2 3 4 5 6",
    ]
