"""Logging in by password: who is let in, how fast one may try, and what it costs the venue."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from argon2 import PasswordHasher
from structlog.testing import capture_logs
from tests.agentbbs.store.making import until

from agentbbs.calls.reception import LogIn, Passwords
from agentbbs.store import accounts, logins, passwords, proofs
from agentbbs.store.database import Database
from agentbbs.store.login_guard import ADDRESS_BURST, PAIR_BURST, PAIR_REFILL_S
from agentbbs.store.logins import Logins, TooBusy

HOME = "192.0.2.7"
PASSWORD = "correct horse battery"
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Parameters for tests: the true ones take 64 MiB and tens of ms."""


_CONTRACT: type[Passwords] = Logins


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_HASHER", CHEAP)
    monkeypatch.setattr(passwords, "_NOBODYS", CHEAP.hash("nobody's"))


@pytest.fixture
async def doorman(database: Database, clock: Clock) -> AsyncIterator[Logins]:
    """Who knows Bob, a sysop, and Keyed, who has no password."""
    with database.begin() as conn:
        bob = accounts.add(conn, "Bob", sysop=True, now_ms=1)
        accounts.set_password_hash(conn, bob.id, passwords.hash_password(PASSWORD))
        accounts.add(conn, "Keyed", now_ms=1)
    doorman = Logins(database, clock=clock)
    yield doorman
    doorman.close()
    await database.close()


def _hash_of_bob(database: Database) -> str:
    with database.connect() as conn:
        password_hash = accounts.find(conn, "bob").password_hash
    assert password_hash is not None
    return password_hash


async def test_the_right_password_in_any_case_of_the_name(doorman: Passwords, database: Database) -> None:
    for name in ("Bob", "bob", "BOB"):
        proof = proofs.of_password(_hash_of_bob(database))
        assert await doorman.check(name, PASSWORD, HOME) == LogIn(1, "Bob", True, proof)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("bob", "wrong"),
        ("bob", PASSWORD.upper()),
        ("bob", ""),
        ("bob", PASSWORD + "x" * 1000),
        ("bob", "half \ud800"),
        ("b0b", PASSWORD),
        ("keyed", ""),
        ("nobody-here", PASSWORD),
        ("", PASSWORD),
        ("bob\0", PASSWORD),
        ("\ud800", PASSWORD),
        ("x" * 100_000, PASSWORD),
    ],
)
async def test_everything_else_is_refused_alike(doorman: Logins, name: str, password: str) -> None:
    with capture_logs() as logged:
        assert await doorman.check(name, password, HOME) == LogIn()
    assert logged == [{"event": "login_refused", "log_level": "info", "address": HOME}], "no name, no password"


async def test_every_refusal_takes_one_whole_hash(doorman: Logins, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []
    verify = passwords.verify_password

    def counted(password_hash: str | None, password: str) -> bool:
        asked.append(password_hash)
        return verify(password_hash, password)

    monkeypatch.setattr(passwords, "verify_password", counted)
    for name in ("bob", "keyed", "nobody-here", "\ud800"):
        await doorman.check(name, "wrong", HOME)
    assert [password_hash is None for password_hash in asked] == [False, True, True, True]


async def test_who_fails_waits_and_the_neighbours_do_not(doorman: Logins, clock: Clock) -> None:
    for _ in range(PAIR_BURST):
        assert await doorman.check("Bob", "wrong", HOME) == LogIn()
    assert await doorman.check("bob", PASSWORD, HOME) == LogIn(wait_s=PAIR_REFILL_S), "nothing was checked"
    assert await doorman.check("keyed", "wrong", HOME) == LogIn()
    clock.now_s += PAIR_REFILL_S
    assert (await doorman.check("bob", PASSWORD, HOME)).account == 1
    for _ in range(PAIR_BURST):
        assert await doorman.check("bob", "wrong", HOME) == LogIn()


async def test_tries_at_the_same_time_are_no_way_around(doorman: Logins) -> None:
    answers = await asyncio.gather(*(doorman.check("bob", f"guess {n}", HOME) for n in range(50)))
    assert sum(answer == LogIn() for answer in answers) == PAIR_BURST
    many = await asyncio.gather(*(doorman.check(f"agent-{n}", "guess", HOME) for n in range(100)))
    assert sum(answer == LogIn() for answer in many) == ADDRESS_BURST - PAIR_BURST
    assert all(answer == LogIn() or answer.wait_s > 0 for answer in many)


async def test_a_whole_fleet_may_come_at_once(doorman: Logins) -> None:
    answers = await asyncio.gather(*(doorman.check("bob", PASSWORD, HOME) for _ in range(100)))
    assert {answer.account for answer in answers} == {1}


async def test_two_are_hashed_at_once_and_those_who_wait_are_bounded(
    doorman: Logins, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, most, enough = 0, 0, threading.Event()
    lock = threading.Lock()
    refused = 1000 - logins.MAX_WAITING - logins.HASHES_AT_ONCE

    def slow(*_: object) -> bool:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        enough.wait(20)
        with lock:
            running -= 1
        return True

    monkeypatch.setattr(passwords, "verify_password", slow)
    tries = [asyncio.create_task(doorman.check("bob", PASSWORD, f"198.51.{n % 250}.1")) for n in range(1000)]
    async with asyncio.timeout(20):
        await until(lambda: sum(each.done() for each in tries) == refused and running == logins.HASHES_AT_ONCE)
        with pytest.raises(TooBusy):
            await doorman.hash("long enough", HOME)
        enough.set()
        answers = await asyncio.gather(*tries)
    assert most == logins.HASHES_AT_ONCE
    assert sum(answer == LogIn(wait_s=logins.BUSY_S) for answer in answers) == refused
    assert sum(answer.account == 1 for answer in answers) == 1000 - refused


async def test_a_caller_that_hangs_up_has_made_a_try(doorman: Logins, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, enough = threading.Event(), threading.Event()

    def slow(*_: object) -> bool:
        begun.set()
        return enough.wait(20)

    with monkeypatch.context() as patch:
        patch.setattr(passwords, "verify_password", slow)
        for _ in range(PAIR_BURST):
            begun.clear()
            enough.clear()  # else the thread is done before the caller hangs up, and Bob is in
            task = asyncio.create_task(doorman.check("bob", "guess", HOME))
            await asyncio.to_thread(begun.wait, 20)
            task.cancel()
            await asyncio.wait([task])
            enough.set()
    assert (await doorman.check("bob", PASSWORD, HOME)).wait_s == PAIR_REFILL_S


async def test_old_parameters_are_renewed_at_a_log_in(doorman: Logins, database: Database) -> None:
    old = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(PASSWORD)
    with database.begin() as conn:
        accounts.set_password_hash(conn, 1, old)
    assert await doorman.check("bob", "wrong", HOME) == LogIn()
    assert _hash_of_bob(database) == old
    assert (await doorman.check("bob", PASSWORD, HOME)).account == 1
    renewed = _hash_of_bob(database)
    assert renewed != old
    assert (await doorman.check("bob", PASSWORD, HOME)).account == 1
    assert _hash_of_bob(database) == renewed


async def test_a_renewal_that_fails_keeps_nobody_out(
    doorman: Logins, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.begin() as conn:
        accounts.set_password_hash(conn, 1, PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(PASSWORD))
    monkeypatch.setattr(passwords, "MIN_CHARS", 100)
    with capture_logs() as logged:
        assert (await doorman.check("bob", PASSWORD, HOME)).account == 1
    assert [entry["event"] for entry in logged] == ["password_not_rehashed"]


@pytest.mark.parametrize("removed", [True, False])
async def test_what_ends_while_it_is_checked_lets_nobody_in(
    doorman: Logins, database: Database, monkeypatch: pytest.MonkeyPatch, removed: bool
) -> None:
    verify = passwords.verify_password

    def verify_then(password_hash: str | None, password: str) -> bool:
        right = verify(password_hash, password)
        with database.begin() as conn:
            if removed:
                accounts.remove(conn, "bob", now_ms=2)
            else:
                accounts.set_password_hash(conn, 1, CHEAP.hash("another one"))
        return right

    monkeypatch.setattr(passwords, "verify_password", verify_then)
    assert await doorman.check("bob", PASSWORD, HOME) == LogIn()


async def test_a_fault_of_ours_is_no_try(doorman: Logins, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> bool:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(passwords, "verify_password", broken)
        for _ in range(20):
            with pytest.raises(MemoryError):
                await doorman.check("bob", PASSWORD, HOME)
    assert (await doorman.check("bob", PASSWORD, HOME)).account == 1


async def test_new_passwords_are_hashed_in_the_same_threads(doorman: Logins) -> None:
    assert passwords.verify_password(await doorman.hash("long enough", HOME), "long enough")
    with pytest.raises(passwords.PasswordFault):
        await doorman.hash("short", HOME)


async def test_the_loop_goes_on_while_a_password_is_hashed(doorman: Logins, monkeypatch: pytest.MonkeyPatch) -> None:
    turned = threading.Event()
    monkeypatch.setattr(passwords, "verify_password", lambda *_: turned.wait(20))
    asyncio.get_running_loop().call_later(0.01, turned.set)
    began_s = time.monotonic()
    assert (await doorman.check("bob", PASSWORD, HOME)).account == 1
    assert time.monotonic() - began_s < 10
