"""The message boards: areas, their threads, the posts in these.

Every function is told who reads (`Reader`), and an area that the reader may not read is not there for it. Posts are
numbered over the whole board in the order in which they were written, and no number is ever used again. A deleted
post stays in its place without its text, so that answers to it still have something to answer.

A post is on the disk when the function's transaction has been committed: `await database.write(boards.reply, …)`
returns after that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Select, func, insert, literal, select, update

from agentbbs.store import accounts, read_marks, wording
from agentbbs.store.schema import accounts as account_rows
from agentbbs.store.schema import board_areas, board_posts, board_threads

MAX_SUBJECT_CHARS: Final = 72
"""One row of a list on 80 columns, with room for a number before it."""

MAX_BODY_CHARS: Final = 8000
"""A long letter; five screens' worth for a reader."""

MAX_BODY_LINES: Final = 200
"""The same, for those who write short lines."""

MAX_POSTS_AN_HOUR: Final = 120
"""Of one account: two a minute, more than anybody reads, and 2 MB an hour at most on the disk."""

PAGE: Final = 50
"""Threads or posts that a query brings at a time, unless it is told otherwise."""

MAX_COUNTED: Final = 1000
"""New posts of an area are counted up to here: a screen shows `999+` beyond it, and who is new pays no more."""

_HOUR_MS: Final = 3_600_000


class Level(IntEnum):
    """Who may do something; each level may do what those below it may."""

    GUEST = 0
    MEMBER = 1
    SYSOP = 2


class Reader(msgspec.Struct, frozen=True):
    """Who is at the boards. Only somebody with an account can write."""

    account: int | None = None
    level: Level = Level.GUEST


class Area(msgspec.Struct, frozen=True):
    """One area, as its reader sees it: its threads, and the posts that are new to the reader (0 for a guest, at most
    `MAX_COUNTED`)."""

    id: int
    name: str
    description: str
    read_level: Level
    write_level: Level
    position: int
    threads: int
    new: int


class Thread(msgspec.Struct, frozen=True):
    """One thread. `posts` counts deleted ones too, `new` those that are new to the reader; times are Unix ms."""

    id: int
    area: int
    subject: str
    author: str
    created_ms: int
    locked: bool
    posts: int
    last_post: int
    last_author: str
    last_ms: int
    new: int


class Post(msgspec.Struct, frozen=True):
    """One post. A deleted one has the time of that in `deleted_ms`, and "" as its body. `account` and `author` say who
    wrote it: a removed account's name is struck out, and None is the house. `reply_to` is a post of the same thread."""

    id: int
    area: int
    thread: int
    subject: str
    account: int | None
    author: str
    reply_to: int | None
    body: str
    created_ms: int
    deleted_ms: int | None
    deleted_by: int | None


class BoardFault(Exception):
    """Why something can't be done on the boards; the text says what to do."""


class NoSuchArea(BoardFault):
    """There is none with this id that the reader may read."""


class NoSuchThread(BoardFault):
    """The same of a thread."""


class NoSuchPost(BoardFault):
    """The same of a post."""


class NotAllowed(BoardFault):
    """The reader may not do this."""


class ThreadLocked(BoardFault):
    """The sysop closed the thread."""


class TooManyPosts(BoardFault):
    """`MAX_POSTS_AN_HOUR` were written."""


def areas(conn: Connection, reader: Reader) -> tuple[Area, ...]:
    """The areas that `reader` may read, in their order."""
    rows = conn.execute(_areas(reader).order_by(board_areas.c.position, board_areas.c.id)).all()
    return tuple(_area(conn, row, reader) for row in rows)


def area(conn: Connection, reader: Reader, area_id: int) -> Area:
    """One area. Raises NoSuchArea."""
    row = conn.execute(_areas(reader).where(board_areas.c.id == area_id)).one_or_none()
    if row is None:
        raise NoSuchArea(f"there is no area {area_id}: the list of areas shows them")
    return _area(conn, row, reader)


def threads(
    conn: Connection, reader: Reader, area_id: int, *, before: int | None = None, limit: int = PAGE
) -> tuple[Thread, ...]:
    """The threads of an area, those with the newest posts first; with `before`, a thread's `last_post`, those that come
    after it in the list. Raises NoSuchArea."""
    area(conn, reader, area_id)
    query = _threads(reader).where(board_threads.c.area_id == area_id)
    if before is not None:
        query = query.where(board_threads.c.last_post_id < before)
    rows = conn.execute(query.order_by(board_threads.c.last_post_id.desc()).limit(limit))
    return tuple(Thread(*row) for row in rows)


def thread(conn: Connection, reader: Reader, thread_id: int) -> Thread:
    """One thread. Raises NoSuchThread."""
    row = conn.execute(_threads(reader).where(board_threads.c.id == thread_id)).one_or_none()
    if row is None:
        raise NoSuchThread(f"there is no thread {thread_id}: the list of the area shows them")
    return Thread(*row)


def posts(conn: Connection, reader: Reader, thread_id: int, *, after: int = 0, limit: int = PAGE) -> tuple[Post, ...]:
    """The posts of a thread that come after the post `after`, oldest first, deleted ones in their places. Raises
    NoSuchThread."""
    thread(conn, reader, thread_id)
    query = posts_shown_to(reader).where(board_posts.c.thread_id == thread_id, board_posts.c.id > after)
    return as_posts(conn.execute(query.order_by(board_posts.c.id).limit(limit)))


def earlier_posts(
    conn: Connection, reader: Reader, thread_id: int, *, before: int, limit: int = PAGE
) -> tuple[Post, ...]:
    """The last posts of a thread that come before the post `before`, oldest first, deleted ones in their places. Raises
    NoSuchThread."""
    thread(conn, reader, thread_id)
    query = posts_shown_to(reader).where(board_posts.c.thread_id == thread_id, board_posts.c.id < before)
    return as_posts(conn.execute(query.order_by(board_posts.c.id.desc()).limit(limit)))[::-1]


def post(conn: Connection, reader: Reader, post_id: int) -> Post:
    """One post. Raises NoSuchPost."""
    found = as_posts(conn.execute(posts_shown_to(reader).where(board_posts.c.id == post_id)))
    if not found:
        raise NoSuchPost(f"there is no post {post_id}: it was never written, or its thread is gone")
    return found[0]


def new_posts(
    conn: Connection, reader: Reader, *, area_id: int | None = None, thread_id: int | None = None, limit: int = PAGE
) -> tuple[Post, ...]:
    """What is new to the reader, in the order in which one reads: area after area, thread after thread. Mark what was
    read (`read_marks.mark_thread`) and ask again for the rest. Nothing is new to a guest."""
    if reader.account is None:
        return ()
    candidates = select(board_threads.c.id).where(read_marks.may_hold_unread(reader.account))
    if area_id is not None:
        candidates = candidates.where(board_threads.c.area_id == area_id)
    if thread_id is not None:
        candidates = candidates.where(board_threads.c.id == thread_id)
    # By way of the threads: joined, SQLite would look at every post of the board.
    query = posts_shown_to(reader).where(
        board_posts.c.thread_id.in_(candidates.correlate(None)), read_marks.unread(reader.account)
    )
    order = (board_areas.c.position, board_areas.c.id, board_threads.c.id, board_posts.c.id)
    return as_posts(conn.execute(query.order_by(*order).limit(limit)))


def start_thread(conn: Connection, reader: Reader, area_id: int, subject: str, body: str, *, now_ms: int) -> Post:
    """Begin a thread with its first post. Raises NoSuchArea, NotAllowed, TooManyPosts, and TextFault."""
    subject = wording.one_line(subject, what="a subject", max_chars=MAX_SUBJECT_CHARS)
    body = _body(body)
    writer = _writer(conn, reader, area(conn, reader, area_id), now_ms)
    thread_id = conn.execute(
        insert(board_threads)
        .values(
            area_id=area_id,
            subject=subject,
            folded=wording.fold(subject),
            account_id=writer.id,
            author=writer.name,
            created_ms=now_ms,
            locked=False,
            posts=0,
            last_post_id=0,
            last_ms=now_ms,
        )
        .returning(board_threads.c.id)
    ).scalar_one()
    return _add(conn, reader, writer, thread_id, body, None, now_ms)


def reply(
    conn: Connection, reader: Reader, thread_id: int, body: str, *, reply_to: int | None = None, now_ms: int
) -> Post:
    """Add a post to a thread, as an answer to `reply_to` if that is given. Raises NoSuchThread, NoSuchPost (if that is
    no post of the thread), NotAllowed, ThreadLocked, TooManyPosts, and TextFault."""
    body = _body(body)
    wanted = thread(conn, reader, thread_id)
    writer = _writer(conn, reader, area(conn, reader, wanted.area), now_ms)
    if wanted.locked and reader.level < Level.SYSOP:
        raise ThreadLocked("the sysop has closed this thread: begin another")
    if reply_to is not None and post(conn, reader, reply_to).thread != thread_id:
        raise NoSuchPost(f"the post {reply_to} is of another thread: answer it there")
    return _add(conn, reader, writer, thread_id, body, reply_to, now_ms)


def delete_own(conn: Connection, reader: Reader, post_id: int, *, now_ms: int) -> Post:
    """Strike out a post that the reader wrote: its text is gone, its place stays. Raises NoSuchPost, NotAllowed."""
    wanted = post(conn, reader, post_id)
    if reader.account is None or wanted.account != reader.account:
        raise NotAllowed("this post is not yours: ask its author, or the sysop")
    strike(conn, post_id, by=reader.account, now_ms=now_ms)
    return post(conn, reader, post_id)


def strike(conn: Connection, post_id: int, *, by: int, now_ms: int) -> None:
    """Take the text out of a post. One that is struck out already stays as it is. Asks nobody whether `by` may."""
    conn.execute(
        update(board_posts)
        .where(board_posts.c.id == post_id, board_posts.c.deleted_ms.is_(None))
        .values(body="", folded="", deleted_ms=now_ms, deleted_by=by)
    )


def posts_shown_to(reader: Reader) -> Select[Any]:
    """The query for posts, of threads that stand, in areas that `reader` may read; narrow it, and give its rows to
    `as_posts`."""
    return (
        select(
            board_posts.c.id,
            board_threads.c.area_id,
            board_posts.c.thread_id,
            board_threads.c.subject,
            board_posts.c.account_id,
            accounts.shown_name(board_posts.c.author),
            board_posts.c.reply_to,
            board_posts.c.body,
            board_posts.c.created_ms,
            board_posts.c.deleted_ms,
            board_posts.c.deleted_by,
        )
        .join(board_threads, board_threads.c.id == board_posts.c.thread_id)
        .join(board_areas, board_areas.c.id == board_threads.c.area_id)
        .outerjoin(account_rows, account_rows.c.id == board_posts.c.account_id)
        .where(board_areas.c.read_level <= reader.level, board_threads.c.removed_ms.is_(None))
    )


def as_posts(rows: Iterable[Sequence[Any]]) -> tuple[Post, ...]:
    """The rows of `posts_shown_to`."""
    return tuple(Post(*row) for row in rows)


def _body(body: str) -> str:
    return wording.lines(body, what="a post", max_chars=MAX_BODY_CHARS, max_lines=MAX_BODY_LINES)


def _writer(conn: Connection, reader: Reader, place: Area, now_ms: int) -> accounts.Account:
    """The account that writes, if it may write there and now."""
    if reader.account is None or reader.level < place.write_level:
        who = "members" if place.write_level == Level.MEMBER else "sysops"
        raise NotAllowed(f"only {who} write in {place.name}")
    writer = accounts.get(conn, reader.account)
    if writer.removed_ms is not None:
        raise NotAllowed("this account has been removed")
    written = conn.execute(
        select(func.count()).where(board_posts.c.account_id == writer.id, board_posts.c.created_ms > now_ms - _HOUR_MS)
    ).scalar_one()
    if written >= MAX_POSTS_AN_HOUR:
        raise TooManyPosts(f"{MAX_POSTS_AN_HOUR} posts in an hour are the limit: write again later")
    return writer


def _add(
    conn: Connection,
    reader: Reader,
    writer: accounts.Account,
    thread_id: int,
    body: str,
    reply_to: int | None,
    now_ms: int,
) -> Post:
    post_id = conn.execute(
        insert(board_posts)
        .values(
            thread_id=thread_id,
            account_id=writer.id,
            author=writer.name,
            reply_to=reply_to,
            body=body,
            folded=wording.fold(body),
            created_ms=now_ms,
        )
        .returning(board_posts.c.id)
    ).scalar_one()
    conn.execute(
        update(board_threads)
        .where(board_threads.c.id == thread_id)
        .values(posts=board_threads.c.posts + 1, last_post_id=post_id, last_ms=now_ms)
    )
    return post(conn, reader, post_id)


def _areas(reader: Reader) -> Select[Any]:
    return select(
        board_areas.c.id,
        board_areas.c.name,
        board_areas.c.description,
        board_areas.c.read_level,
        board_areas.c.write_level,
        board_areas.c.position,
        select(func.count())
        .where(board_threads.c.area_id == board_areas.c.id, board_threads.c.removed_ms.is_(None))
        .scalar_subquery(),
    ).where(board_areas.c.read_level <= reader.level)


def _area(conn: Connection, row: Sequence[Any], reader: Reader) -> Area:
    area_id, name, description, read_level, write_level, position, count = row
    new = _count_new(conn, reader.account, area_id)
    return Area(area_id, name, description, Level(read_level), Level(write_level), position, count, new)


def _count_new(conn: Connection, account_id: int | None, area_id: int) -> int:
    if account_id is None:
        return 0
    some = (
        select(board_posts.c.id)
        .join(board_threads, board_threads.c.id == board_posts.c.thread_id)
        .where(
            board_threads.c.area_id == area_id,
            board_threads.c.removed_ms.is_(None),
            read_marks.may_hold_unread(account_id),
            read_marks.unread(account_id),
        )
        .limit(MAX_COUNTED)
        .subquery()
    )
    count: int = conn.execute(select(func.count()).select_from(some)).scalar_one()
    return count


_last = board_posts.alias("last")
_last_holder = account_rows.alias("last_holder")


def _threads(reader: Reader) -> Select[Any]:
    new: Any = literal(0)
    if reader.account is not None:
        new = (
            select(func.count())
            .select_from(board_posts)
            .where(board_posts.c.thread_id == board_threads.c.id, read_marks.unread(reader.account))
            .correlate(board_threads)
            .scalar_subquery()
        )
    return (
        select(
            board_threads.c.id,
            board_threads.c.area_id,
            board_threads.c.subject,
            accounts.shown_name(board_threads.c.author),
            board_threads.c.created_ms,
            board_threads.c.locked,
            board_threads.c.posts,
            board_threads.c.last_post_id,
            accounts.shown_name(_last.c.author, _last_holder),
            board_threads.c.last_ms,
            new,
        )
        .join(board_areas, board_areas.c.id == board_threads.c.area_id)
        .join(_last, _last.c.id == board_threads.c.last_post_id)
        .outerjoin(account_rows, account_rows.c.id == board_threads.c.account_id)
        .outerjoin(_last_holder, _last_holder.c.id == _last.c.account_id)
        .where(board_areas.c.read_level <= reader.level, board_threads.c.removed_ms.is_(None))
    )
