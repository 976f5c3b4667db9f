"""Ladders and standings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise

from sqlalchemy import event
from tests.agentbbs.store.making import finished

from agentbbs.play.ports import FinishedMatch, Ladders, Standing
from agentbbs.store import accounts
from agentbbs.store.database import Database
from agentbbs.store.ladder import LadderReader, LadderRow, ladder, place, standing
from agentbbs.store.ledger import Ledger

Enrol = Callable[[int], list[int]]


def _play(database: Database, *matches: FinishedMatch) -> None:
    with database.writing_connection() as conn:
        Ledger().commit(conn, matches)


def test_an_empty_ladder(database: Database, enrol: Enrol) -> None:
    enrol(2)
    with database.connect() as conn:
        assert ladder(conn, "ttt") == ()


def test_the_best_stand_first_and_equals_share_a_rank(database: Database, enrol: Enrol) -> None:
    one, two, three, four, five = enrol(5)
    _play(database, finished(two, one), finished(four, three), finished(five, one, game="c4"))
    _play(database, finished(five, None, why="practice"))
    with database.connect() as conn:
        rows = ladder(conn, "ttt")
        assert rows == (
            LadderRow(1, "agent-002", 1516.0, 1, 1, 0, 0, ()),
            LadderRow(1, "agent-004", 1516.0, 1, 1, 0, 0, ()),
            LadderRow(3, "agent-001", 1484.0, 1, 0, 0, 1, ()),
            LadderRow(3, "agent-003", 1484.0, 1, 0, 0, 1, ()),
        )
        assert ladder(conn, "ttt", limit=2, offset=1) == rows[1:3]
        assert [row.name for row in ladder(conn, "c4")] == ["agent-005", "agent-001"]


def test_a_removed_account_leaves_the_ladder(database: Database, enrol: Enrol) -> None:
    one, two, three = enrol(3)
    _play(database, finished(one, two), finished(two, three))
    with database.begin() as conn:
        accounts.remove(conn, "agent-001", now_ms=9)
        assert [(row.rank, row.name) for row in ladder(conn, "ttt")] == [(1, "agent-002"), (2, "agent-003")]


def test_a_pair_that_repeats_itself_is_marked(database: Database, enrol: Enrol) -> None:
    one, two, three = enrol(3)
    _play(database, *(finished(one, two) for _ in range(10)), finished(one, three))
    with database.connect() as conn:
        marks = {row.name: row.marks for row in ladder(conn, "ttt")}
    assert marks == {"agent-001": ("repeat_line",), "agent-002": ("repeat_line",), "agent-003": ()}


def test_a_place_is_the_rank_of_the_ladder(database: Database, enrol: Enrol) -> None:
    ids = enrol(5)
    one, two, three, four, five = ids
    _play(database, finished(two, one), finished(four, three), finished(five, one, game="c4"))
    with database.connect() as conn:
        ranks = {row.name: row.rank for row in ladder(conn, "ttt")}
        assert [place(conn, account, "ttt") for account in (one, two, three, four)] == [
            (ranks["agent-001"], 4),
            (ranks["agent-002"], 4),
            (ranks["agent-003"], 4),
            (ranks["agent-004"], 4),
        ]
        assert place(conn, five, "ttt") is place(conn, 999, "c4") is None
    with database.begin() as conn:
        accounts.remove(conn, "agent-002", now_ms=2)
        assert (place(conn, two, "ttt"), place(conn, four, "ttt")) == (None, (1, 3))


def test_a_standing(database: Database, enrol: Enrol) -> None:
    one, two = enrol(2)
    _play(database, finished(one, two, -1))
    with database.connect() as conn:
        assert standing(conn, one, "ttt") == Standing(1500.0, 1, 0, 1, 0, 1)
        assert standing(conn, two, "ttt") == Standing(1500.0, 1, 0, 1, 0, 0)
        assert standing(conn, one, "c4") == standing(conn, 999, "ttt") == Standing()


async def test_standings_asked_for_together_are_read_together(database: Database, enrol: Enrol) -> None:
    ids = enrol(20)
    _play(database, *(finished(first, second) for first, second in pairwise(ids)))
    reader: Ladders = LadderReader(database)
    queries: list[str] = []
    event.listen(database._single, "before_cursor_execute", lambda _c, _u, statement, *_: queries.append(statement))
    asked = [(account, game) for account in ids for game in ("ttt", "c4")]
    found = await asyncio.gather(*(reader.standing(account, game) for account, game in asked))
    assert len([query for query in queries if "game_ratings" in query]) <= 4
    with database.connect() as conn:
        assert found == [standing(conn, account, game) for account, game in asked]
    await database.close()


async def test_the_reader_is_never_behind_what_was_committed(database: Database, enrol: Enrol) -> None:
    one, two = enrol(2)
    reader = LadderReader(database)
    for played in range(1, 6):
        _play(database, finished(one, two))
        assert (await reader.standing(one, "ttt")).played == played
    await database.close()
