"""What pilots type, made fit to keep, and amounts in words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.engine.refusal import Refused
from starlane.engine.texts import counted, entered, entered_name
from starlane.goods import Good
from starlane.settings import MAX_NAME_CHARS, MAX_TEXT_CHARS


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=500))
def test_what_is_kept_is_inert_not_empty_and_not_too_long(text: str) -> None:
    for enter, most in ((entered, MAX_TEXT_CHARS), (entered_name, MAX_NAME_CHARS)):
        try:
            kept = enter(text)
        except Refused:
            continue
        assert 0 < len(kept) <= most
        assert not any(char < " " or "\x7f" <= char <= "\x9f" for char in kept)
        assert enter(kept) == kept


def test_text_shows_what_would_act_and_a_name_leaves_it_out() -> None:
    assert entered(" a\x07b ") == r"a\x07b"
    assert entered_name(" New  \x07Hope ") == "New Hope"


@pytest.mark.parametrize(
    ("amount", "good", "words"),
    [
        (1, Good.CREDITS, "1 credit"),
        (1, Good.ICE, "1 ice"),
        (1, Good.GRAIN, "1 grain"),
        (1, Good.TOOLS, "1 tool"),
        (0, Good.COLONISTS, "0 colonists"),
        (1_200, Good.FIGHTERS, "1,200 fighters"),
    ],
)
def test_amounts_read_well(amount: int, good: Good, words: str) -> None:
    assert counted(amount, good) == words


@pytest.mark.parametrize("name", ["a, b", "a: b", "a (you)", "Your ally", "asleep", "NOBODY"])
def test_no_name_says_what_screens_say(name: str) -> None:
    with pytest.raises(Refused, match="could be taken for something else"):
        entered_name(name)
