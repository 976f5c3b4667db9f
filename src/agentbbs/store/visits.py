"""Who called: the last callers, and when somebody was here last. The newest `KEPT` visits stay."""

from __future__ import annotations

from typing import Final

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from agentbbs.store import accounts
from agentbbs.store.schema import accounts as account_rows
from agentbbs.store.schema import visits

KEPT: Final = 1000
"""Weeks of a lively board; what sysops look through when something happened."""

SHOWN: Final = 20
"""One screen, which is what a query brings unless it is told otherwise."""


class PastVisit(msgspec.Struct, frozen=True):
    """One visit. Times are Unix milliseconds; `ended_ms` is None while it lasts. A guest has no account; a removed
    account's name is struck out."""

    id: int
    account: int | None
    name: str
    node: int
    transport: str
    began_ms: int
    ended_ms: int | None


def begin(conn: Connection, account_id: int | None, name: str, *, node: int, transport: str, now_ms: int) -> int:
    """Note that somebody is on a node; returns the id to `end` the visit with."""
    visit_id: int = conn.execute(
        insert(visits)
        .values(account_id=account_id, name=name, node=node, transport=transport, began_ms=now_ms)
        .returning(visits.c.id)
    ).scalar_one()
    kept = select(visits.c.id).order_by(visits.c.id.desc()).limit(1).offset(KEPT - 1).scalar_subquery()
    conn.execute(delete(visits).where(visits.c.id < kept))
    return visit_id


def end(conn: Connection, visit_id: int, *, now_ms: int) -> None:
    """The visit is over."""
    conn.execute(update(visits).where(visits.c.id == visit_id, visits.c.ended_ms.is_(None)).values(ended_ms=now_ms))


def end_lost(conn: Connection) -> int:
    """Close the visits that a venue left open when it was killed, as of their beginning, for nobody knows more. Call it
    at the start; returns how many there were."""
    return conn.execute(update(visits).where(visits.c.ended_ms.is_(None)).values(ended_ms=visits.c.began_ms)).rowcount


def last_callers(conn: Connection, *, limit: int = SHOWN, guests: bool = True) -> tuple[PastVisit, ...]:
    """The newest visits, the newest first; those that last are among them."""
    query = (
        select(
            visits.c.id,
            visits.c.account_id,
            accounts.shown_name(visits.c.name),
            visits.c.node,
            visits.c.transport,
            visits.c.began_ms,
            visits.c.ended_ms,
        )
        .outerjoin(account_rows, account_rows.c.id == visits.c.account_id)
        .order_by(visits.c.id.desc())
        .limit(limit)
    )
    if not guests:
        query = query.where(visits.c.account_id.is_not(None))
    return tuple(PastVisit(*row) for row in conn.execute(query))


def last_seen_ms(conn: Connection, account_id: int) -> int | None:
    """When the account's newest visit began, among those that are kept."""
    seen: int | None = conn.execute(
        select(func.max(visits.c.began_ms)).where(visits.c.account_id == account_id)
    ).scalar_one()
    return seen
