"""Lines to bytes: colours, look-alikes, rows that fit, and nothing that a terminal obeys."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.door.keys import Encoding
from starlane.door.paint import NEW_LINE, Painter, width_of
from starlane.door.styles import Line, Span, Style
from starlane.door.widths import columns_of

PLAIN = Painter(encoding=Encoding.UTF_8, ansi=False)
COLOURED = Painter(encoding=Encoding.CP437, ansi=True)
SGR = re.compile(rb"\x1b\[[0-9;]*m")


def shown(line: Line, width: int = 40, painter: Painter = PLAIN) -> list[str]:
    return [painter.row(row).decode(painter.encoding.value) for row in painter.rows(line, width)]


def test_words_are_kept_whole() -> None:
    assert shown("the quick brown fox", 10) == ["the quick", "brown fox"]


def test_longer_words_are_cut() -> None:
    assert shown("abcdefghijklm", 5) == ["abcde", "fghij", "klm"]
    assert shown("ab cdefghijk", 5) == ["ab cd", "efghi", "jk"]


def test_a_word_may_change_its_style() -> None:
    assert shown(("the sec", Span(Style.NUMBER, "tor"), "s of space"), 8) == ["the", "sectors", "of space"]


def test_an_empty_line_is_a_row() -> None:
    assert shown("") == [""]
    assert shown(()) == [""]


def test_blanks_at_both_ends_stay_where_there_is_room() -> None:
    assert shown("  Command? ", 20) == ["  Command? "]


def test_rows_hang_under_the_text_of_a_label_and_of_an_indent() -> None:
    assert shown((Span(Style.LABEL, "Port  "), "Sol and others in it"), 18) == ["Port  Sol and", "      others in it"]
    assert shown("  one two three", 9) == ["  one two", "  three"]


def test_colours_are_set_and_reset() -> None:
    (row,) = COLOURED.rows((Span(Style.DANGER, "Stop now"), "!"), 40)
    assert COLOURED.row(row) == b"\x1b[1;31mStop now\x1b[0m!"
    (row,) = COLOURED.rows((Span(Style.DANGER, "Stop"),), 40)
    assert COLOURED.row(row) == b"\x1b[1;31mStop\x1b[0m"


def test_cp437_gets_look_alikes_of_what_it_lacks() -> None:
    assert COLOURED.spelled("Zoë \u2013 “5 €” … łódź ☃ 漢 ß") == 'Zoë - "5 EUR" ... lódz ? ?? ß'


def test_letters_and_marks_become_one_where_cp437_has_it() -> None:
    assert COLOURED.spelled("e\u0301") == "é"


def test_clearing_needs_an_escape_only_where_there_are_some() -> None:
    assert PLAIN.blank() == NEW_LINE
    assert PLAIN.wiped() == NEW_LINE
    assert b"\x1b[2J" in COLOURED.blank()


@pytest.mark.parametrize("text", ["\x1b[2J", "a\rb", "\x9b5n", "\u202eabc", "tab\tand\nline", "\x07", "\x00", "\x7f"])
@pytest.mark.parametrize("painter", [PLAIN, COLOURED])
def test_no_text_acts(text: str, painter: Painter) -> None:
    for row in painter.rows(text, 40):
        data = SGR.sub(b"", painter.row(row)).decode(painter.encoding.value)
        assert data.isprintable()
        assert "\u202e" not in data


STYLED = st.builds(Span, st.sampled_from(Style), st.text(max_size=40))
LINES = st.one_of(st.text(max_size=200), STYLED, st.lists(st.one_of(st.text(max_size=40), STYLED), max_size=8))


@settings(max_examples=50)
@given(LINES, st.integers(4, 80), st.sampled_from(Encoding))
def test_every_row_fits_and_nothing_is_lost(line: Line, width: int, encoding: Encoding) -> None:
    painter = Painter(encoding=encoding, ansi=False)
    rows = painter.rows(line, width)
    parts = (line,) if isinstance(line, str | Span) else line
    whole = "".join(painter.spelled(part if isinstance(part, str) else part.text) for part in parts)
    texts = ["".join(span.text for span in row) for row in rows]
    assert all(width_of(row) <= width for row in rows)
    assert "".join(texts).replace(" ", "") == whole.replace(" ", "")
    assert all(b"\x1b" not in painter.row(row) for row in rows)


@settings(max_examples=50)
@given(st.text(max_size=100))
def test_what_is_spelled_for_cp437_can_be_encoded(text: str) -> None:
    spelled = COLOURED.spelled(text)
    assert spelled.encode("cp437")[0:] == COLOURED.encoded(spelled)
    assert columns_of(spelled) == len(spelled)
