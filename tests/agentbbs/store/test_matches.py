"""The writer at its work: what is told, when, and in which order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

import pytest
from sqlalchemy import Connection, select
from tests.agentbbs.store.making import Results, finished, until

from agentbbs.play.ports import MatchLog, Settled, Standing
from agentbbs.store import careers, careers_check, careers_fold, rebuild, repeats
from agentbbs.store.database import Database
from agentbbs.store.ladder import standing
from agentbbs.store.matches import MAX_BATCH, MatchWriter
from agentbbs.store.schema import game_lines_upto, game_matches

Enrol = Callable[[int], list[int]]


@pytest.fixture
async def writer(database: Database) -> AsyncIterator[MatchWriter]:
    writer = MatchWriter(database, asyncio.get_running_loop())
    writer.start()
    yield writer
    assert await writer.close(30) == 0
    await database.close()


def _log(database: Database) -> list[str]:
    with database.connect() as conn:
        return list(conn.execute(select(game_matches.c.id).order_by(game_matches.c.seq)).scalars())


async def test_a_result_is_told_after_the_commit_in_the_loops_thread(
    database: Database, enrol: Enrol, writer: MatchWriter
) -> None:
    log: MatchLog = writer
    one, other = enrol(2)
    match = finished(one, other)
    told: asyncio.Future[tuple[Settled | None, list[str], int]] = asyncio.get_running_loop().create_future()
    log.record(match, lambda settled: told.set_result((settled, _log(database), threading.get_ident())))
    settled, stored_by_then, thread = await asyncio.wait_for(told, 20)
    assert settled == Settled(
        (Standing(), Standing()), (Standing(1516.0, 1, 1, 0, 0, 1), Standing(1484.0, 1, 0, 0, 1, 0))
    )
    assert stored_by_then == [match.id]
    assert thread == threading.get_ident()
    assert (writer.pending, writer.healthy, writer.commits, writer.committed_matches) == (0, True, 1, 1)


async def test_matches_that_gather_share_a_commit_and_keep_their_order(
    database: Database, enrol: Enrol, writer: MatchWriter
) -> None:
    ids = enrol(10)
    results = Results()
    matches = [finished(ids[number % 10], ids[(number + 1) % 10], number % 3 - 1) for number in range(1300)]
    for match in matches:
        writer.record(match, results(match))
    assert 0 < writer.pending <= 1300
    await results.number(1300)
    assert [match_id for match_id, _ in results.told] == [match.id for match in matches] == _log(database)
    assert all(settled is not None for _, settled in results.told)
    assert writer.largest_batch <= MAX_BATCH
    assert writer.commits <= 100  # a handful where nothing else keeps the machine busy
    assert writer.commit_seconds > 0
    with database.connect() as conn:
        assert rebuild.check(conn) == ()


async def test_one_players_fault_does_not_keep_the_others_from_their_results(enrol: Enrol, writer: MatchWriter) -> None:
    one, other = enrol(2)
    results = Results()

    def fail(_: Settled | None) -> None:
        raise ZeroDivisionError

    writer.record(finished(one, other), fail)
    match = finished(one, other)
    writer.record(match, results(match))
    await results.number(1)
    assert results.of(match) != [None]


async def test_a_callback_may_record_the_next_match(database: Database, enrol: Enrol, writer: MatchWriter) -> None:
    one, other = enrol(2)
    results = Results()

    def again(left: int) -> None:
        match = finished(one, other)
        tell = results(match)

        def settled(settled: Settled | None) -> None:
            tell(settled)
            if left:
                again(left - 1)

        writer.record(match, settled)

    again(9)
    await results.number(10)
    with database.connect() as conn:
        assert standing(conn, one, "ttt").played == 10


async def test_close_stores_and_tells_everything(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    writer = MatchWriter(database, asyncio.get_running_loop())
    writer.start()
    results = Results()
    for number in range(700):
        match = finished(one, other, number % 3 - 1)
        writer.record(match, results(match))
    assert await writer.close(30) == 0
    assert len([settled for _, settled in results.told if settled is not None]) == 700
    assert len(_log(database)) == 700
    assert await writer.close(30) == 0
    with pytest.raises(RuntimeError, match="closed"):
        writer.record(finished(one, other), results(finished(one, other)))
    await database.close()


async def test_careers_are_counted_a_part_at_a_time_until_none_is_left(
    database: Database, enrol: Enrol, writer: MatchWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentbbs.store.matches.IDLE_S", 0.01)
    monkeypatch.setattr("agentbbs.store.matches.FOLD_AT_ONCE", 100)
    parts: list[int | None] = []
    fold = careers_fold.fold

    def watched(conn: Connection, most: int | None = None) -> int:
        parts.append(most)
        return fold(conn, most)

    monkeypatch.setattr(careers_fold, "fold", watched)
    one, other = enrol(2)
    results = Results()
    for _ in range(650):
        match = finished(one, other)
        writer.record(match, results(match))
    await results.number(650)

    def left() -> int:
        with database.connect() as conn:
            return careers_fold.uncounted(conn)

    await until(lambda: left() == 0)
    assert set(parts) == {100}
    assert len(parts) >= 7
    with database.connect() as conn:
        assert careers_check.differing(conn, 10) == []
        assert careers.careers(conn, one)[0].matches == 650


async def test_a_fault_in_careers_does_not_keep_matches_from_being_stored(
    database: Database, enrol: Enrol, writer: MatchWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentbbs.store.matches.IDLE_S", 0.01)
    one, other = enrol(2)
    with database.begin() as conn:
        conn.exec_driver_sql("ALTER TABLE game_seats RENAME TO elsewhere")
    results = Results()
    for number in range(3):
        match = finished(one, other)
        writer.record(match, results(match))
        await results.number(number + 1)
    assert all(settled is not None for _, settled in results.told)
    assert writer.healthy
    with database.begin() as conn:
        conn.exec_driver_sql("ALTER TABLE elsewhere RENAME TO game_seats")
    match = finished(one, other)
    writer.record(match, results(match))

    def counted() -> bool:
        with database.connect() as conn:
            return careers_fold.uncounted(conn) == 0

    await until(lambda: len(_log(database)) == 4 and counted())


async def test_lines_are_counted_now_and_then_and_in_quiet_hours(
    database: Database, enrol: Enrol, writer: MatchWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentbbs.store.matches.IDLE_S", 0.01)
    one, other = enrol(2)
    results = Results()
    for _ in range(1100):
        match = finished(one, other)
        writer.record(match, results(match))
    await results.number(1100)

    def counted() -> int:
        with database.connect() as conn:
            upto: int = conn.execute(select(game_lines_upto.c.seq)).scalar_one()
            return upto

    await until(lambda: counted() >= 1000)
    match = finished(one, other)
    writer.record(match, results(match))
    await until(lambda: counted() == 1101)
    with database.connect() as conn:
        assert repeats.differing(conn, 10) == []
