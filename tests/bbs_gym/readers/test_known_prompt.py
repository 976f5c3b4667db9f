"""Tables of prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bbs_gym.readers.board import BOARD_PROMPTS
from bbs_gym.readers.known_prompt import KnownPrompt, Wants, live_prompt
from bbs_gym.readers.live_screen import LiveScreen, of_text
from bbs_gym.readers.starlane import STARLANE_PROMPTS
from bbs_gym.readers.tw2 import TW2_PROMPTS

TABLES = (BOARD_PROMPTS, TW2_PROMPTS, STARLANE_PROMPTS)


def test_the_first_that_fits_is_it() -> None:
    found = live_prompt(STARLANE_PROMPTS, of_text("Your offer, 0 walks away (0-380) [38]?"))
    assert found is not None
    assert found.name == "starlane-offer"


def test_a_prompt_above_the_live_row_is_none() -> None:
    assert live_prompt(TW2_PROMPTS, of_text("Your offer?\nThanks for nothing.")) is None


def test_a_prompt_may_need_the_row_above() -> None:
    asked = "How much do you want to gamble at double or nothing (50-50 odds)"
    assert live_prompt(TW2_PROMPTS, of_text(f"{asked}\n[0]?")) is not None
    assert live_prompt(TW2_PROMPTS, of_text("[0]?")) is None


def test_nothing_is_found_where_nothing_waits() -> None:
    assert live_prompt(TW2_PROMPTS, LiveScreen((), "Your offer?", waits=False)) is None


@pytest.mark.parametrize("pattern", ["(", "(a+)+$", "x" * 501])
def test_a_pattern_that_is_no_good_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        KnownPrompt(name="bad", pattern=pattern, wants=Wants.KEY)
    with pytest.raises(ValueError, match="pattern"):
        KnownPrompt(name="bad", pattern="good", above=pattern, wants=Wants.KEY)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_row_is_looked_at(above: str, live: str) -> None:
    for table in TABLES:
        found = live_prompt(table, LiveScreen((above,), live, waits=True))
        assert found is None or found in table
