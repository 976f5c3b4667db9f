"""Match ids against Python's own reading of UUIDs."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from agentbbs.play.match_id import RANDOM_BITS, match_id

times = st.integers(0, 2**48 - 1)
noises = st.integers(0, 2**RANDOM_BITS - 1)


@given(times, noises)
def test_is_a_version_7_uuid_that_holds_its_time(unix_ms: int, noise: int) -> None:
    read = uuid.UUID(match_id(unix_ms, noise))
    assert (read.version, read.variant) == (7, uuid.RFC_4122)
    assert read.int >> 80 == unix_ms
    assert str(read) == match_id(unix_ms, noise)


@given(times, noises, noises)
def test_differs_with_the_noise(unix_ms: int, noise: int, other: int) -> None:
    assert (match_id(unix_ms, noise) == match_id(unix_ms, other)) == (noise == other)


@given(times, times, noises, noises)
def test_sorts_by_time(one: int, other: int, noise: int, more: int) -> None:
    if one < other:
        assert match_id(one, noise) < match_id(other, more)
