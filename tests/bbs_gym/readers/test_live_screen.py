"""Which row is live."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tty_agent.terminal_turns import turn

from bbs_gym.readers.live_screen import LiveScreen, of_text, of_turn
from tty_agent.actions.action import TypeText
from tty_agent.hints import extract


def test_the_last_row_with_text_is_live_in_a_text() -> None:
    assert of_text("Sector 1\n\nCommand (?=Help)? \n\n") == LiveScreen(
        ("Sector 1", ""), "Command (?=Help)?", waits=True
    )


@pytest.mark.parametrize("text", ["", "\n\n", "   "])
def test_nothing_waits_on_an_empty_screen(text: str) -> None:
    assert not of_text(text).waits


def test_the_row_of_the_cursor_is_live_in_a_turn() -> None:
    screen = of_turn(turn("Sector 1\nYour offer? |"))
    assert (screen.above, screen.live, screen.waits) == (("Sector 1",), "Your offer?", True)
    assert screen.nearest == "Sector 1"


@pytest.mark.parametrize("sketch", ["Your offer? |no\n", "Your offer? |\nmore below", "Your offer? |\n\n\nfar below"])
def test_nothing_waits_where_text_stands_behind_or_below(sketch: str) -> None:
    assert not of_turn(turn(sketch)).waits


def test_nothing_waits_on_a_closed_line() -> None:
    assert not of_turn(turn("Your offer? |", closed="the other side hung up")).waits


def test_what_was_typed_and_not_sent_is_no_part_of_the_prompt() -> None:
    before, now = turn("Your offer? |"), turn("Your offer? 12|", "12")
    hints = extract(now, last_action=TypeText("12"), previous=before)
    assert of_turn(now, hints).live == "Your offer?"


@given(st.text())
def test_any_text_has_a_live_row(text: str) -> None:
    screen = of_text(text)
    assert screen.rows()[-1] == screen.live
    assert screen.nearest == "" or screen.nearest in screen.above
