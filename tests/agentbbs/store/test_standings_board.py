"""The whole ladder in memory: what it holds, how it is paged, and when it is read anew."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Callable

import pytest
from sqlalchemy import Connection
from tests.agentbbs.store.making import finished
from tests.agentbbs.store.played_log import Expected, play, some_matches

from agentbbs.store import accounts, careers, standings_board
from agentbbs.store.database import Database
from agentbbs.store.ladder import ladder
from agentbbs.store.standings_board import MAX_AGE_S, PROVISIONAL_GAMES, Board, BoardRow, StandingsBoards, page

Enrol = Callable[[int], list[int]]


def _board(database: Database, game: str = "ttt") -> Board:
    with database.connect() as conn:
        return standings_board.standings_board(conn, game)


@pytest.mark.parametrize("folded", [None, 100, 300])
def test_a_board_is_the_ladder_with_the_way_each_came(database: Database, enrol: Enrol, folded: int | None) -> None:
    ids = enrol(12)
    log = play(database, some_matches(random.Random(4), ids, 300))
    with database.begin() as conn:
        if folded is not None:
            careers.fold(conn, folded)
        accounts.remove(conn, "agent-003", now_ms=1)
    with database.connect() as conn:
        listed = ladder(conn, "ttt")
        transports = Expected(log, dict.fromkeys(ids, ""), set()).transports("ttt")
    board = _board(database)
    assert [(row.rank, row.name, row.rating, row.played, row.wins, row.draws, row.losses) for row in board.rows] == [
        (row.rank, row.name, row.rating, row.played, row.wins, row.draws, row.losses) for row in listed
    ]
    assert {row.account_id: row.transport for row in board.rows} == {
        row.account_id: transports[row.account_id] for row in board.rows
    }
    assert "agent-003" not in {row.name for row in board.rows}
    assert board.transports == tuple(sorted({row.transport for row in board.rows}))
    assert board.as_of[0] == len(log)


def test_equal_ratings_share_a_rank_and_ten_matches_make_a_rating_firm(database: Database, enrol: Enrol) -> None:
    one, other, third, fourth = enrol(4)
    play(database, [finished(one, other, -1, moves=str(number)) for number in range(PROVISIONAL_GAMES)])
    play(database, [finished(third, fourth, 0)], after=PROVISIONAL_GAMES)
    rows = _board(database).rows
    assert [(row.rank, row.account_id, row.provisional) for row in rows] == [
        (1, third, True),
        (2, one, False),
        (2, other, False),
        (4, fourth, True),
    ]


def test_who_plays_one_line_over_and_over_is_marked(database: Database, enrol: Enrol) -> None:
    one, other, third = enrol(3)
    play(database, [*(finished(one, other) for _ in range(10)), finished(one, third)])
    assert {row.account_id: row.marks for row in _board(database).rows} == {
        one: ("repeat_line",),
        other: ("repeat_line",),
        third: (),
    }


def test_an_empty_board_has_no_rows(database: Database) -> None:
    assert _board(database) == Board("ttt", (0, 0, 0), (), ())


def _row(number: int, name: str, transport: str) -> BoardRow:
    return BoardRow(number, number, name, 1500.0, 1, 1, 0, 0, True, transport, ())


_ROWS = (_row(1, "Ada", "ssh"), _row(2, "bob", "webhook"), _row(3, "ADAM", "webhook"), _row(4, "Eve-1", "ssh"))


@pytest.mark.parametrize(
    ("offset", "limit", "transport", "query", "places", "total"),
    [
        (0, 10, None, None, [1, 2, 3, 4], 4),
        (1, 2, None, None, [2, 3], 4),
        (4, 2, None, None, [], 4),
        (0, 10, "webhook", None, [2, 3], 2),
        (0, 10, None, "aDa", [1, 3], 2),
        (0, 10, None, "", [1, 2, 3, 4], 4),
        (1, 10, None, "ada", [3], 2),
        (0, 10, "ssh", "ada", [1], 1),
        (0, 10, None, "e-1", [4], 1),
        (0, 10, "telnet", None, [], 0),
        (0, 10, None, "%", [], 0),
    ],
)
def test_a_page_is_cut_from_what_was_looked_for(
    offset: int, limit: int, transport: str | None, query: str | None, places: list[int], total: int
) -> None:
    board = Board("ttt", (4, 0, 0), _ROWS, ("ssh", "webhook"))
    rows, found = page(board, offset=offset, limit=limit, transport=transport, query=query)
    assert ([row.rank for row in rows], found) == (places, total)


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class _Counted:
    """Which boards were read, and in which threads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.games: list[str] = []
        self.threads: set[int] = set()
        read = standings_board.standings_board

        def counted(conn: Connection, game: str) -> Board:
            self.games.append(game)
            self.threads.add(threading.get_ident())
            return read(conn, game)

        monkeypatch.setattr(standings_board, "standings_board", counted)


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> _Counted:
    return _Counted(monkeypatch)


@pytest.fixture
async def boards(database: Database, clock: _Clock, counted: _Counted) -> AsyncIterator[StandingsBoards]:
    yield StandingsBoards(database, clock=clock)
    await database.close()


async def test_however_many_ask_a_board_is_read_once(boards: StandingsBoards, counted: _Counted) -> None:
    found = await asyncio.gather(*(boards.of("ttt") for _ in range(50)), boards.of("c4"))
    assert len({id(board) for board in found}) == 2
    assert sorted(counted.games) == ["c4", "ttt"]


async def test_a_board_is_kept_a_second_and_then_as_long_as_nothing_changes(
    database: Database, enrol: Enrol, boards: StandingsBoards, clock: _Clock, counted: _Counted
) -> None:
    one, other = enrol(2)
    first = await boards.of("ttt")
    clock.now += 10 * MAX_AGE_S
    assert await boards.of("ttt") is first
    play(database, [finished(one, other)])
    clock.now += 0.9 * MAX_AGE_S
    assert await boards.of("ttt") is first
    clock.now += 0.1 * MAX_AGE_S
    assert [row.name for row in (await boards.of("ttt")).rows] == ["agent-001", "agent-002"]
    assert counted.games == ["ttt", "ttt"]


async def test_a_removed_account_and_a_rebuild_are_noticed(
    database: Database, enrol: Enrol, boards: StandingsBoards, clock: _Clock
) -> None:
    one, other = enrol(2)
    play(database, [finished(one, other)])
    assert len((await boards.of("ttt")).rows) == 2
    with database.begin() as conn:
        accounts.remove(conn, "agent-001", now_ms=1)
    clock.now += MAX_AGE_S
    assert [row.name for row in (await boards.of("ttt")).rows] == ["agent-002"]
    with database.begin() as conn:
        conn.exec_driver_sql("UPDATE game_ratings SET rating = 1700")
        conn.exec_driver_sql("UPDATE ratings_epoch SET epoch = epoch + 1")
    clock.now += MAX_AGE_S
    assert [row.rating for row in (await boards.of("ttt")).rows] == [1700.0]


async def test_a_board_is_read_off_the_loop(boards: StandingsBoards, counted: _Counted) -> None:
    await boards.of("ttt")
    assert counted.threads
    assert threading.get_ident() not in counted.threads


async def test_a_board_that_could_not_be_read_is_read_at_the_next_question(
    boards: StandingsBoards, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(conn: Connection, game: str) -> Board:
        raise ZeroDivisionError(game, conn.closed)

    with monkeypatch.context() as patched:
        patched.setattr(standings_board, "standings_board", fail)
        with pytest.raises(ZeroDivisionError):
            await boards.of("ttt")
    assert (await boards.of("ttt")).rows == ()
