"""One-liners: what callers leave on the wall for the next ones. The newest `KEPT` stay."""

from __future__ import annotations

from typing import Final

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from agentbbs.store import accounts, audit, wording
from agentbbs.store.audit import Action
from agentbbs.store.schema import accounts as account_rows
from agentbbs.store.schema import oneliners

MAX_CHARS: Final = 70
"""One row of 80 columns, less a little for the frame."""

KEPT: Final = 200
"""Nobody pages further back on a wall."""

MAX_AN_HOUR: Final = 20
"""Of one account, so that none paints over the whole wall."""

_HOUR_MS: Final = 3_600_000


class Oneliner(msgspec.Struct, frozen=True):
    """One of them. `written_ms` is Unix milliseconds; a removed account's name is struck out."""

    id: int
    account: int | None
    author: str
    text: str
    written_ms: int


class TooManyOneliners(Exception):
    """`MAX_AN_HOUR` were written; the text says what to do."""


class NoSuchOneliner(LookupError):
    """There is none with this id (any more)."""


def write(conn: Connection, account_id: int, text: str, *, now_ms: int) -> None:
    """Leave one. Raises TextFault, TooManyOneliners, NoSuchAccount."""
    text = wording.one_line(text, what="a one-liner", max_chars=MAX_CHARS)
    author = accounts.get(conn, account_id).name
    lately = select(func.count()).where(
        oneliners.c.account_id == account_id, oneliners.c.written_ms > now_ms - _HOUR_MS
    )
    if conn.execute(lately).scalar_one() >= MAX_AN_HOUR:
        raise TooManyOneliners(f"{MAX_AN_HOUR} one-liners in an hour are the limit: write again later")
    conn.execute(insert(oneliners).values(account_id=account_id, author=author, text=text, written_ms=now_ms))
    kept = select(oneliners.c.id).order_by(oneliners.c.id.desc()).limit(KEPT)
    conn.execute(delete(oneliners).where(oneliners.c.id.not_in(kept)))


def newest(conn: Connection, limit: int = KEPT) -> tuple[Oneliner, ...]:
    """The newest, the newest first."""
    rows = conn.execute(
        select(
            oneliners.c.id,
            oneliners.c.account_id,
            accounts.shown_name(oneliners.c.author),
            oneliners.c.text,
            oneliners.c.written_ms,
        )
        .outerjoin(account_rows, account_rows.c.id == oneliners.c.account_id)
        .order_by(oneliners.c.id.desc())
        .limit(limit)
    )
    return tuple(Oneliner(*row) for row in rows)


def remove(conn: Connection, sysop_id: int, oneliner_id: int, *, now_ms: int) -> None:
    """Take one off the wall; it goes into the audit log. The caller makes sure that it is a sysop who does so. Raises
    NoSuchOneliner."""
    found = conn.execute(select(oneliners.c.author).where(oneliners.c.id == oneliner_id)).scalar_one_or_none()
    if found is None:
        raise NoSuchOneliner(f"there is no one-liner {oneliner_id} any more")
    conn.execute(delete(oneliners).where(oneliners.c.id == oneliner_id))
    audit.note(conn, sysop_id, Action.ONELINER_DELETED, f"one-liner {oneliner_id} of {found}", now_ms=now_ms)
