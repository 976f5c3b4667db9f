"""Completion checks: what the program shows counts, what the agent types does not."""

from __future__ import annotations

import pytest
from tests.tty_agent.trace_samples import an_observation

from tty_agent.activity.activity import Completion
from tty_agent.activity.completion import FAILED, screen_shows
from tty_agent.hints import extract


def outcome(pattern: str, screen: str, row: int, word: str = "done") -> Completion | None:
    observation = an_observation(pretty_screen=screen, cursor=(row, 0))
    return screen_shows(pattern, word).check(observation, extract(observation))


def test_a_row_of_the_screen_ends_it() -> None:
    assert outcome("You (won|win)", "Well done!\nYou won 5 gold\n$ ", 2) == Completion(
        "done", "the screen shows 'You won 5 gold'"
    )
    assert outcome("dead", "You are dead\n> ", 1, FAILED) == Completion("failed", "the screen shows 'You are dead'")


def test_what_is_typed_at_the_cursor_does_not() -> None:
    assert outcome("You won", "Name?\nYou won", 1) is None


def test_a_bad_pattern_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="is no regular expression"):
        screen_shows("(")
