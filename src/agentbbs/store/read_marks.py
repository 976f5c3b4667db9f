"""Who has read what on the message boards.

An account has a mark in an area and in a thread: the highest post that it has read there, with all before it. A post
is new to an account if it is above both marks, stands, and is not its own. Marks only ever rise.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, insert, select, update

from agentbbs.store.schema import board_area_marks, board_posts, board_thread_marks, board_threads


def unread(account_id: int) -> ColumnElement[bool]:
    """For queries over posts joined to their threads: whether a post is new to this account."""
    return and_(
        _above_marks(board_posts.c.id, account_id),
        board_posts.c.account_id.is_distinct_from(account_id),
        board_posts.c.deleted_ms.is_(None),
    )


def may_hold_unread(account_id: int) -> ColumnElement[bool]:
    """For the same queries: whether the thread can have such a post, by its newest. Most threads have not, and asking
    this first spares a look at their posts."""
    return _above_marks(board_threads.c.last_post_id, account_id)


def _above_marks(post_id: ColumnElement[int], account_id: int) -> ColumnElement[bool]:
    """Whether a post of the thread has been read neither with its area nor with its thread."""
    in_area = select(board_area_marks.c.last_post_id).where(
        board_area_marks.c.account_id == account_id, board_area_marks.c.area_id == board_threads.c.area_id
    )
    in_thread = select(board_thread_marks.c.last_post_id).where(
        board_thread_marks.c.account_id == account_id, board_thread_marks.c.thread_id == board_threads.c.id
    )
    return and_(*(post_id > func.coalesce(mark.scalar_subquery(), 0) for mark in (in_area, in_thread)))


def mark_thread(conn: Connection, account_id: int, thread_id: int, post_id: int) -> None:
    """The account has read the thread up to this post."""
    _raise(conn, board_thread_marks, account_id, thread_id, post_id)


def mark_area(conn: Connection, account_id: int, area_id: int) -> None:
    """The account has read everything that is in the area now."""
    newest = conn.execute(
        select(func.max(board_threads.c.last_post_id)).where(board_threads.c.area_id == area_id)
    ).scalar_one()
    if newest is None:
        return
    _raise(conn, board_area_marks, account_id, area_id, newest)
    passed = select(board_threads.c.id).where(
        board_threads.c.area_id == area_id, board_threads.c.last_post_id <= newest
    )
    conn.execute(
        delete(board_thread_marks).where(
            board_thread_marks.c.account_id == account_id, board_thread_marks.c.thread_id.in_(passed)
        )
    )


def _raise(conn: Connection, marks: Table, account_id: int, place_id: int, post_id: int) -> None:
    place = marks.c.area_id if marks is board_area_marks else marks.c.thread_id
    here = (marks.c.account_id == account_id) & (place == place_id)
    kept = conn.execute(select(marks.c.last_post_id).where(here)).scalar_one_or_none()
    if kept is None:
        conn.execute(insert(marks).values({"account_id": account_id, place.name: place_id, "last_post_id": post_id}))
    elif kept < post_id:
        conn.execute(update(marks).where(here).values(last_post_id=post_id))
