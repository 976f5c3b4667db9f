"""The mark of those who play one line over and over."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection
from tests.agentbbs.store.making import finished

from agentbbs.play.ports import FinishedMatch
from agentbbs.store import repeats
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger
from agentbbs.store.schema import REPEATS

Enrol = Callable[[int], list[int]]


def _play(database: Database, *matches: FinishedMatch) -> None:
    with database.writing_connection() as conn:
        Ledger().commit(conn, matches)


def _marked(database: Database, game: str = "ttt") -> frozenset[int]:
    with database.connect() as conn:
        return repeats.repeating(conn, game)


def _fold(database: Database, most: int | None = None) -> int:
    with database.begin() as conn:
        return repeats.fold(conn, most)


@pytest.mark.parametrize("folded", [False, True])
def test_ten_matches_of_one_line_mark_the_pair(database: Database, enrol: Enrol, folded: bool) -> None:
    one, other, third = enrol(3)
    long_line = " ".join(str(column % 7) for column in range(20))
    for _ in range(9):
        _play(database, finished(one, other, moves=long_line, game="c4"), finished(one, third, game="c4"))
        if folded:
            _fold(database)
    assert _marked(database, "c4") == frozenset()
    _play(database, finished(one, other, moves=long_line, game="c4"))
    assert _marked(database, "c4") == {one, other}
    assert _marked(database, "ttt") == frozenset()


def test_a_line_counts_in_whichever_seats_the_pair_sits(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    _play(database, *(finished(one, other, 0, moves="") for _ in range(5)))
    _play(database, *(finished(other, one, 1, moves="") for _ in range(5)))
    assert _marked(database) == {one, other}


def test_other_moves_another_winner_another_opponent_and_unrated_matches_do_not_count(
    database: Database, enrol: Enrol
) -> None:
    one, *others = enrol(12)
    for number, opponent in enumerate(others):
        _play(database, finished(one, opponent))
        _play(database, finished(one, others[0], moves=str(number)))
        _play(database, finished(one, others[0], why="practice"))
        _play(database, finished(one, others[1], number % 2, moves="4"))
    assert _marked(database) == frozenset()


def test_folding_by_parts_counts_each_match_once(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    _play(database, *(finished(one, other) for _ in range(25)))
    assert [_fold(database, 10) for _ in range(4)] == [10, 10, 5, 0]
    _play(database, *(finished(one, other) for _ in range(3)))
    assert _fold(database) == 3
    with database.begin() as conn:
        assert conn.exec_driver_sql("SELECT times, seq FROM game_lines").all() == [(28, 28)]
        assert repeats.differing(conn, 10) == []
        repeats.start_over(conn)
        assert repeats.fold(conn) == 28
        assert conn.exec_driver_sql("SELECT times, seq FROM game_lines").all() == [(28, 28)]


def test_counts_that_are_not_the_logs_are_found(database: Database, enrol: Enrol) -> None:
    one, other = enrol(2)
    _play(database, *(finished(one, other, moves=str(number % 3)) for number in range(6)))
    _fold(database)
    with database.begin() as conn:
        lines = [line for (line,) in conn.exec_driver_sql("SELECT line FROM game_lines ORDER BY line")]
        conn.exec_driver_sql("UPDATE game_lines SET times = 9 WHERE line = ?", (lines[0],))
        conn.exec_driver_sql("DELETE FROM game_lines WHERE line = ?", (lines[1],))
        conn.exec_driver_sql("INSERT INTO game_lines VALUES (5, 1, 1)")
        found = [(lines[0], 9, 2), (lines[1], None, 2), (5, 1, None)]
        assert sorted(repeats.differing(conn, 10)) == sorted(found)
        assert len(repeats.differing(conn, 2)) == 2


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    played=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["0", "1"]), st.integers(0, 1)), max_size=80),
    cut=st.integers(0, 80),
)
def test_the_mark_is_the_same_however_much_is_folded(
    database: Database, enrol: Enrol, played: list[tuple[int, str, int]], cut: int
) -> None:
    def reset(conn: Connection) -> list[int]:
        for table in ("game_matches", "game_ratings", "game_lines"):
            conn.exec_driver_sql(f"DELETE FROM {table}")
        conn.exec_driver_sql("UPDATE game_lines_upto SET seq = 0")
        return [row.id for row in conn.exec_driver_sql("SELECT id FROM accounts")]

    with database.begin() as conn:
        ids = reset(conn)
    ids = ids or enrol(4)
    counts: dict[tuple[int, str, int], int] = {}
    for line in played:
        counts[line] = counts.get(line, 0) + 1
    matches = [finished(ids[0], ids[1 + opponent], winner, moves=move) for opponent, move, winner in played]
    if matches:
        _play(database, *matches)
    if cut:
        _fold(database, cut)
    farmed = {ids[1 + opponent] for (opponent, _, _), count in counts.items() if count >= REPEATS}
    assert _marked(database) == (farmed | {ids[0]} if farmed else set())
