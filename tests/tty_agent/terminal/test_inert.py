"""Text from outside, shown safely: every code point, and every text."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.terminal.inert import inert

ANY_TEXT = st.text(st.characters(min_codepoint=0, max_codepoint=sys.maxunicode, exclude_categories=()))
NASTY = st.text(st.sampled_from("ab\\ \x1b\r\n\t\x9b\u202e\u2066\u200b\ufeff\ud800\U000e0041é漢😀"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, as it is typed: ~{}\\", "plain text, as it is typed: ~{}\\"),
        ("Grüße, 漢字, Ελλάδα, שלום, 😀", "Grüße, 漢字, Ελλάδα, שלום, 😀"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("\x9b2Jgone", r"\x9b2Jgone"),
        ("forged\r\nline", r"forged\r\nline"),
        ("a\tb\x00c\x7f", r"a\tb\x00c\x7f"),
        ("user\u202egpj.exe", r"user\u202egpj.exe"),
        ("\u2066isolated\u2069", r"\u2066isolated\u2069"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("line\u2028paragraph\u2029", r"line\u2028paragraph\u2029"),
        ("lone \ud800 surrogate", r"lone \ud800 surrogate"),
        ("hidden\U000e0041tag", r"hidden\U000e0041tag"),
        ("", ""),
    ],
)
def test_what_acts_or_hides_is_written_out(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_every_code_point_of_a_harmful_category_is_escaped_and_no_letter_is() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        category = unicodedata.category(char)
        if category in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            assert inert(char).startswith("\\"), hex(code)
        elif category in {"Lu", "Ll", "Nd", "Ps", "Pe", "Sm", "Zs"}:
            assert inert(char) == char, hex(code)


@given(ANY_TEXT | NASTY)
def test_the_result_can_be_encoded_and_is_inert_itself(text: str) -> None:
    shown = inert(text)
    shown.encode()
    assert inert(shown) == shown
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in shown)


@given(st.text(st.characters(codec="ascii", min_codepoint=0x20, max_codepoint=0x7E)))
def test_printable_ascii_is_left_alone(text: str) -> None:
    assert inert(text) == text


@given(ANY_TEXT | NASTY, st.integers(min_value=1, max_value=40))
def test_a_cut_text_keeps_to_its_length_and_is_a_beginning(text: str, max_chars: int) -> None:
    whole, cut = inert(text), inert(text, max_chars=max_chars)
    assert len(cut) <= max_chars
    if len(whole) <= max_chars:
        assert cut == whole
    else:
        assert cut.endswith("…")
        assert whole.startswith(cut[:-1])
        assert inert(cut) == cut


def test_a_cut_never_leaves_half_an_escape() -> None:
    assert inert("ab\u202ecd", max_chars=5) == "ab…"
    assert inert("ab\u202ecd", max_chars=9) == "ab\\u202e…"
    assert inert("ab\u202ecd", max_chars=10) == "ab\\u202ecd"
    assert inert("\x1b\x1b", max_chars=1) == "…"
