"""What each account has done: the same answers whatever is folded."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection
from tests.agentbbs.store.making import finished
from tests.agentbbs.store.played_log import GAMES, Expected, Logged, play, some_matches

from agentbbs.protocol.agentgames import Termination
from agentbbs.store import accounts, careers, careers_fold, match_faults
from agentbbs.store.careers import FaultCount, HeadToHead
from agentbbs.store.database import Database

Enrol = Callable[[int], list[int]]


def _fold(database: Database, most: int | None = None) -> int:
    with database.begin() as conn:
        return careers.fold(conn, most)


def _names(conn: Connection) -> dict[int, str]:
    return {account.id: account.name for account in accounts.all_accounts(conn, removed=True)}


def _assert_as_expected(conn: Connection, expected: Expected, ids: list[int], seqs: list[int]) -> None:
    for account in ids:
        assert careers.careers(conn, account) == expected.careers(account)
        for before in (None, *seqs):
            for limit in (1, 30):
                found = careers.matches(conn, account, before_seq=before, limit=limit)
                assert [match.seq for match in found] == expected.seqs(account, None, before, limit)
        for game in GAMES:
            for most in (2, 9, 60, 5000):
                assert careers.ratings(conn, account, game, most=most) == expected.ratings(account, game, most)
            assert careers.faults(conn, account, game) == expected.faults(account, game)
            rivals = expected.opponents(account, game)
            assert careers.opponents(conn, account, game, limit=100) == tuple(rivals)
            assert careers.opponents(conn, account, game, limit=2, offset=1) == tuple(rivals[1:3])
            before = seqs[0] if seqs else None
            found = careers.matches(conn, account, game=game, before_seq=before, limit=20)
            assert [match.seq for match in found] == expected.seqs(account, game, before, 20)
    for game in GAMES:
        assert careers.transports(conn, game) == expected.transports(game)
        for last in (1, 20):
            every = {account: expected.trend(account, game, last) for account in ids}
            assert careers.trends(conn, tuple(ids), game, last=last) == {
                a: trend for a, trend in every.items() if trend
            }


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 2**32),
    parts=st.lists(
        st.tuples(st.integers(0, 40) | st.integers(150, 300), st.none() | st.integers(1, 500)), min_size=1, max_size=3
    ),
    removed=st.sets(st.integers(0, 4), max_size=2),
)
def test_the_answers_are_those_of_the_log_however_much_is_folded(
    database: Database, enrol: Enrol, seed: int, parts: list[tuple[int, int | None]], removed: set[int]
) -> None:
    rng = random.Random(seed)
    with database.begin() as conn:
        conn.exec_driver_sql("DELETE FROM game_matches")
        conn.exec_driver_sql("DELETE FROM game_ratings")
        conn.exec_driver_sql("UPDATE accounts SET removed_ms = NULL")
        careers.start_over(conn)
        ids = list(_names(conn))
    ids = ids or enrol(5)
    log: list[Logged] = []
    for count, most in parts:
        log += play(database, some_matches(rng, ids, count), after=len(log))
        if most is not None:
            _fold(database, most)
    with database.begin() as conn:
        for number in removed:
            accounts.remove(conn, _names(conn)[ids[number]], now_ms=1)
    with database.connect() as conn:
        expected = Expected(log, _names(conn), {ids[number] for number in removed})
        seqs = sorted(rng.sample(range(1, len(log) + 2), min(2, len(log))))
        _assert_as_expected(conn, expected, ids, seqs)


@pytest.fixture(scope="module")
def long_log(migrated_once: Database) -> tuple[Database, list[Logged], list[int]]:
    """Three thousand matches, most of them of one account, folded in uneven parts but for the last forty."""
    database = migrated_once
    with database.begin() as conn:
        ids = [accounts.add(conn, f"agent-{number + 1:03}", now_ms=1).id for number in range(4)]
    log = play(database, some_matches(random.Random(5), ids, 3000))
    for most in (1, 15, 16, 17, 255, 256, 257, 700, 3000 - 1517 - 40):
        assert _fold(database, most) == most
    return database, log, ids


@pytest.fixture(scope="module")
def migrated_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with Database(f"sqlite:///{tmp_path_factory.mktemp('long') / 'venue.db'}") as database:
        database.upgrade()
        yield database


def test_long_careers_are_read_by_leaps(long_log: tuple[Database, list[Logged], list[int]]) -> None:
    database, log, ids = long_log
    with database.connect() as conn:
        expected = Expected(log, _names(conn), set())
        assert max(career.matches for career in careers.careers(conn, ids[0])) > 3 * 256
        _assert_as_expected(conn, expected, ids, [1, 2, 17, 300, 1500, 2961, 3000])


def test_a_question_about_a_long_career_reads_a_few_rows(long_log: tuple[Database, list[Logged], list[int]]) -> None:
    database, _, ids = long_log
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    with database.connect() as conn:
        driver = conn.connection.driver_connection
        assert driver is not None

        def cost(ask: Callable[[], object]) -> int:
            nonlocal steps
            steps = 0
            driver.set_progress_handler(step, 10)
            try:
                ask()
            finally:
                driver.set_progress_handler(None, 10)
            return steps * 10

        account = ids[0]
        tail = cost(lambda: careers.careers(conn, account))
        assert cost(lambda: careers.ratings(conn, account, "ttt", most=2)) < tail + 4_000
        assert cost(lambda: careers.ratings(conn, account, "ttt", most=5000)) > tail + 20_000
        assert cost(lambda: careers.matches(conn, account, before_seq=300, limit=5)) < tail + 6_000


def test_a_game_that_the_account_never_played_is_empty(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    play(database, [finished(one, other, game="c4")])
    for _ in range(2):
        with database.connect() as conn:
            assert careers.ratings(conn, one, "ttt", most=10) == ()
            assert careers.opponents(conn, one, "ttt", limit=10) == ()
            assert careers.faults(conn, one, "ttt") == ()
            assert careers.matches(conn, one, game="ttt", limit=10) == ()
            assert careers.trends(conn, (one, other), "ttt", last=5) == {}
            assert careers.trends(conn, (), "c4", last=5) == {}
            assert careers.transports(conn, "ttt") == {}
            assert careers.careers(conn, 99) == ()
        _fold(database)


@pytest.mark.parametrize("folded", [False, True])
def test_who_forfeits_has_its_strike_and_the_way_it_lost(database: Database, enrol: Enrol, folded: bool) -> None:
    one, other = enrol(2)
    won = finished(one, other, 0, termination=Termination.RESIGN)
    void = finished(one, other, -1, termination=Termination.SERVER, why="void: server error")
    play(database, [won, void, finished(one, other, 1)])
    if folded:
        _fold(database)
    with database.connect() as conn:
        assert careers.faults(conn, other, "ttt") == (FaultCount("lost by resign", 1),)
        assert careers.faults(conn, one, "ttt") == ()


@pytest.mark.parametrize("folded", [False, True])
def test_a_removed_account_is_struck_out_where_it_was_met(database: Database, enrol: Enrol, folded: bool) -> None:
    one, other = enrol(2)
    play(database, [finished(one, other)])
    if folded:
        _fold(database)
    with database.begin() as conn:
        accounts.remove(conn, "agent-002", now_ms=2)
        [rival] = careers.opponents(conn, one, "ttt", limit=10)
        assert rival == HeadToHead("(removed)", 1, 0, 0, rival.last_ms)
        assert careers.matches(conn, one, limit=1)[0].names == ("agent-001", "(removed)")


async def test_a_fold_between_two_queries_of_a_question_changes_nothing(
    database: Database, enrol: Enrol, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = enrol(3)
    log = play(database, some_matches(random.Random(1), ids, 400))
    _fold(database, 100)
    with database.connect() as conn:
        expected = Expected(log, _names(conn), set())
    between = match_faults.among

    def folding(conn: Connection, seqs: list[int]) -> object:
        _fold(database, 50)  # the tail is known by now, the folded part was read before
        return between(conn, seqs)

    monkeypatch.setattr(match_faults, "among", folding)
    assert await database.look_up(careers.faults, ids[0], "ttt") == expected.faults(ids[0], "ttt")
    assert await database.read(careers.faults, ids[0], "ttt") == expected.faults(ids[0], "ttt")
    await database.close()


def test_folding_by_parts_counts_each_match_once(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    play(database, [finished(one, other) for _ in range(25)])
    assert [_fold(database, 10) for _ in range(4)] == [10, 10, 5, 0]
    with database.connect() as conn:
        assert careers_fold.uncounted(conn) == 0
        assert careers.opponents(conn, one, "ttt", limit=1)[0].wins == 25


async def test_catching_up_counts_all_and_tells_how_far_it_is(
    database: Database, enrol: Enrol, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(careers_fold, "CATCH_UP_MATCHES", 30)
    ids = enrol(3)
    play(database, some_matches(random.Random(2), ids, 70))
    told: list[tuple[int, int]] = []

    def progress(done: int, whole: int) -> None:
        told.append((done, whole))

    assert await asyncio.to_thread(careers_fold.catch_up, database, progress=progress) == 70
    assert told == [(30, 70), (60, 70), (70, 70)]
    assert await asyncio.to_thread(careers_fold.catch_up, database, progress=progress) == 0
    with database.connect() as conn:
        assert careers_fold.uncounted(conn) == 0
        cache: int = conn.exec_driver_sql("PRAGMA cache_size").scalar_one()
        assert cache != -careers_fold.CATCH_UP_CACHE_KIB
    await database.close()
