"""Careers that are not what the log says are found, whatever is wrong with them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection
from tests.agentbbs.store.played_log import play, some_matches

from agentbbs.store import accounts, careers_check, careers_fold
from agentbbs.store.database import Database


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Two thousand matches of three accounts, all but a hundred of them folded, in two parts."""
    path: Path = tmp_path_factory.mktemp("counted") / "venue.db"
    with Database(f"sqlite:///{path}") as database:
        database.upgrade()
        with database.begin() as conn:
            ids = [accounts.add(conn, f"agent-{number + 1:03}", now_ms=1).id for number in range(3)]
        play(database, some_matches(random.Random(9), ids, 2000))
        with database.begin() as conn:
            assert careers_fold.fold(conn, 333) == 333
            assert careers_fold.fold(conn, 1567) == 1567
        yield database


@pytest.fixture
def conn(counted: Database) -> Iterator[Connection]:
    """In a transaction that is taken back."""
    with counted.writing_connection() as conn, conn.begin() as transaction:
        yield conn
        transaction.rollback()


def test_what_was_folded_is_what_the_log_says(conn: Connection) -> None:
    assert conn.exec_driver_sql("SELECT count(*) FROM game_pairs").scalar_one() > 0
    assert conn.exec_driver_sql("SELECT count(*) FROM game_seats WHERE before_256 IS NOT NULL").scalar_one() > 0
    assert careers_check.differing(conn, 10) == []


@pytest.mark.parametrize(
    ("damage", "where"),
    [
        ("UPDATE game_seats SET nth = nth + 1 WHERE id = 200", "seat 200"),
        ("UPDATE game_seats SET before = 1 WHERE id = 200", "seat 200"),
        ("UPDATE game_seats SET before_16 = 1 WHERE id = 200", "seat 200"),
        ("UPDATE game_seats SET before_256 = 1 WHERE id = 200", "seat 200"),
        ("UPDATE game_seats SET rating = NULL WHERE id = 200", "seat 200"),
        ("UPDATE game_seats SET outcome = 7 WHERE id = 200", "seat 200"),
        ("UPDATE game_seats SET account_id = 9 WHERE id = 200", "seat 200"),
        ("DELETE FROM game_seats WHERE id = 200", "seat 200"),
        ("INSERT INTO game_seats (id, account_id, game, nth) VALUES (1, 1, 'ttt', 1)", "seat 1"),
        ("INSERT INTO game_seats (id, account_id, game, nth) VALUES (3900, 1, 'ttt', 1)", "seat 3900"),
        ("UPDATE game_careers SET matches = 0 WHERE account_id = 3 AND game = 'ttt'", "career 3 ttt"),
        ("UPDATE game_careers SET newest_16 = 0 WHERE account_id = 3 AND game = 'ttt'", "career 3 ttt"),
        ("UPDATE game_careers SET first_ms = 0 WHERE account_id = 3 AND game = 'ttt'", "career 3 ttt"),
        ("UPDATE game_careers SET last_ms = 0 WHERE account_id = 3 AND game = 'ttt'", "career 3 ttt"),
        ("UPDATE game_careers SET transport = '' WHERE account_id = 3 AND game = 'ttt'", "career 3 ttt"),
        ("INSERT INTO game_careers VALUES (2, 'go', 1, 2, NULL, 'ssh', 1, 1)", "career 2 go"),
        ("UPDATE game_pairs SET wins = wins + 1 WHERE (account_id, game, opponent_id) = (1, 'c4', 2)", "pair 1 c4 2"),
        ("DELETE FROM game_pairs WHERE (account_id, game, opponent_id) = (1, 'c4', 2)", "pair 1 c4 2"),
        ("INSERT INTO game_pairs VALUES (1, 'c4', 9, 1, 0, 0, 2)", "pair 1 c4 9"),
        ("INSERT INTO game_faults VALUES (1, 'c4', 'yawned', 1)", "fault 1 c4 yawned"),
        ("UPDATE game_faults SET times = 0 WHERE (account_id, game, kind) = (1, 'c4', 'nonce')", "fault 1 c4 nonce"),
    ],
)
def test_a_count_that_is_wrong_is_found(conn: Connection, damage: str, where: str) -> None:
    assert conn.exec_driver_sql(damage).rowcount == 1
    assert where in {deviation.where for deviation in careers_check.differing(conn, 1000)}


def test_a_flood_of_deviations_is_cut(conn: Connection) -> None:
    conn.exec_driver_sql("UPDATE game_seats SET rating = 1")
    assert len(careers_check.differing(conn, 7)) == 7


def test_a_count_that_ran_ahead_of_the_log_is_found(conn: Connection) -> None:
    conn.exec_driver_sql("UPDATE game_careers_upto SET seq = 1950")
    assert careers_check.differing(conn, 1000)
