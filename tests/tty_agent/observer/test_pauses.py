"""What is remembered of a source's pauses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.observer.pauses import LEAST_S, MOST_S, WINDOW, Pauses


def test_nothing_is_known_at_first() -> None:
    assert Pauses().quantile(0.95) == 0.0


def test_only_pauses_within_output_count() -> None:
    pauses = Pauses()
    for pause in (LEAST_S / 2, MOST_S * 2, 0.1):
        pauses.add(pause)
    assert len(pauses) == 1
    assert pauses.quantile(1.0) == 0.1


@given(st.lists(st.floats(LEAST_S, MOST_S), min_size=1, max_size=3 * WINDOW), st.floats(0, 1))
def test_the_quantile_is_that_of_the_last_ones(seconds: list[float], share: float) -> None:
    pauses = Pauses()
    for pause in seconds:
        pauses.add(pause)
    last = sorted(seconds[-WINDOW:])
    found = pauses.quantile(share)
    assert found in last
    assert sum(pause <= found for pause in last) >= share * len(last) - 1e-9 or found == pytest.approx(last[-1])
