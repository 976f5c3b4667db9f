"""Expressions of checks, on text that an agent may choose."""

from __future__ import annotations

import time

import pytest

from bbs_gym.scoring import bounded_search
from bbs_gym.scoring.bounded_search import PatternFault, SlowPattern, found_in


def test_found_anywhere_text_by_text() -> None:
    assert found_in("hello", ["say hello", "Hello", ""]) == (True, False, False)
    assert found_in(r"(?i)^he(l+)o\b", ["hello there", "say hello", "HELLLO"]) == (True, False, True)
    assert found_in("x", []) == ()


def test_a_lone_surrogate_is_text_too() -> None:
    assert found_in("a+", ["\ud800a", "\ud800"]) == (True, False)


@pytest.mark.parametrize("pattern", ["(", "a{2", "*", "x" * 301])
def test_what_is_no_expression(pattern: str) -> None:
    if pattern == "a{2":
        assert found_in(pattern, ["a{2"]) == (True,)
        return
    with pytest.raises(PatternFault):
        found_in(pattern, ["text"])


def test_one_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_search, "SEARCH_S", 0.5)
    began = time.monotonic()
    with pytest.raises(SlowPattern, match="repetition"):
        found_in(r"(a+)+$", ["a" * 60 + "!"])
    assert time.monotonic() - began < 10


def test_what_follows_the_bound_is_not_looked_at() -> None:
    assert found_in("end", ["x" * bounded_search.MAX_TEXT_CHARS + "end"]) == (False,)
