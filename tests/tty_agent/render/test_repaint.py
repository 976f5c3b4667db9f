"""Repainting, judged by another terminal: what it shows after the sequences must be the picture."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tty_agent.render.picture_samples import COLUMNS, ROWS, picture_of, shown_by

from tty_agent.render.repaint import repaint, sgr
from tty_agent.terminal import style
from tty_agent.terminal.dialect import XTERM
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.screen import Screen
from tty_agent.terminal.style import pack

avt = pytest.importorskip("avt")


class OtherTerminal:
    """avt, the terminal of asciinema's player."""

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self._vt = avt.Vt(columns, rows)

    def feed(self, text: str) -> None:
        self._vt.feed_str(text)

    def lines(self) -> list[str]:
        return [line.text.rstrip() for line in self._vt.view()]

    def cursor(self) -> tuple[int, int, bool]:
        cursor = self._vt.cursor
        return cursor.row, cursor.col, cursor.visible


def test_the_first_picture_is_painted_whole() -> None:
    terminal = OtherTerminal()
    terminal.feed("old text\r\nmore")
    terminal.feed(repaint(None, picture_of("", "Command?", cursor=(1, 9))))
    assert terminal.lines() == ["", "Command?", "", "", ""]
    assert terminal.cursor() == (1, 9, True)


def test_nothing_is_sent_when_nothing_differs() -> None:
    assert repaint(picture_of("a"), picture_of("a")) == ""


def test_only_what_changed_is_sent() -> None:
    before, after = picture_of("Credits 100", "same"), picture_of("Credits 170", "same")
    sent = repaint(before, after)
    assert "7" in sent
    assert "Credits" not in sent
    assert "same" not in sent
    assert sent.startswith("\x1b[1;10H")


def test_a_change_of_colour_alone_is_sent() -> None:
    sent = repaint(picture_of("ab"), picture_of("ab", looks={(0, 1): pack(1)}))
    assert "\x1b[0;38;5;1mb" in sent


def test_the_cursor_alone() -> None:
    assert repaint(picture_of(cursor=(0, 0)), picture_of(cursor=(2, 3))) == "\x1b[3;4H"
    hidden = repaint(picture_of(), picture_of(cursor_visible=False))
    assert hidden == "\x1b[?25l"


def test_another_size_is_painted_whole() -> None:
    larger = Picture(30, 6, (("x",) * 30,) * 6, ((0,) * 30,) * 6, (0, 0))
    terminal = OtherTerminal(30, 6)
    terminal.feed(repaint(picture_of("xxxx"), larger))
    assert terminal.lines() == ["x" * 30] * 6


def test_a_full_screen_does_not_scroll() -> None:
    terminal = OtherTerminal()
    full = picture_of(*["#" * COLUMNS] * ROWS)
    terminal.feed(repaint(None, full))
    terminal.feed(repaint(full, picture_of(*["=" * COLUMNS] * ROWS)))
    assert terminal.lines() == ["=" * COLUMNS] * ROWS


def test_wide_characters_come_and_go_whole() -> None:
    terminal = OtherTerminal()
    wide, narrow = picture_of(["a", "漢", "", "b"]), picture_of("axyb")
    terminal.feed(repaint(None, wide))
    assert terminal.lines()[0].replace(" ", "") == "a漢b"
    terminal.feed(repaint(wide, narrow))
    assert terminal.lines()[0] == "axyb"
    terminal.feed(repaint(narrow, wide))
    assert terminal.lines()[0].replace(" ", "") == "a漢b"


def test_a_background_of_blanks_is_kept() -> None:
    looks = {(0, column): pack(7, 4) for column in range(COLUMNS)}
    sent = repaint(None, picture_of("", looks=looks))
    assert f"\x1b[0;38;5;7;48;5;4m{' ' * COLUMNS}" in sent


def test_what_acts_in_a_cell_does_not_get_out() -> None:
    sent = repaint(None, picture_of(["\x1b", "\x07", "\u202e", "x"]))
    assert "\x07" not in sent
    assert "\u202e" not in sent
    assert "\ufffd\ufffd\ufffdx" in sent


@pytest.mark.parametrize(
    ("attributes", "sequence"),
    [
        (style.PLAIN, "\x1b[0m"),
        (style.BOLD, "\x1b[0;38;5;15m"),
        (pack(1, 4, style.BOLD), "\x1b[0;38;5;9;48;5;4m"),
        (pack(208, -1, style.BOLD), "\x1b[0;1;38;5;208m"),
        (pack(style.TRUE_COLOUR | 0x010203), "\x1b[0;38;2;1;2;3m"),
        (pack(7, 4, style.BLINK), "\x1b[0;5;38;5;7;48;5;4m"),
        (style.UNDERLINE | style.REVERSE, "\x1b[0;4;7m"),
        (style.FAINT | style.ITALIC | style.CONCEAL | style.STRIKE, "\x1b[0;2;3;8;9m"),
    ],
)
def test_attributes_as_a_sequence(attributes: int, sequence: str) -> None:
    assert sgr(attributes) == sequence


def test_bright_backgrounds_are_told_as_colours() -> None:
    assert sgr(pack(7, 4, style.BLINK), bright_backgrounds=True) == "\x1b[0;38;5;7;48;5;12m"


cells = st.sampled_from(["a", "b", " ", "░", "é", "█"])
looks = st.sampled_from([0, style.BOLD, pack(1, 4), pack(208, 17, style.REVERSE), style.UNDERLINE])
places = st.tuples(st.integers(0, ROWS - 1), st.integers(0, COLUMNS - 1))
Cells = dict[tuple[int, int], tuple[str, int]]
sketches = st.dictionaries(places, st.tuples(cells, looks), max_size=25)


def drawn(sketch: Cells) -> Picture:
    lines = [[sketch.get((row, column), (" ", 0))[0] for column in range(COLUMNS)] for row in range(ROWS)]
    return picture_of(*lines, looks={place: look for place, (_, look) in sketch.items()}, cursor=(1, 1))


@settings(max_examples=40, deadline=None)
@given(sketches, sketches)
def test_any_picture_after_any_other_is_that_picture(first: Cells, second: Cells) -> None:
    before, after = drawn(first), drawn(second)
    other, ours = OtherTerminal(), Screen(COLUMNS, ROWS, XTERM)
    for sent in (repaint(None, before), repaint(before, after)):
        other.feed(sent)
        ours.feed(sent.encode())
    assert other.lines() == [after.line(row) for row in range(ROWS)]
    found = ours.picture()
    assert found.characters == after.characters
    for row in range(ROWS):
        assert [sgr(one) for one in found.attributes[row]] == [sgr(one) for one in after.attributes[row]]


def test_the_art_of_a_bbs_arrives() -> None:
    art = shown_by(b"\x1b[1;33;44m\xc9\xcd\xcd\xbb\r\n\xba\xb1\xb2\xba\x1b[0m\r\n\x1b[5;31mhot")
    terminal = OtherTerminal(80, 24)
    terminal.feed(repaint(None, art))
    assert terminal.lines()[:3] == ["╔══╗", "║▒▓║", "hot"]
