"""Limits per address, without a server."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentbbs.servers.gate import FAILED_LOGINS, FAILED_LOGINS_PER_S, MAX_ADDRESSES, Tries


class TestTries:
    def test_a_burst_is_free_and_the_next_waits(self) -> None:
        tries = Tries()
        for _ in range(FAILED_LOGINS):
            assert tries.wait_s("192.0.2.1", 0.0) == 0
            tries.failed("192.0.2.1", 0.0)
        wait_s = tries.wait_s("192.0.2.1", 0.0)
        assert wait_s > 0
        assert tries.wait_s("192.0.2.1", wait_s) == 0

    def test_one_address_does_not_lock_out_another(self) -> None:
        tries = Tries()
        for _ in range(10 * FAILED_LOGINS):
            tries.failed("192.0.2.1", 0.0)
        assert tries.wait_s("192.0.2.2", 0.0) == 0

    def test_memory_is_bounded_and_forgets_the_oldest(self) -> None:
        tries = Tries(burst=1)
        for number in range(MAX_ADDRESSES + 1):
            tries.failed(f"host-{number}", 0.0)
        assert tries.wait_s("host-0", 0.0) == 0
        assert tries.wait_s(f"host-{MAX_ADDRESSES}", 0.0) > 0

    @given(st.lists(st.floats(0, 100), min_size=1, max_size=60))
    def test_never_lets_more_pass_than_the_burst_and_the_rate_allow(self, gaps: list[float]) -> None:
        tries, now, passed = Tries(), 0.0, 0
        for gap in gaps:
            now += gap
            if not tries.wait_s("192.0.2.1", now):
                tries.failed("192.0.2.1", now)
                passed += 1
        assert passed <= FAILED_LOGINS + now * FAILED_LOGINS_PER_S + 1
