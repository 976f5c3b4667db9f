"""The screen as a model reads it."""

from __future__ import annotations

from tty_agent.observation.highlight import highlight
from tty_agent.observation.model_text import model_text
from tty_agent.observation.observation import Highlight
from tty_agent.terminal.dialect import XTERM
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.screen import Screen


def picture_of(data: bytes, *, utf_8: bool = False) -> Picture:
    screen = Screen(80, 24, XTERM) if utf_8 else Screen()
    screen.feed(data)
    return screen.picture()


def test_rows_without_the_blanks_at_their_ends_and_at_the_foot() -> None:
    assert model_text(picture_of(b"Menu   \r\n\r\n1 Play\r\n\r\n"), None) == "Menu\n\n1 Play"


def test_an_empty_screen_is_no_text() -> None:
    assert model_text(picture_of(b""), None) == ""


def test_colours_leave_no_trace() -> None:
    assert model_text(picture_of(b"\x1b[1;31mred\x1b[0m \x1b[5mblink"), None) == "red blink"


def test_the_marked_item_is_bracketed() -> None:
    picture = picture_of(b"Save? \x1b[44m[Yes]\x1b[0m No ")
    assert model_text(picture, highlight(picture)) == "Save? >>[[Yes]]<< No"


def test_a_mark_keeps_what_stands_left_of_it_in_its_column() -> None:
    picture = picture_of(b"\x1b[3;9Hone\r\n\x1b[4;9H\x1b[7mtwo\x1b[0m\r\n\x1b[5;9Hthree")
    assert model_text(picture, highlight(picture)).split("\n")[2:] == [
        "        one",
        "        >>[two]<<",
        "        three",
    ]


def test_a_mark_of_wide_and_combined_characters_ends_where_it_ends() -> None:
    picture = picture_of("a\u0301b\u4e2d\u6587 end".encode(), utf_8=True)
    mark = Highlight(row=0, column=1, text="b\u4e2d\u6587")
    assert model_text(picture, mark) == "a\u0301>>[b\u4e2d\u6587]<< end"


def test_characters_that_hide_or_act_are_left_out() -> None:
    picture = picture_of("safe\u202etxt\u2069 pay\u200bload".encode(), utf_8=True)
    assert model_text(picture, None) == "safetxt payload"


def test_a_cell_with_nothing_visible_stays_a_blank() -> None:
    cells = ("a", "\u202e", "b", "\x07", "c", "", "d\u200d")
    picture = Picture(columns=7, rows=1, characters=(cells,), attributes=((0,) * 7,), cursor=(0, 0))
    assert model_text(picture, None) == "a b cd"


def test_the_glyphs_of_control_characters_are_text() -> None:
    assert model_text(picture_of(b"\x01\x02\x03 hi"), None) == "\u263a\u263b\u2665 hi"
