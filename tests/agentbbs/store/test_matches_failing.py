"""The writer when the disk is full, the database locked, or a match can't be stored."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, event, select
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs
from tests.agentbbs.store.making import Results, finished, until

from agentbbs.play.ports import FinishedMatch, Settled, Strike
from agentbbs.store import rebuild
from agentbbs.store.database import Database
from agentbbs.store.ladder import standing
from agentbbs.store.ledger import Ledger
from agentbbs.store.matches import MAX_BATCH, MatchWriter
from agentbbs.store.schema import game_matches

Enrol = Callable[[int], list[int]]


@pytest.fixture(autouse=True)
def _quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentbbs.store.matches.FIRST_RETRY_S", 0.005)
    monkeypatch.setattr("agentbbs.store.matches.MAX_RETRY_S", 0.02)


@pytest.fixture
def logged() -> Iterator[list[Any]]:
    with capture_logs() as logged:
        yield logged


@pytest.fixture
async def writer(database: Database, logged: list[Any]) -> AsyncIterator[MatchWriter]:
    """A writer that does not wait for a lock."""
    impatient = Database(database.url.render_as_string(), busy_timeout_ms=1)
    writer = MatchWriter(impatient, asyncio.get_running_loop())
    writer.start()
    yield writer
    await writer.close(30)
    await impatient.close()
    assert logged is not None


class Lock:
    """Another process that holds the database."""

    def __init__(self, database: Database) -> None:
        self._conn = sqlite3.connect(database.path, isolation_level=None)
        self._conn.execute("BEGIN IMMEDIATE")

    def release(self) -> None:
        self._conn.execute("ROLLBACK")
        self._conn.close()


def _record(writer: MatchWriter, results: Results, matches: Sequence[FinishedMatch]) -> None:
    for match in matches:
        writer.record(match, results(match))


def _assert_stored(database: Database, matches: Sequence[FinishedMatch]) -> None:
    """These matches are the log, in this order, and everything fits together."""
    with database.connect() as conn:
        log = list(conn.execute(select(game_matches.c.id).order_by(game_matches.c.seq)).scalars())
        assert log == [match.id for match in matches]
        assert rebuild.check(conn) == ()


def _events(logged: list[Any], name: str) -> list[Any]:
    return [entry for entry in logged if entry["event"] == name]


async def test_while_the_database_is_locked_players_are_told_none_once_and_the_matches_wait(
    database: Database, enrol: Enrol, writer: MatchWriter, logged: list[Any]
) -> None:
    one, other = enrol(2)
    results = Results()
    matches = [finished(one, other, number % 3 - 1) for number in range(30)]
    lock = Lock(database)
    _record(writer, results, matches[:20])
    await results.number(20)
    assert {settled for _, settled in results.told} == {None}
    assert (writer.healthy, writer.pending) == (False, 20)
    failures = writer.commit_failures
    await until(lambda: writer.commit_failures > failures + 2)
    _record(writer, results, matches[20:])
    await results.number(30)
    assert (writer.committed_matches, writer.pending) == (0, 30)
    assert _events(logged, "matches_not_stored")[0]["fault"] == "OperationalError: database is locked"
    assert _events(logged, "matches_wait")[0]["log_level"] == "error"
    lock.release()
    await until(lambda: writer.pending == 0)
    assert writer.healthy
    assert [match_id for match_id, _ in results.told] == [match.id for match in matches]
    _assert_stored(database, matches)
    late = finished(one, other)
    _record(writer, results, [late])
    await results.number(31)
    assert results.of(late) != [None]


async def test_a_full_disk_loses_nothing(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    full = Database(database.url.render_as_string())
    full.open()

    def fill(connection: sqlite3.Connection, _: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    full.dispose()
    event.listen(full._writing.pool, "connect", fill)
    writer = MatchWriter(full, asyncio.get_running_loop())
    writer.start()
    results = Results()
    matches = [finished(one, other, moves=" ".join(map(str, range(number, 900)))) for number in range(40)]
    _record(writer, results, matches)
    with capture_logs() as logged:
        await until(lambda: any(settled is None for _, settled in results.told))
        assert not writer.healthy
        await until(lambda: bool(_events(logged, "matches_not_stored")))
    assert "database or disk is full" in _events(logged, "matches_not_stored")[0]["fault"]
    event.remove(full._writing.pool, "connect", fill)
    await until(lambda: writer.pending == 0)
    assert await writer.close(30) == 0
    assert len(results.told) == 40
    _assert_stored(database, matches)
    await full.close()


async def test_a_long_outage_ends_in_batches_of_the_usual_size(
    database: Database, enrol: Enrol, writer: MatchWriter
) -> None:
    one, other = enrol(2)
    results = Results()
    lock = Lock(database)
    matches = [finished(one, other) for _ in range(1200)]
    _record(writer, results, matches)
    await results.number(1200)
    lock.release()
    await until(lambda: writer.pending == 0)
    assert writer.largest_batch <= MAX_BATCH
    _assert_stored(database, matches)


async def test_a_commit_that_succeeds_with_an_error_is_not_counted_twice(
    database: Database, enrol: Enrol, writer: MatchWriter, logged: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = enrol(2)
    commit = Ledger.commit
    failures = iter([True, False])

    def commit_and_fail(ledger: Ledger, conn: Connection, matches: Sequence[FinishedMatch]) -> list[Settled]:
        settled = commit(ledger, conn, matches)
        if next(failures, False):
            raise OperationalError("COMMIT", None, sqlite3.OperationalError("disk I/O error"))
        return settled

    monkeypatch.setattr(Ledger, "commit", commit_and_fail)
    results = Results()
    matches = [finished(one, other), finished(one, other)]
    _record(writer, results, matches[:1])
    await results.number(1)
    await until(lambda: writer.pending == 0)
    _record(writer, results, matches[1:])
    await results.number(2)
    assert results.of(matches[0]) == [None]
    assert _events(logged, "matches_were_stored")[0]["matches"] == [matches[0].id]
    with database.connect() as conn:
        assert standing(conn, one, "ttt").played == 2
    _assert_stored(database, matches)


async def test_a_match_recorded_twice_counts_once(database: Database, enrol: Enrol, writer: MatchWriter) -> None:
    one, other = enrol(2)
    first, second, third = (finished(one, other) for _ in range(3))
    results = Results()
    _record(writer, results, [first])
    await results.number(1)
    _record(writer, results, [second, first, third, third])
    await results.number(5)
    assert [settled is not None for _, settled in results.told].count(True) == 3
    assert results.of(first).count(None) == 1
    assert results.of(third).count(None) == 1
    assert results.of(second)[0] is not None
    assert writer.healthy
    _assert_stored(database, [first, second, third])


async def test_a_match_that_can_not_be_stored_blocks_nobody(
    database: Database, enrol: Enrol, writer: MatchWriter, logged: list[Any]
) -> None:
    one, other = enrol(2)
    bad = [
        finished(one, 999, unplayed=(Strike("illegal_move", 1, "\x1b[2J \ud800"),)),
        finished(one, one),
        msgspec.structs.replace(finished(one, other), started_ms=2**70),
        msgspec.structs.replace(finished(one, other), why="practice"),
    ]
    good = [finished(one, other) for _ in range(5)]
    results = Results()
    _record(writer, results, [match for pair in zip(good, bad, strict=False) for match in pair] + good[4:])
    await results.number(9)
    assert all(results.of(match) == [None] for match in bad)
    assert all(len(results.of(match)) == 1 and results.of(match) != [None] for match in good)
    assert writer.set_aside == bad
    assert (writer.pending, writer.healthy) == (0, True)
    _assert_stored(database, good)
    aside = [json.loads(entry["match"]) for entry in _events(logged, "match_set_aside")]
    assert [match["id"] for match in aside] == [match.id for match in bad]
    assert aside[0]["unplayed"][0]["offered"] == "\x1b[2J \\ud800"
    assert aside[0]["plies"][4] == {"move": "2", "ms": 12}


async def test_a_trigger_that_refuses_one_game_refuses_that_game_only(
    database: Database, enrol: Enrol, writer: MatchWriter
) -> None:
    one, other = enrol(2)
    with database.begin() as conn:
        conn.exec_driver_sql(
            "CREATE TRIGGER closed BEFORE INSERT ON game_matches WHEN NEW.game = 'c4' "
            "BEGIN SELECT RAISE(ABORT, 'this ladder is closed'); END"
        )
    open_game, closed = finished(one, other), finished(one, other, game="c4")
    results = Results()
    _record(writer, results, [closed, open_game])
    await results.number(2)
    assert writer.set_aside == [closed]
    assert results.of(closed) == [None]
    _assert_stored(database, [open_game])


async def test_an_outage_in_the_middle_of_one_by_one_loses_nothing(
    database: Database, enrol: Enrol, writer: MatchWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = enrol(2)
    commit = Ledger.commit
    tries: list[int] = []

    def failing(ledger: Ledger, conn: Connection, matches: Sequence[FinishedMatch]) -> list[Settled]:
        tries.append(len(matches))
        if len(tries) == 5:
            raise OperationalError("INSERT", None, sqlite3.OperationalError("disk I/O error"))
        return commit(ledger, conn, matches)

    monkeypatch.setattr(Ledger, "commit", failing)
    lock = Lock(database)
    results = Results()
    good, bad = [finished(one, other) for _ in range(4)], finished(one, 999)
    _record(writer, results, [good[0], bad, *good[1:]])
    await results.number(5)
    lock.release()
    await until(lambda: writer.pending == 0)
    assert writer.set_aside == [bad]
    assert len(results.told) == 5
    _assert_stored(database, good)


async def test_close_gives_up_in_time_and_logs_every_match_in_full(
    database: Database, enrol: Enrol, logged: list[Any]
) -> None:
    one, other = enrol(2)
    impatient = Database(database.url.render_as_string(), busy_timeout_ms=1)
    writer = MatchWriter(impatient, asyncio.get_running_loop())
    writer.start()
    results = Results()
    matches = [finished(one, other) for _ in range(3)]
    lock = Lock(database)
    _record(writer, results, matches)
    assert await writer.close(0.05) == 3
    assert [settled for _, settled in results.told] == [None] * 3
    [lost] = _events(logged, "matches_lost")
    assert [json.loads(match)["id"] for match in lost["matches"]] == [match.id for match in matches]
    lock.release()
    _assert_stored(database, [])
    await impatient.close()


async def test_close_keeps_trying_while_it_has_time(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    impatient = Database(database.url.render_as_string(), busy_timeout_ms=1)
    writer = MatchWriter(impatient, asyncio.get_running_loop())
    writer.start()
    results = Results()
    matches = [finished(one, other) for _ in range(3)]
    lock = Lock(database)
    _record(writer, results, matches)
    closing = asyncio.create_task(writer.close(30))
    await results.number(3)
    lock.release()
    assert await closing == 0
    _assert_stored(database, matches)
    await impatient.close()


async def test_when_the_loop_has_gone_the_matches_are_stored_all_the_same(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    gone = asyncio.new_event_loop()
    gone.close()
    writer = MatchWriter(database, gone)
    writer.start()
    match = finished(one, other)
    writer.record(match, Results()(match))
    assert await writer.close(30) == 0
    _assert_stored(database, [match])
    await database.close()
