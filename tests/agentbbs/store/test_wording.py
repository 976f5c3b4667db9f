"""What is done to text before it is stored: as little as can be."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.store import wording
from agentbbs.store.wording import TextEmpty, TextFault, TextTooLong, TextUnstorable


def _lines(text: str) -> str:
    return wording.lines(text, what="a post", max_chars=100, max_lines=3)


def test_text_is_kept_as_it_is_but_for_its_form() -> None:
    assert _lines("\x1b[2J cafe\u0301\t\u202e ") == "\x1b[2J caf\u00e9\t\u202e "
    assert _lines("one\r\ntwo\rthree\n") == "one\ntwo\nthree\n"
    assert wording.one_line("  Hello ", what="a subject", max_chars=8) == "  Hello "


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", TextEmpty),
        (" \r\n\t\u3000", TextEmpty),
        ("x" * 101, TextTooLong),
        ("x" * 10_000_000, TextTooLong),
        ("1\n2\n3\n4", TextTooLong),
        ("a\0b", TextUnstorable),
        ("half \ud800", TextUnstorable),
    ],
)
def test_what_is_not_taken_says_so(text: str, fault: type[TextFault]) -> None:
    with pytest.raises(fault, match=r"^a post "):
        _lines(text)


def test_a_subject_is_one_line() -> None:
    for line_end in ("\n", "\r", "\r\n"):
        with pytest.raises(TextUnstorable, match="one line"):
            wording.one_line(f"two{line_end}lines", what="a subject", max_chars=60)


@given(st.text(st.characters(codec="utf-8"), max_size=120))
def test_whatever_is_stored_is_within_its_bounds_and_stays_so(text: str) -> None:
    try:
        stored = _lines(text)
    except TextFault:
        return
    assert len(stored) <= 100
    assert "\r" not in stored
    assert unicodedata.is_normalized("NFC", stored)
    assert _lines(stored) == stored


@given(st.text())
def test_a_fold_is_its_own_and_knows_no_case(text: str) -> None:
    assert wording.fold(wording.fold(text)) == wording.fold(text)
    assert wording.fold("STRASSE Ärger") == wording.fold("straße a\u0308RGER")
