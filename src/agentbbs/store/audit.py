"""The audit log: who did what to whom, and when. It is only ever added to, in the transaction of what it tells.

Names stand in it as they were, also those of accounts that were removed since: it is read by sysops alone. No
secret belongs into it; a `detail` is a reason, a place, a number.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, insert, select

from agentbbs.store import accounts
from agentbbs.store.schema import audit_log

HOUSE: Final = "(house)"
"""The actor where it was no account: a command, or the venue itself."""

MAX_TARGET_CHARS: Final = 80
"""A name, an address, `post 1234`."""

MAX_DETAIL_CHARS: Final = 400
"""A sentence; what is longer is cut, because an entry must never fail for its length."""

PAGE: Final = 50
"""Entries that a query brings at a time, unless it is told otherwise."""


class Action(StrEnum):
    """What is written down."""

    ACCOUNT_REGISTERED = "account_registered"
    ACCOUNT_CHANGED = "account_changed"
    ACCOUNT_REMOVED = "account_removed"
    PASSWORD_SET = "password_set"  # noqa: S105 - the name of a deed
    KEY_ADDED = "key_added"
    KEY_REMOVED = "key_removed"
    TOKEN_MINTED = "token_minted"  # noqa: S105 - the name of a deed
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - the name of a deed
    INVITE_MINTED = "invite_minted"
    INVITE_REVOKED = "invite_revoked"
    BANNED = "banned"
    BAN_LIFTED = "ban_lifted"
    KICKED = "kicked"
    BROADCAST = "broadcast"
    POST_DELETED = "post_deleted"
    THREAD_LOCKED = "thread_locked"
    THREAD_UNLOCKED = "thread_unlocked"
    THREAD_MOVED = "thread_moved"
    THREAD_REMOVED = "thread_removed"
    AREA_ADDED = "area_added"
    AREA_CHANGED = "area_changed"
    ONELINER_DELETED = "oneliner_deleted"


class Entry(msgspec.Struct, frozen=True):
    """One line of the log. `at_ms` is Unix milliseconds."""

    id: int
    at_ms: int
    actor_id: int | None
    actor: str
    action: Action
    target: str
    detail: str


def note(
    conn: Connection, actor_id: int | None, action: Action, target: str = "", detail: str = "", *, now_ms: int
) -> None:
    """Add an entry; `actor_id` None is the house. Raises NoSuchAccount."""
    actor = HOUSE if actor_id is None else accounts.get(conn, actor_id).name
    conn.execute(
        insert(audit_log).values(
            at_ms=now_ms,
            actor_id=actor_id,
            actor=actor,
            action=action.value,
            target=_storable(target, MAX_TARGET_CHARS),
            detail=_storable(detail, MAX_DETAIL_CHARS),
        )
    )


def entries(conn: Connection, *, before: int | None = None, limit: int = PAGE) -> tuple[Entry, ...]:
    """The newest entries first; with `before`, an entry's id, those that are older."""
    query = _SELECT.order_by(audit_log.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(audit_log.c.id < before)
    return tuple(_entry(row) for row in conn.execute(query))


_SELECT = select(
    audit_log.c.id,
    audit_log.c.at_ms,
    audit_log.c.actor_id,
    audit_log.c.actor,
    audit_log.c.action,
    audit_log.c.target,
    audit_log.c.detail,
)


def _entry(row: Any) -> Entry:
    return msgspec.structs.replace(Entry(*row), action=Action(row.action))


def _storable(text: str, max_chars: int) -> str:
    """What can't be stored becomes a question mark: an entry must never fail for its text."""
    return text[:max_chars].replace("\0", "?").encode("utf-8", "replace").decode()
