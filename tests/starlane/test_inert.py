"""Text that pilots enter can neither act nor hide."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from starlane.inert import inert, inert_name

_ANYTHING = st.text(st.characters(exclude_categories=()))
"""Lone surrogates too: they come from names in a strange encoding."""


def _acts(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(char) in {
        *("LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }


def test_plain_text_comes_back() -> None:
    assert inert("Trade fair, fly far: 3 x 5 \\ 2 é 日本") == "Trade fair, fly far: 3 x 5 \\ 2 é 日本"


def test_what_acts_becomes_an_escape() -> None:
    assert inert("a\x1b[2Jb\r\nc\u202ed\u200be\udc80\U000e0041") == (
        "a\\x1b[2Jb\\x0d\\x0ac\\u202ed\\u200be\\udc80\\U000e0041"
    )


def test_a_cut_never_splits_an_escape() -> None:
    assert inert("ab\x1bcd", 5) == "ab"
    assert inert("ab\x1bcd", 6) == "ab\\x1b"
    assert inert("abcdef", 3) == "abc"


def test_a_name_loses_what_acts_and_what_is_blank() -> None:
    assert inert_name("  \x1bA\u200bda \u3000 \t Lovelace\u202e ", 24) == "Ada Lovelace"
    assert inert_name("\u3164\u2800\x07", 24) == ""
    assert inert_name("x" * 30, 24) == "x" * 24
    assert inert_name("four word", 5) == "four"


@given(_ANYTHING)
def test_nothing_acts_any_more_and_twice_is_as_once(text: str) -> None:
    shown = inert(text)
    assert not any(_acts(char) for char in shown)
    shown.encode()
    assert inert(shown) == shown


@given(_ANYTHING, st.integers(1, 30))
def test_cuts_keep_their_bound(text: str, room: int) -> None:
    assert len(inert(text, room)) <= room
    assert inert(text).startswith(inert(text, room))


@given(_ANYTHING, st.integers(1, 30))
def test_names_are_short_trimmed_and_harmless(text: str, room: int) -> None:
    name = inert_name(text, room)
    assert len(name) <= room
    assert name == name.strip()
    assert "  " not in name
    assert not any(_acts(char) for char in name)
    assert inert_name(name, room) == name
