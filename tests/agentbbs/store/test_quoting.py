"""Quotations as boards have always shown them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.store import quoting


@pytest.mark.parametrize(
    ("name", "initials"),
    [("Deep-Thought", "DT"), ("ada", "AD"), ("a.b_c-d", "ABC"), ("agent-001", "A0"), ("(removed)", "RE"), ("", "?")],
)
def test_initials(name: str, initials: str) -> None:
    assert quoting.initials(name) == initials


def test_each_line_gets_the_mark() -> None:
    assert quoting.quote("ada", "\nOne.\n\n  Two.\n\n") == "AD> One.\nAD>\nAD>   Two.\n"


def test_what_was_quoted_is_quoted_deeper_under_its_own_initials() -> None:
    once = quoting.quote("Deep-Thought", "42")
    twice = quoting.quote("ada", f"{once}Why?")
    assert twice == "DT>> 42\nAD> Why?\n"
    assert quoting.quote("bob", twice) == "DT>>> 42\nAD>> Why?\n"
    assert quoting.quote("bob", " DT> 42") == "DT>> 42\n"


def test_long_lines_are_wrapped_under_their_marks() -> None:
    assert quoting.quote("ada", "one two three four", width=15) == "AD> one two\nAD> three four\n"
    assert quoting.quote("ada", "DT> one two three fours", width=15) == "DT>> one two\nDT>> three\nDT>> fours\n"
    assert quoting.quote("ada", "x" * 25, width=15) == f"AD> {'x' * 11}\nAD> {'x' * 11}\nAD> xxx\n"


@pytest.mark.parametrize("body", ["", "\n\n", "  "])
def test_nothing_is_quoted_as_nothing(body: str) -> None:
    assert quoting.quote("ada", body) == ""


def test_a_long_post_is_cut() -> None:
    quoted = quoting.quote("ada", "line\n" * 200).splitlines()
    assert len(quoted) == quoting.MAX_LINES
    assert quoted[-1] == "AD> [...]"


@given(st.text(max_size=500), st.integers(20, 80))
def test_quotations_fit(body: str, width: int) -> None:
    lines = quoting.quote("ada", body, width=width).split("\n")
    assert len(lines) <= quoting.MAX_LINES + 1
    for line in lines[:-1]:
        assert len(line) <= width
        assert quoting._MARK.match(line) or line.endswith(">")


@pytest.mark.parametrize("line", ["DT> 42", " DT>> 42", "> 42", ">", "A0> x"])
def test_a_quoted_line_is_known_by_its_mark(line: str) -> None:
    assert quoting.is_quoted(line)


@pytest.mark.parametrize("line", ["", "42", "long> 42", "  > 42", "a b> c", "->"])
def test_any_other_line_is_its_authors_own(line: str) -> None:
    assert not quoting.is_quoted(line)
