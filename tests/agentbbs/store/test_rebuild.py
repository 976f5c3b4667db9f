"""The ladders, computed again from the log."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection
from tests.agentbbs.store.making import finished

from agentbbs.store import careers_fold, rebuild, repeats
from agentbbs.store.database import Database
from agentbbs.store.ladder import ladder
from agentbbs.store.ledger import Ledger
from agentbbs.store.rebuild import Difference

Enrol = Callable[[int], list[int]]


@pytest.fixture
def played(database: Database, enrol: Enrol) -> list[int]:
    """Sixty matches among four accounts, some unrated; the accounts."""
    ids = enrol(4)
    matches = [
        finished(
            ids[number % 4],
            ids[(number + 1 + number % 3) % 4],
            number % 3 - 1,
            game="c4" if number % 5 == 0 else "ttt",
            why="void: server error" if number % 11 == 0 else None,
            match_id=f"match-{number:02}",
        )
        for number in range(60)
    ]
    with database.writing_connection() as conn:
        Ledger().commit(conn, matches)
    return ids


def _tamper(database: Database, statement: str, *values: object) -> None:
    with database.begin() as conn:
        conn.exec_driver_sql("PRAGMA ignore_check_constraints = ON")
        conn.exec_driver_sql(statement, values)
        conn.exec_driver_sql("PRAGMA ignore_check_constraints = OFF")


def _check(database: Database) -> tuple[Difference, ...]:
    with database.connect() as conn:
        return rebuild.check(conn)


@pytest.mark.usefixtures("played")
def test_what_the_writer_stored_is_what_the_log_says(database: Database) -> None:
    assert _check(database) == ()
    with database.begin() as conn:
        assert rebuild.rebuild(conn) == ()
    assert _check(database) == ()


def test_an_empty_log_has_empty_ladders(database: Database) -> None:
    assert _check(database) == ()
    with database.begin() as conn:
        assert rebuild.rebuild(conn) == ()


def test_a_rating_that_is_off_by_the_last_bit_is_found_and_mended(database: Database, played: list[int]) -> None:
    with database.connect() as conn:
        before = ladder(conn, "ttt")
    _tamper(
        database,
        "UPDATE game_ratings SET rating = ? WHERE account_id = ? AND game = 'ttt'",
        math.nextafter(before[0].rating, 0.0),
        int(before[0].name[-3:]),
    )
    [difference] = _check(database)
    assert difference == Difference(
        f"account {int(before[0].name[-3:])} at ttt",
        "rating",
        str(math.nextafter(before[0].rating, 0.0)),
        str(before[0].rating),
    )
    assert str(difference).endswith(f"the log says {before[0].rating}")
    with database.begin() as conn:
        assert rebuild.rebuild(conn) == (difference,)
    assert _check(database) == ()
    with database.connect() as conn:
        assert ladder(conn, "ttt") == before
    assert played


@pytest.mark.parametrize("column", ["played", "wins", "draws", "losses", "firsts"])
@pytest.mark.usefixtures("played")
def test_a_count_that_is_wrong_is_found(database: Database, column: str) -> None:
    _tamper(database, f"UPDATE game_ratings SET {column} = {column} + 1 WHERE account_id = 2 AND game = 'c4'")
    [difference] = _check(database)
    assert (difference.where, difference.what) == ("account 2 at c4", column)


@pytest.mark.usefixtures("played")
def test_standings_that_are_missing_or_too_many_are_found_and_mended(database: Database) -> None:
    _tamper(database, "DELETE FROM game_ratings WHERE account_id = 1 AND game = 'ttt'")
    _tamper(database, "INSERT INTO game_ratings VALUES (1, 'go', 1700, 1, 1, 0, 0, 1)")
    missing, surplus = sorted(_check(database), key=lambda difference: difference.where, reverse=True)
    assert (missing.where, missing.what, missing.stored) == ("account 1 at ttt", "standing", None)
    assert (surplus.where, surplus.stored, surplus.computed) == ("account 1 at go", "1700.0", None)
    with database.begin() as conn:
        assert len(rebuild.rebuild(conn)) == 2
    assert _check(database) == ()


@pytest.mark.usefixtures("played")
def test_a_rating_kept_with_a_match_that_differs_is_told_and_the_log_left_alone(database: Database) -> None:
    _tamper(database, "UPDATE game_matches SET rating_after_1 = 1 WHERE id = 'match-20'")
    _tamper(database, "UPDATE game_matches SET rating_before_0 = NULL WHERE id = 'match-30'")
    found = [(difference.where, difference.what, difference.stored) for difference in _check(database)]
    assert found == [("match match-20", "rating_after_1", "1.0"), ("match match-30", "rating_before_0", None)]
    with database.begin() as conn:
        assert rebuild.rebuild(conn) == ()
    assert len(_check(database)) == 2


@pytest.mark.usefixtures("played")
def test_an_unrated_match_without_a_why_is_found(database: Database) -> None:
    _tamper(database, "UPDATE game_matches SET why = NULL WHERE id = 'match-11'")
    [difference] = _check(database)
    assert (difference.where, difference.what) == ("match match-11", "why it is unrated")


@pytest.mark.usefixtures("played")
def test_a_winner_changed_in_the_log_changes_everything_after_it(database: Database) -> None:
    _tamper(database, "UPDATE game_matches SET winner = 1 WHERE id = 'match-01'")
    found = _check(database)
    assert {difference.where for difference in found} >= {"match match-01", "account 2 at ttt"}
    with database.begin() as conn:
        assert rebuild.rebuild(conn)


@pytest.mark.usefixtures("played")
def test_ids_that_are_not_unique_are_found(database: Database) -> None:
    with database.begin() as conn:
        conn.exec_driver_sql("PRAGMA writable_schema = ON")
        conn.exec_driver_sql(
            "UPDATE sqlite_master SET sql = replace(sql, 'CONSTRAINT uq_game_matches_id UNIQUE (id)', 'CHECK (1)') "
            "WHERE name = 'game_matches'"
        )
        conn.exec_driver_sql("DELETE FROM sqlite_master WHERE name LIKE 'sqlite_autoindex_game_matches%'")
    database.dispose()
    with Database(database.url.render_as_string()) as again:
        _tamper(again, "UPDATE game_matches SET id = 'match-01' WHERE id = 'match-02'")
        [difference] = _check(again)
        assert difference.stored == "59"
        assert difference.computed == "60"


@pytest.mark.usefixtures("played")
def test_counts_of_lines_that_are_wrong_are_found_and_mended(database: Database) -> None:
    with database.begin() as conn:
        repeats.fold(conn)
    _tamper(database, "UPDATE game_lines SET times = times + 1")
    assert {difference.what for difference in _check(database)} == {"times"}
    with database.begin() as conn:
        assert rebuild.rebuild(conn)
    assert _check(database) == ()


@pytest.mark.usefixtures("played")
def test_careers_that_are_wrong_are_found_and_mended(database: Database) -> None:
    with database.begin() as conn:
        careers_fold.fold(conn, 50)
    assert _check(database) == ()
    _tamper(database, "UPDATE game_seats SET rating = 1 WHERE id = 20")
    [difference] = _check(database)
    assert difference.where == "seat 20"
    with database.begin() as conn:
        assert rebuild.rebuild(conn) == (difference,)
        assert careers_fold.uncounted(conn) == 0
    assert _check(database) == ()


@pytest.mark.usefixtures("played")
def test_a_flood_of_differences_is_cut(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "MAX_DIFFERENCES", 7)
    _tamper(database, "UPDATE game_matches SET rating_after_0 = 0, rating_after_1 = 0")
    assert len(_check(database)) == 7


def test_matches_that_finish_during_a_fold_are_folded_under_the_lock(database: Database, played: list[int]) -> None:
    with database.connect() as conn:
        folded = rebuild.fold(conn)
    with database.writing_connection() as conn:
        Ledger().commit(conn, [finished(played[0], played[1])])
    _tamper(database, "UPDATE game_ratings SET played = 0")
    with database.begin() as conn:
        assert rebuild.rebuild(conn, folded)
    assert _check(database) == ()


@pytest.mark.usefixtures("played")
def test_progress_is_told(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "_ROWS_AT_ONCE", 25)
    told: list[int] = []
    with database.connect() as conn:
        rebuild.check(conn, progress=told.append)
    assert told == [25, 50, 60]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    damage=st.lists(
        st.sampled_from(
            [
                "UPDATE game_ratings SET rating = rating + 1 WHERE account_id = 1",
                "DELETE FROM game_ratings WHERE account_id = 2",
                "DELETE FROM game_ratings",
                "UPDATE game_ratings SET wins = losses, losses = wins",
                "INSERT OR REPLACE INTO game_ratings VALUES (3, 'go', 1, 1, 1, 1, 1, 1)",
                "DELETE FROM game_lines",
                "UPDATE game_lines SET times = 99",
                "DELETE FROM game_seats WHERE id < 30",
                "UPDATE game_careers SET transport = 'pigeon'",
                "DELETE FROM game_faults",
            ]
        ),
        max_size=4,
    )
)
@pytest.mark.usefixtures("played")
def test_whatever_happens_to_the_ladders_a_rebuild_mends_them(database: Database, damage: list[str]) -> None:
    def everything(conn: Connection) -> object:
        repeats.fold(conn)
        careers_fold.fold(conn)
        return [
            conn.exec_driver_sql(f"SELECT * FROM {table} ORDER BY 1, 2").all()
            for table in ("game_ratings", "game_lines", "game_careers", "game_seats", "game_faults")
        ]

    with database.begin() as conn:
        before = everything(conn)
        for statement in damage:
            conn.exec_driver_sql(statement)
    with database.begin() as conn:
        rebuild.rebuild(conn)
        assert everything(conn) == before
        assert rebuild.check(conn) == ()
