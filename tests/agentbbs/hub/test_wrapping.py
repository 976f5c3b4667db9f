"""Rows that fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentbbs.hub.text import Span, Style
from agentbbs.hub.wrapping import Row, clip, row_width, width, wrap


def texts(rows: list[Row]) -> list[str]:
    return ["".join(span.text for span in row) for row in rows]


def wrapped(text: str, columns: int, first: int | None = None) -> list[str]:
    return texts(wrap([Span(text)], columns, first=first))


def test_rows_break_at_blanks_and_the_blanks_go() -> None:
    assert wrapped("the quick  brown fox", 10) == ["the quick", "brown fox"]
    assert wrapped("exactly ten chars", 11) == ["exactly ten", "chars"]


def test_line_ends_stay_and_so_do_indents_and_empty_lines() -> None:
    assert wrapped("a\n\n  b\n", 10) == ["a", "", "  b", ""]
    assert wrapped("", 10) == [""]


def test_a_word_wider_than_a_row_is_cut() -> None:
    assert wrapped("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert wrapped("x abcdefghij", 4) == ["x", "abcd", "efgh", "ij"]


def test_the_first_row_may_have_less_room() -> None:
    assert wrapped("one two", 10, first=4) == ["one", "two"]
    assert wrapped("long", 10, first=2) == ["", "long"]
    assert wrapped("long", 10, first=0) == ["", "long"]


def test_wide_characters_count_twice_and_marks_not() -> None:
    assert width("漢e\u0301") == 3
    assert wrapped("漢漢漢", 5) == ["漢漢", "漢"]
    assert wrapped("e\u0301e\u0301e\u0301", 2) == ["e\u0301e\u0301", "e\u0301"]


def test_styles_go_with_their_words() -> None:
    rows = wrap([Span("one ", Style.NAME), Span("two"), Span("three four", Style.BAD)], 8)
    assert rows == [(Span("one", Style.NAME),), (Span("two"), Span("three", Style.BAD)), (Span("four", Style.BAD),)]


def test_clip_marks_what_is_missing() -> None:
    assert clip([Span("short")], 5) == (Span("short"),)
    assert clip([Span("too "), Span("long", Style.BAD)], 6) == (Span("too "), Span("l…", Style.BAD))
    assert clip([Span("漢漢漢")], 4, mark=".") == (Span("漢."),)


@given(st.text(alphabet="ab \n漢é", max_size=80), st.integers(2, 20), st.integers(0, 20), st.integers(1, 10))
def test_rows_fit_and_lose_nothing_but_blanks(text: str, columns: int, first: int, cut: int) -> None:
    spans = [Span(text[start : start + cut], Style.NAME) for start in range(0, len(text), cut)]
    rows = wrap(spans, columns, first=min(first, columns))
    assert row_width(rows[0]) <= min(first, columns)
    assert all(row_width(row) <= columns for row in rows)
    kept = "".join(texts(rows)).replace(" ", "")
    assert kept == text.replace(" ", "").replace("\n", "")
    assert len(rows) >= text.count("\n") + 1


@given(st.text(alphabet="ab 漢", max_size=30), st.integers(2, 20))
def test_clipped_lines_fit(text: str, columns: int) -> None:
    row = clip([Span(text)], columns)
    assert row_width(row) <= columns
    assert width(text) > columns or row == (Span(text),)
