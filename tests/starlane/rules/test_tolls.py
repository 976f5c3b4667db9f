"""Tolls: half a credit a fighter and a little more, up to a bound."""

from __future__ import annotations

import pytest

from starlane.rules.tolls import MAX_TOLL, toll


@pytest.mark.parametrize(("fighters", "asked"), [(1, 10), (50, 35), (51, 35), (9_979, 4_999), (9_980, MAX_TOLL)])
def test_a_toll_grows_with_the_picket(fighters: int, asked: int) -> None:
    assert toll(fighters) == asked


def test_no_picket_asks_more_than_the_most() -> None:
    assert toll(1_000_000_000) == MAX_TOLL
