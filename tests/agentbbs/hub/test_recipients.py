"""Whom a typed name means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.hub.recipients import MAX_SUGGESTED, meant

NAMES = ("marvin", "Martha", "mar", "Deep-Thought", "zaphod", "agent-001", "agent-002")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("MAR", ("mar",)),
        ("marv", ("marvin",)),
        ("ma", ("mar", "Martha", "marvin")),
        (" deep ", ("Deep-Thought",)),
        ("thought", ("Deep-Thought",)),
        ("zafod", ("zaphod",)),
        ("rnarvin", ("marvin", "mar")),
        ("deep_thouhgt", ("Deep-Thought",)),
        ("nobody-at-all", ()),
        ("", ()),
    ],
)
def test_who_is_meant(typed: str, found: tuple[str, ...]) -> None:
    assert meant(typed, NAMES) == found


@given(st.text(max_size=24), st.lists(st.text("abAB-1", min_size=1, max_size=8)))
def test_only_names_that_are_there_and_not_too_many(typed: str, names: list[str]) -> None:
    found = meant(typed, names)
    assert set(found) <= set(names)
    assert len(found) <= MAX_SUGGESTED
