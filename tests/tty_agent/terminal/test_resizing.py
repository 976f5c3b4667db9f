"""Another size: what is kept, what comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect
from tty_agent.terminal.screen import Screen

BOTH = pytest.mark.parametrize("dialect", [ANSI_BBS, XTERM], ids=lambda dialect: dialect.name)


@BOTH
def test_132x37_and_back(dialect: Dialect) -> None:
    screen = Screen(dialect=dialect)
    screen.feed(b"hello\x1b[20;70Hworld")
    for size in ((132, 37), (80, 24)):
        screen.resize(*size)
        assert (screen.columns, screen.rows) == size
        assert screen.line(0) == "hello"
        assert screen.line(19) == " " * 69 + "world"
        assert screen.cursor == (19, 74)
        assert len(screen.lines()) == screen.rows
        assert all(len(screen.row_characters(row)) == screen.columns for row in range(screen.rows))


@BOTH
def test_what_a_narrow_screen_cut_off_comes_back(dialect: Dialect) -> None:
    screen = Screen(dialect=dialect)
    screen.feed(b"\x1b[1;31m" + b"0123456789" * 7 + b"\x1b[2;1H" + b"abcdefghij" * 7)
    screen.resize(40, 24)
    assert screen.line(0) == "0123456789" * 4
    screen.resize(30, 24)
    screen.feed(b"\x1b[2;1HX")
    screen.resize(80, 24)
    assert screen.line(0) == "0123456789" * 7  # it was not written
    assert screen.row_attributes(0)[60] == screen.row_attributes(0)[0]
    assert screen.line(1) == "Xbcdefghij" + "abcdefghij" * 2  # it was


@BOTH
def test_a_half_widened_row_keeps_the_rest(dialect: Dialect) -> None:
    screen = Screen(dialect=dialect)
    screen.feed(b"0123456789" * 7)
    for columns in (30, 50, 25, 40, 80):
        screen.resize(columns, 24)
        assert screen.line(0) == ("0123456789" * 7)[:columns]


def test_a_wide_character_is_cut_off_and_comes_back_as_a_whole() -> None:
    screen = Screen(dialect=XTERM)
    screen.feed("漢".encode() * 30)
    screen.resize(21, 24)
    assert screen.line(0) == "漢" * 10
    assert screen.row_characters(0)[-1] == " "
    screen.resize(80, 24)
    assert screen.line(0) == "漢" * 30


def test_blank_rows_at_the_foot_go_first_then_rows_at_the_head() -> None:
    screen = Screen()
    screen.feed(b"one\r\ntwo\r\nthree")
    screen.resize(80, 10)
    assert screen.lines()[:3] == ["one", "two", "three"]
    screen.feed(b"\x1b[10;1Hfoot")
    screen.resize(80, 8)
    assert screen.line(7) == "foot"
    assert screen.cursor == (7, 4)
    assert screen.scrollback() == ["one", "two"]


def test_a_wrap_that_was_pending_goes_on_in_the_new_columns() -> None:
    screen = Screen(dialect=XTERM)
    screen.feed(b"x" * 80)
    screen.resize(100, 24)
    screen.feed(b"Y")
    assert screen.line(0) == "x" * 80 + "Y"


def test_the_main_screen_is_resized_behind_the_second() -> None:
    screen = Screen(dialect=XTERM)
    screen.feed(b"main\x1b[23;1Hprompt\x1b[?1049hsecond")
    screen.resize(60, 12)
    assert "second" in screen.text()
    screen.feed(b"\x1b[?1049l")
    assert screen.line(11) == "prompt"
    assert screen.cursor == (11, 6)
    assert len(screen.row_characters(0)) == 60


def test_tab_stops_grow_with_the_screen() -> None:
    screen = Screen(dialect=XTERM)
    screen.resize(132, 24)
    screen.feed(b"\x1b[1;80H\tX")
    assert screen.line(0) == " " * 80 + "X"


PIECES = st.one_of(
    st.binary(max_size=30),
    st.tuples(st.integers(0, 60), st.integers(0, 20)),
    st.sampled_from([b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[3;9r", b"\x1b[?6h", b"\x1b[4h"]),
    st.sampled_from([b"x" * 90, "漢".encode() * 20]),
)  # fmt: skip


@BOTH
@given(pieces=st.lists(PIECES, max_size=20))
def test_any_sizes_between_any_bytes(dialect: Dialect, pieces: list[bytes | tuple[int, int]]) -> None:
    screen = Screen(30, 10, dialect)
    for piece in pieces:
        if isinstance(piece, bytes):
            screen.feed(piece)
        else:
            screen.resize(*piece)
        row, column = screen.cursor
        assert 0 <= row < screen.rows
        assert 0 <= column < screen.columns
        assert len(screen.lines()) == screen.rows
        for number in range(screen.rows):
            assert len(screen.row_characters(number)) == len(screen.row_attributes(number)) == screen.columns
