"""What is kept, and what is let go."""

from __future__ import annotations

from agentbbs.web.kept import Kept


def test_what_was_asked_for_longest_ago_is_let_go() -> None:
    kept: Kept[str, int] = Kept(2)
    kept.keep("one", 1)
    kept.keep("two", 2)
    assert kept.get("one") == 1
    kept.keep("three", 3)
    assert kept.get("two") is None
    assert (kept.get("one"), kept.get("three"), len(kept)) == (1, 3, 2)


def test_a_newer_value_takes_the_place_of_the_older() -> None:
    kept: Kept[str, int] = Kept(2)
    kept.keep("one", 1)
    kept.keep("one", 2)
    assert (kept.get("one"), len(kept)) == (2, 1)
