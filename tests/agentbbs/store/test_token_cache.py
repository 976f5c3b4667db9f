"""The cache of tokens: quick, and never behind a revocation."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable

import pytest
from sqlalchemy import Connection, event

from agentbbs.store import accounts, tokens
from agentbbs.store.database import Database
from agentbbs.store.token_cache import TokenCache

Enrol = Callable[[int], list[int]]


class Statements:
    """What is asked of the database, by table, on connections that are opened from now on."""

    def __init__(self, database: Database) -> None:
        self.seen: list[str] = []
        database._single.dispose()
        event.listen(database._single.pool, "connect", self._watch)
        database.glance("SELECT 1")
        assert database._glance is not None
        database._glance.set_trace_callback(self._note)

    def _watch(self, connection: sqlite3.Connection, _record: object) -> None:
        connection.set_trace_callback(self._note)

    def _note(self, statement: str) -> None:
        self.seen.extend(table for table in ("FROM auth_epoch", "FROM tokens") if table in statement)

    def since(self) -> list[str]:
        seen, self.seen = self.seen, []
        return seen


@pytest.fixture
async def cache(database: Database) -> AsyncIterator[TokenCache]:
    yield TokenCache(database, now_ms=lambda: 1234)
    await database.close()


@pytest.fixture
def statements(database: Database) -> Statements:
    return Statements(database)


def _mint(database: Database, account: int) -> str:
    with database.begin() as conn:
        return tokens.mint(conn, account, 1)


async def test_a_hit_asks_for_the_epoch_alone(
    database: Database, enrol: Enrol, cache: TokenCache, statements: Statements
) -> None:
    [account] = enrol(1)
    token = _mint(database, account)
    first = await cache.check(token)
    assert first is not None
    assert (first.account, first.name) == (account, "agent-001")
    assert statements.since() == ["FROM auth_epoch", "FROM tokens"]
    assert await cache.check(token) == first
    assert statements.since() == ["FROM auth_epoch"]


async def test_a_hit_that_can_not_glance_at_the_epoch_looks_it_up(
    database: Database, enrol: Enrol, cache: TokenCache, statements: Statements, monkeypatch: pytest.MonkeyPatch
) -> None:
    [account] = enrol(1)
    token = _mint(database, account)
    first = await cache.check(token)
    monkeypatch.setattr(database, "glance", lambda statement: None)
    statements.since()
    assert await cache.check(token) == first
    assert statements.since() == ["FROM auth_epoch"]


async def test_a_revoked_token_is_refused_at_once(database: Database, enrol: Enrol, cache: TokenCache) -> None:
    [account] = enrol(1)
    token, other = _mint(database, account), _mint(database, account)
    assert await cache.check(token)
    with database.begin() as conn:
        tokens.revoke(conn, token, 2)
    assert await cache.check(token) is None
    assert await cache.check(other)


async def test_a_removed_account_is_refused_at_once(database: Database, enrol: Enrol, cache: TokenCache) -> None:
    [account] = enrol(1)
    token = _mint(database, account)
    assert await cache.check(token)
    with database.begin() as conn:
        accounts.remove(conn, "agent-001", now_ms=2)
    assert await cache.check(token) is None


async def test_another_process_revokes_a_token(database: Database, enrol: Enrol, cache: TokenCache) -> None:
    [account] = enrol(1)
    token = _mint(database, account)
    assert await cache.check(token)
    script = (
        "import sys\n"
        "from agentbbs.store import tokens\n"
        "from agentbbs.store.database import Database\n"
        "with Database(sys.argv[1]) as database, database.begin() as conn:\n"
        "    tokens.revoke(conn, sys.argv[2], 2)\n"
    )
    await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", script, database.url.render_as_string(), token],
        check=True,
        timeout=60,
    )
    assert await cache.check(token) is None


async def test_a_token_revoked_while_a_look_up_is_on_is_refused_to_who_comes_then(
    database: Database, enrol: Enrol, cache: TokenCache
) -> None:
    [account] = enrol(1)
    token = _mint(database, account)
    assert await cache.check(token)
    early = asyncio.create_task(cache.check(token))
    await asyncio.sleep(0)
    await asyncio.sleep(0)  # the first look-up is under way
    with database.begin() as conn:
        tokens.revoke(conn, token, 2)
    assert await cache.check(token) is None
    await early


async def test_a_burst_of_log_ins_costs_two_look_ups(
    database: Database, enrol: Enrol, cache: TokenCache, statements: Statements
) -> None:
    ids = enrol(200)
    with database.begin() as conn:
        minted = [tokens.mint(conn, account, 1) for account in ids]
    statements.since()
    principals = await asyncio.gather(*(cache.check(token) for token in minted))
    assert [principal and principal.account for principal in principals] == ids
    assert statements.since().count("FROM auth_epoch") in {1, 2}
    await asyncio.gather(*(cache.check(token) for token in minted))
    assert set(statements.since()) == {"FROM auth_epoch"}


async def test_unknown_tokens_are_not_kept(cache: TokenCache) -> None:
    for number in range(50):
        assert await cache.check(f"abbs_{number}") is None
    assert await cache.check("") is None
    assert await cache.check("\ud800") is None
    assert not cache._principals
    assert not cache._used_ms


async def test_a_token_minted_after_it_was_refused_is_known(
    database: Database, enrol: Enrol, cache: TokenCache
) -> None:
    [account] = enrol(1)
    token = _mint(database, account)
    with database.begin() as conn:
        conn.exec_driver_sql("UPDATE tokens SET revoked_ms = 1")
    assert await cache.check(token) is None
    with database.begin() as conn:
        conn.exec_driver_sql("UPDATE tokens SET revoked_ms = NULL")
    assert await cache.check(token) is not None


async def test_the_cache_has_a_bound_and_drops_who_was_not_seen_longest(
    database: Database, enrol: Enrol, statements: Statements
) -> None:
    [account] = enrol(1)
    one, two, three = (_mint(database, account) for _ in range(3))
    cache = TokenCache(database, max_tokens=2)
    for token in (one, two, one, three):
        assert await cache.check(token)
    assert len(cache._principals) == 2
    statements.since()
    assert await cache.check(one)
    assert statements.since() == ["FROM auth_epoch"]
    assert await cache.check(two)
    assert statements.since() == ["FROM auth_epoch", "FROM tokens"]
    await database.close()


async def test_the_last_use_is_written_when_flushed(database: Database, enrol: Enrol, cache: TokenCache) -> None:
    [account] = enrol(1)
    token = _mint(database, account)
    _mint(database, account)
    for _ in range(3):
        await cache.check(token)

    def last_used(conn: Connection) -> list[int | None]:
        return [info.last_used_ms for info in tokens.of_account(conn, account)]

    assert await database.read(last_used) == [None, None]
    await cache.flush_last_use()
    assert await database.read(last_used) == [1234, None]
    await cache.flush_last_use()
    assert await cache.check(token)


async def test_a_last_use_that_can_not_be_written_waits(database: Database, enrol: Enrol) -> None:
    [account] = enrol(1)
    token = _mint(database, account)
    impatient = Database(database.url.render_as_string(), busy_timeout_ms=1)
    cache = TokenCache(impatient, now_ms=lambda: 77)
    await cache.check(token)
    holder = sqlite3.connect(database.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    await cache.flush_last_use()
    holder.execute("COMMIT")
    holder.close()
    await cache.flush_last_use()
    with database.connect() as conn:
        assert [info.last_used_ms for info in tokens.of_account(conn, account)] == [77]
    await impatient.close()
