"""What sysops do on the message boards. Each deed is in the audit log with it, in one transaction.

Every function raises NotAllowed for a reader who is no sysop.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, insert, select, update

from agentbbs.store import audit, boards, wording
from agentbbs.store.audit import Action
from agentbbs.store.boards import Area, BoardFault, Level, NotAllowed, Post, Reader, Thread
from agentbbs.store.schema import board_areas, board_posts, board_threads

MAX_AREA_NAME_CHARS: Final = 32
"""A column of the list of areas."""

MAX_DESCRIPTION_CHARS: Final = 80
"""The rest of its row, on a wide screen."""

MAX_AREAS: Final = 100
"""What a reader finds through; and each is counted for each reader."""


class AreaTaken(BoardFault):
    """An area has that name already."""


class TooManyAreas(BoardFault):
    """`MAX_AREAS` are there."""


def delete_post(conn: Connection, reader: Reader, post_id: int, *, reason: str = "", now_ms: int) -> Post:
    """Strike out anybody's post. Raises NoSuchPost."""
    sysop = _sysop(reader)
    wanted = boards.post(conn, reader, post_id)
    boards.strike(conn, post_id, by=sysop, now_ms=now_ms)
    audit.note(conn, sysop, Action.POST_DELETED, f"post {post_id} of {wanted.author}", reason, now_ms=now_ms)
    return boards.post(conn, reader, post_id)


def lock_thread(conn: Connection, reader: Reader, thread_id: int, *, locked: bool = True, now_ms: int) -> Thread:
    """Close a thread for all but sysops, or open it again. Raises NoSuchThread."""
    sysop = _sysop(reader)
    thread = boards.thread(conn, reader, thread_id)
    conn.execute(update(board_threads).where(board_threads.c.id == thread_id).values(locked=locked))
    action = Action.THREAD_LOCKED if locked else Action.THREAD_UNLOCKED
    audit.note(conn, sysop, action, f"thread {thread_id}", thread.subject, now_ms=now_ms)
    return boards.thread(conn, reader, thread_id)


def move_thread(conn: Connection, reader: Reader, thread_id: int, area_id: int, *, now_ms: int) -> Thread:
    """Put a thread into another area. Who has read all of that area up to now counts as having read the thread.
    Raises NoSuchThread, NoSuchArea."""
    sysop = _sysop(reader)
    thread = boards.thread(conn, reader, thread_id)
    there = boards.area(conn, reader, area_id)
    conn.execute(update(board_threads).where(board_threads.c.id == thread_id).values(area_id=area_id))
    detail = f"{thread.subject} to {there.name}"
    audit.note(conn, sysop, Action.THREAD_MOVED, f"thread {thread_id}", detail, now_ms=now_ms)
    return boards.thread(conn, reader, thread_id)


def remove_thread(conn: Connection, reader: Reader, thread_id: int, *, reason: str = "", now_ms: int) -> None:
    """Strike out all posts of a thread, and list it no more. Raises NoSuchThread."""
    sysop = _sysop(reader)
    thread = boards.thread(conn, reader, thread_id)
    conn.execute(
        update(board_posts)
        .where(board_posts.c.thread_id == thread_id, board_posts.c.deleted_ms.is_(None))
        .values(body="", folded="", deleted_ms=now_ms, deleted_by=sysop)
    )
    conn.execute(update(board_threads).where(board_threads.c.id == thread_id).values(removed_ms=now_ms))
    detail = f"{thread.subject}: {reason}" if reason else thread.subject
    audit.note(conn, sysop, Action.THREAD_REMOVED, f"thread {thread_id}", detail, now_ms=now_ms)


def add_area(
    conn: Connection,
    reader: Reader,
    name: str,
    description: str,
    *,
    read_level: Level = Level.GUEST,
    write_level: Level = Level.MEMBER,
    now_ms: int,
) -> Area:
    """Open an area, behind the others. Who may not read it may not write there either: `write_level` is raised to
    `read_level`, and to members. Raises AreaTaken, TooManyAreas, and TextFault."""
    sysop = _sysop(reader)
    name, description = _area_texts(name, description)
    there = conn.execute(select(board_areas.c.name, board_areas.c.position)).all()
    _check_free(name, (row.name for row in there))
    if len(there) >= MAX_AREAS:
        raise TooManyAreas(f"a board has up to {MAX_AREAS} areas: use one that is there")
    values = {
        "name": name,
        "description": description,
        "read_level": read_level.value,
        "write_level": _write_level(read_level, write_level).value,
        "position": max((row.position for row in there), default=0) + 1,
    }
    area_id = conn.execute(insert(board_areas).values(values).returning(board_areas.c.id)).scalar_one()
    audit.note(conn, sysop, Action.AREA_ADDED, name, now_ms=now_ms)
    return boards.area(conn, reader, area_id)


def change_area(conn: Connection, reader: Reader, changed: Area, *, now_ms: int) -> Area:
    """Give the area with `changed.id` the name, description, levels and position of `changed`. Raises NoSuchArea,
    AreaTaken, and TextFault."""
    sysop = _sysop(reader)
    before = boards.area(conn, reader, changed.id)
    name, description = _area_texts(changed.name, changed.description)
    others = conn.execute(select(board_areas.c.name).where(board_areas.c.id != changed.id)).scalars()
    _check_free(name, others)
    values = {
        "name": name,
        "description": description,
        "read_level": changed.read_level.value,
        "write_level": _write_level(changed.read_level, changed.write_level).value,
        "position": changed.position,
    }
    conn.execute(update(board_areas).where(board_areas.c.id == changed.id).values(values))
    after = boards.area(conn, reader, changed.id)
    levels = f"read {after.read_level.name.lower()}, write {after.write_level.name.lower()}"
    audit.note(conn, sysop, Action.AREA_CHANGED, before.name, f"{name}: {levels}", now_ms=now_ms)
    return after


def _sysop(reader: Reader) -> int:
    if reader.account is None or reader.level < Level.SYSOP:
        raise NotAllowed("only a sysop may do this")
    return reader.account


def _area_texts(name: str, description: str) -> tuple[str, str]:
    return (
        wording.one_line(name, what="the name of an area", max_chars=MAX_AREA_NAME_CHARS),
        wording.one_line(description, what="a description", max_chars=MAX_DESCRIPTION_CHARS),
    )


def _write_level(read_level: Level, write_level: Level) -> Level:
    return max(read_level, write_level, Level.MEMBER)


def _check_free(name: str, others: Iterable[str]) -> None:
    """Names of areas are told apart without regard to case."""
    if wording.fold(name) in {wording.fold(other) for other in others}:
        raise AreaTaken(f"there is an area {name!a} already: choose another name")
