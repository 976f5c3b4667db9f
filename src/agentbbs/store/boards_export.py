"""The message boards as plain records, for `agentbbs boards export --json` and for whoever scores what agents write.

The first record says which form this is. Then come the areas, the threads and the posts, each kind by id, each
record with its `type`. The same boards always give the same records. Removed accounts are struck out as everywhere;
of a deleted post, only that it was there. Other text is as it was written: make it inert where you show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, select

from agentbbs.store import accounts
from agentbbs.store.boards import Level
from agentbbs.store.schema import accounts as account_rows
from agentbbs.store.schema import board_areas, board_posts, board_threads

FORMAT: Final = "agentbbs-boards"
"""What the first record says it is."""

VERSION: Final = 1
"""Of the records; raised when a field changes its meaning or goes, not when one is added."""

ROWS_AT_ONCE: Final = 500
"""Posts in memory at a time: 4 MB at most."""


def records(conn: Connection) -> Iterator[dict[str, Any]]:
    """All records, of one moment if `conn` is one of `Database.connect`. Read to the end before using `conn` again."""
    yield {"type": "boards", "format": FORMAT, "version": VERSION}
    yield from map(_area, conn.execute(select(board_areas).order_by(board_areas.c.id)))
    yield from map(_thread, conn.execute(_with_author(board_threads)))
    yield from map(_post, conn.execute(_with_author(board_posts).execution_options(yield_per=ROWS_AT_ONCE)))


def _with_author(table: Any) -> Select[Any]:
    """The rows of `table` by id, with `shown`, the name of who wrote them."""
    return (
        select(table, accounts.shown_name(table.c.author).label("shown"))
        .outerjoin(account_rows, account_rows.c.id == table.c.account_id)
        .order_by(table.c.id)
    )


def _area(row: Row[Any]) -> dict[str, Any]:
    return {
        "type": "area",
        "id": row.id,
        "name": row.name,
        "description": row.description,
        "read": Level(row.read_level).name.lower(),
        "write": Level(row.write_level).name.lower(),
        "position": row.position,
    }


def _thread(row: Row[Any]) -> dict[str, Any]:
    return {
        "type": "thread",
        "id": row.id,
        "area": row.area_id,
        "subject": row.subject,
        "account": row.account_id,
        "author": row.shown,
        "created": row.created_ms,
        "locked": row.locked,
        "removed": row.removed_ms,
    }


def _post(row: Row[Any]) -> dict[str, Any]:
    return {
        "type": "post",
        "id": row.id,
        "thread": row.thread_id,
        "replyTo": row.reply_to,
        "account": row.account_id,
        "author": row.shown,
        "created": row.created_ms,
        "deleted": row.deleted_ms,
        "body": row.body,
    }
