"""How fast passwords may be tried, and that nobody is kept out by somebody else."""

from __future__ import annotations

import pytest

from agentbbs.store.login_guard import (
    ACCOUNT_BURST,
    ADDRESS_BURST,
    PAIR_BURST,
    PAIR_REFILL_S,
    LoginGuard,
)

OFFICE = "192.0.2.7"


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def guard(clock: Clock) -> LoginGuard:
    return LoginGuard(clock=clock)


def _fail(guard: LoginGuard, address: str, account: str, times: int) -> int:
    """How many of so many failures there could be."""
    return sum(guard.begin(address, account) == 0 for _ in range(times))


def _succeed(guard: LoginGuard, address: str, account: str) -> None:
    assert guard.begin(address, account) == 0
    guard.succeeded(address, account)


def test_who_has_forgotten_a_password_slows_down_nobody_else(guard: LoginGuard, clock: Clock) -> None:
    assert _fail(guard, OFFICE, "ann", 10) == PAIR_BURST
    assert guard.wait_s(OFFICE, "ann") == PAIR_REFILL_S
    assert guard.wait_s(OFFICE, "bob") == 0
    assert guard.wait_s("192.0.2.8", "ann") == 0
    for _ in range(1000):  # four of them try on and on
        clock.now_s += PAIR_REFILL_S
        for forgetful in ("ann", "cid", "dan", "eve"):
            guard.begin(OFFICE, forgetful)
        assert guard.wait_s(OFFICE, "bob") == 0


def test_a_machine_that_guesses_at_many_accounts_is_slowed_down(guard: LoginGuard) -> None:
    tried = sum(_fail(guard, OFFICE, f"agent-{number}", 1) for number in range(100))
    assert tried == ADDRESS_BURST
    assert guard.wait_s(OFFICE, "bob") > 0
    assert guard.wait_s("192.0.2.8", "bob") == 0


def test_and_who_has_logged_in_from_there_is_not_kept_out(guard: LoginGuard) -> None:
    _succeed(guard, OFFICE, "bob")
    for number in range(100):
        _fail(guard, OFFICE, f"agent-{number}", 1)
    assert guard.wait_s(OFFICE, "ann") > 0
    _succeed(guard, OFFICE, "bob")
    assert _fail(guard, OFFICE, "bob", 10) == PAIR_BURST


def test_many_machines_that_guess_at_one_account_are_slowed_down(guard: LoginGuard) -> None:
    _succeed(guard, OFFICE, "bob")
    assert sum(_fail(guard, f"198.51.100.{number}", "bob", 1) for number in range(100)) == ACCOUNT_BURST
    assert guard.wait_s("203.0.113.5", "bob") > 0
    assert guard.wait_s("203.0.113.5", "ann") == 0
    _succeed(guard, OFFICE, "bob")


def test_a_fleet_logs_in_from_one_address(guard: LoginGuard) -> None:
    for number in range(500):
        _succeed(guard, OFFICE, f"agent-{number}")


def test_a_success_forgives_the_account_and_not_the_address(guard: LoginGuard) -> None:
    for number in range(ADDRESS_BURST - PAIR_BURST):
        _fail(guard, OFFICE, f"agent-{number}", 1)
    _fail(guard, OFFICE, "bob", PAIR_BURST - 1)
    _succeed(guard, OFFICE, "bob")
    assert _fail(guard, OFFICE, "bob", 10) == PAIR_BURST
    assert _fail(guard, OFFICE, "ann", 10) == 1, "the address has one place left"


def test_a_try_that_was_none_does_not_count(guard: LoginGuard) -> None:
    for _ in range(100):
        assert guard.begin(OFFICE, "bob") == 0
        guard.undone(OFFICE, "bob")


def test_what_is_remembered_is_bounded(clock: Clock) -> None:
    guard = LoginGuard(clock=clock, max_keys=50, max_known=50)
    for number in range(500):
        _succeed(guard, OFFICE, f"agent-{number}")
        _fail(guard, f"198.51.100.{number}", f"agent-{number}", 1)
    assert len(guard._known) == 50
    assert all(len(each) <= 50 for each in (guard._pairs, guard._accounts, guard._addresses))
