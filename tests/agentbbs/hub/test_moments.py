"""Times as callers read them."""

from __future__ import annotations

import pytest

from agentbbs.hub import moments

NOON_MS = 1_767_268_800_000


def test_a_time_is_told_in_utc() -> None:
    assert moments.clock(NOON_MS) == "12:00 UTC"
    assert moments.stamp(NOON_MS) == "2026-01-01 12:00"


@pytest.mark.parametrize(
    ("ms", "text"),
    [(-1, "0 s"), (999, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (3_600_000, "1 h"), (200_000_000, "2 d")],
)
def test_a_length_is_told_by_its_largest_unit(ms: int, text: str) -> None:
    assert moments.span(ms) == text
