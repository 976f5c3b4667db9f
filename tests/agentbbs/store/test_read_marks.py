"""What an account has read: marks rise, and never hide what is above them."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select
from tests.agentbbs.store.boarding import GAMES, GENERAL, account, empty_board, member

from agentbbs.store import accounts, boards, read_marks
from agentbbs.store.boards import Reader
from agentbbs.store.database import Database
from agentbbs.store.schema import board_area_marks, board_thread_marks


def _new(conn: Connection, reader: Reader) -> list[int]:
    return [post.id for post in boards.new_posts(conn, reader)]


def test_a_thread_is_read_up_to_a_post(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "ann"), member(conn, "bob")
        first = boards.start_thread(conn, ann, GENERAL, "G", "1", now_ms=1)
        second = boards.reply(conn, ann, first.thread, "2", now_ms=1)
        other = boards.start_thread(conn, ann, GENERAL, "H", "3", now_ms=1)
        read_marks.mark_thread(conn, account(bob), first.thread, first.id)
        assert _new(conn, bob) == [second.id, other.id]
        read_marks.mark_thread(conn, account(bob), first.thread, second.id)
        read_marks.mark_thread(conn, account(bob), first.thread, first.id)
        assert _new(conn, bob) == [other.id], "marks only rise"
        third = boards.reply(conn, ann, first.thread, "4", now_ms=1)
        assert _new(conn, bob) == [third.id, other.id]


def test_an_area_is_read_as_a_whole(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "ann"), member(conn, "bob")
        first = boards.start_thread(conn, ann, GENERAL, "G", "1", now_ms=1)
        games = boards.start_thread(conn, ann, GAMES, "X", "2", now_ms=1)
        read_marks.mark_thread(conn, account(bob), first.thread, first.id)
        read_marks.mark_area(conn, account(bob), GENERAL)
        assert _new(conn, bob) == [games.id]
        assert conn.execute(select(board_thread_marks)).all() == [], "the area's mark says it all"
        later = boards.reply(conn, ann, first.thread, "3", now_ms=1)
        assert _new(conn, bob) == [later.id, games.id]
        read_marks.mark_area(conn, account(bob), GENERAL)
        read_marks.mark_area(conn, account(bob), GAMES)
        assert _new(conn, bob) == []


def test_an_empty_area_needs_no_mark(database: Database) -> None:
    with database.begin() as conn:
        bob = member(conn, "bob")
        read_marks.mark_area(conn, account(bob), GENERAL)
        assert conn.execute(select(board_area_marks)).all() == []


def test_a_removed_account_keeps_no_marks(database: Database) -> None:
    with database.begin() as conn:
        ann, bob = member(conn, "ann"), member(conn, "bob")
        first = boards.start_thread(conn, ann, GENERAL, "G", "1", now_ms=1)
        read_marks.mark_area(conn, account(bob), GENERAL)
        read_marks.mark_thread(conn, account(bob), first.thread, first.id)
        accounts.remove(conn, "bob", now_ms=2)
        for marks in (board_area_marks, board_thread_marks):
            assert conn.execute(select(marks)).all() == []


DEEDS = st.one_of(
    st.tuples(st.just("start"), st.integers(0, 1)),
    st.tuples(st.just("reply"), st.integers(0, 5)),
    st.tuples(st.just("read"), st.integers(0, 20)),
    st.tuples(st.just("read area"), st.integers(0, 1)),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(DEEDS, max_size=15))
def test_new_is_what_no_mark_has_passed(deeds: list[tuple[str, int]]) -> None:
    with empty_board() as conn:
        ann, bob = member(conn, "ann"), member(conn, "bob")
        unread: dict[int, boards.Post] = {}
        written: list[boards.Post] = []
        for deed, number in deeds:
            _perform(conn, deed, number, ann, bob, written, unread)
            assert set(_new(conn, bob)) == set(unread)
            assert sum(area.new for area in boards.areas(conn, bob)) == len(unread)


def _perform(
    conn: Connection,
    deed: str,
    number: int,
    ann: Reader,
    bob: Reader,
    written: list[boards.Post],
    unread: dict[int, boards.Post],
) -> None:
    """Do it on the board and in the model."""
    write: Callable[[], boards.Post] | None = None
    threads = sorted({post.thread for post in written})
    if deed == "start":
        write = lambda: boards.start_thread(conn, ann, number + 1, "S", "x", now_ms=1)  # noqa: E731
    elif deed == "reply" and threads:
        write = lambda: boards.reply(conn, ann, threads[number % len(threads)], "x", now_ms=1)  # noqa: E731
    elif deed == "read" and written:
        upto = written[number % len(written)]
        read_marks.mark_thread(conn, account(bob), upto.thread, upto.id)
        for post in list(unread.values()):
            if post.thread == upto.thread and post.id <= upto.id:
                del unread[post.id]
    elif deed == "read area":
        read_marks.mark_area(conn, account(bob), number + 1)
        for post in list(unread.values()):
            if post.area == number + 1:
                del unread[post.id]
    if write is not None:
        post = write()
        written.append(post)
        unread[post.id] = post
