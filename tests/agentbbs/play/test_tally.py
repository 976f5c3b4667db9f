"""Counts of moves by the time they took."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.play.tally import MOVE_MS_BOUNDS, Tally


def test_a_new_tally_has_counted_nothing() -> None:
    tally = Tally()
    assert (tally.matches_begun, tally.moves, tally.move_ms_sum, tally.connections, tally.late_moves) == (0,) * 5
    assert (sum(tally.move_ms), dict(tally.matches_ended), dict(tally.errors)) == (0, {}, {})


@pytest.mark.parametrize(
    ("ms", "bucket"),
    [(0, 0), (1, 0), (2, 1), (3, 2), (5, 2), (6, 3), (100, 6), (101, 7), (20_000, 13), (20_001, 14), (10**9, 14)],
)
def test_a_bucket_holds_what_is_at_or_under_its_bound(ms: int, bucket: int) -> None:
    tally = Tally()
    tally.moved(ms)
    assert [index for index, count in enumerate(tally.move_ms) if count] == [bucket]


@given(st.lists(st.integers(0, 100_000), max_size=50))
def test_buckets_and_sum_agree_with_a_plain_count(times: list[int]) -> None:
    tally = Tally()
    for ms in times:
        tally.moved(ms)
    assert (tally.moves, tally.move_ms_sum, sum(tally.move_ms)) == (len(times), sum(times), len(times))
    for index, bound in enumerate(MOVE_MS_BOUNDS):
        assert sum(tally.move_ms[: index + 1]) == sum(ms <= bound for ms in times)


def test_the_bounds_rise() -> None:
    assert list(MOVE_MS_BOUNDS) == sorted(set(MOVE_MS_BOUNDS))
