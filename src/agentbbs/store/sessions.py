"""Sessions of readers: a cookie of 256 random bits, kept only as a hash, for thirty days at most.

A session is begun with a token or with a key, and is as good as that is: it ends when the token is revoked or the key
removed, when the account is removed, and while it is banned. All of this is asked of the tables with each look, so that
nothing else has to think of sessions. A key's number may come to be another key's once it was removed; that one was
added later than the session began, and does not count.

Times are Unix milliseconds. Functions that write want a connection of `Database.begin`.
"""

from __future__ import annotations

import secrets
from typing import Final

import msgspec
from sqlalchemy import Connection, and_, delete, exists, insert, or_, select

from agentbbs.store.schema import accounts, bans, ssh_keys, tokens, web_sessions
from agentbbs.store.tokens import digest

RANDOM_BYTES: Final = 32
"""256 bits: nothing to guess, so SHA-256 without salt or delay is enough."""

LASTS_MS: Final = 30 * 24 * 3_600_000
"""Thirty days from signing in, however much it is used."""

MAX_SESSIONS: Final = 20
"""Of one account: a browser a machine. The one begun first makes room."""


class Session(msgspec.Struct, frozen=True):
    """Who is signed in, and what it signed in with: one of the two is None."""

    account: int
    name: str
    token_id: int | None
    key_id: int | None
    created_ms: int
    expires_ms: int


def begin(
    conn: Connection,
    account_id: int,
    *,
    token_id: int | None = None,
    key_id: int | None = None,
    instead_of: str | None = None,
    now_ms: int,
) -> str:
    """A new session of an account that proved itself by a token or a key, exactly one of them; returns what the cookie
    holds, which nobody can tell again. The session whose cookie is `instead_of` ends. Raises ValueError."""
    if (token_id is None) == (key_id is None):
        raise ValueError("a session is begun with a token or with a key")
    if instead_of is not None:
        end(conn, instead_of)
    conn.execute(delete(_s).where(_s.c.expires_ms <= now_ms))
    newest = select(_s.c.hash).where(_s.c.account_id == account_id).order_by(_s.c.created_ms.desc(), _s.c.hash)
    surplus = conn.execute(newest.offset(MAX_SESSIONS - 1)).scalars().all()
    if surplus:
        conn.execute(delete(_s).where(_s.c.hash.in_(surplus)))
    cookie = secrets.token_urlsafe(RANDOM_BYTES)
    conn.execute(
        insert(_s).values(
            hash=digest(cookie),
            account_id=account_id,
            token_id=token_id,
            key_id=key_id,
            created_ms=max(now_ms, _added_ms(conn, key_id)),
            expires_ms=now_ms + LASTS_MS,
        )
    )
    return cookie


def look(conn: Connection, cookie: str, *, now_ms: int) -> Session | None:
    """The session of a cookie; None if it has ended, or may not be at the moment."""
    banned = exists().where(
        bans.c.account_id == _s.c.account_id, or_(bans.c.until_ms.is_(None), bans.c.until_ms > now_ms)
    )
    by_token = exists().where(
        tokens.c.id == _s.c.token_id, tokens.c.account_id == _s.c.account_id, tokens.c.revoked_ms.is_(None)
    )
    by_key = exists().where(
        ssh_keys.c.id == _s.c.key_id,
        ssh_keys.c.account_id == _s.c.account_id,
        ssh_keys.c.added_ms <= _s.c.created_ms,
    )
    row = conn.execute(
        select(_s.c.account_id, accounts.c.name, _s.c.token_id, _s.c.key_id, _s.c.created_ms, _s.c.expires_ms)
        .join(accounts, and_(accounts.c.id == _s.c.account_id, accounts.c.removed_ms.is_(None)))
        .where(_s.c.hash == digest(cookie), _s.c.expires_ms > now_ms, ~banned, or_(by_token, by_key))
    ).one_or_none()
    return None if row is None else Session(*row)


def end(conn: Connection, cookie: str) -> bool:
    """End the session of a cookie; returns whether there was one."""
    return conn.execute(delete(_s).where(_s.c.hash == digest(cookie))).rowcount > 0


def end_all(conn: Connection, account_id: int) -> int:
    """End every session of an account; returns how many there were."""
    return conn.execute(delete(_s).where(_s.c.account_id == account_id)).rowcount


def _added_ms(conn: Connection, key_id: int | None) -> int:
    """When a key was added, by a clock that may have been set back since; 0 for none."""
    return conn.execute(select(ssh_keys.c.added_ms).where(ssh_keys.c.id == key_id)).scalar() or 0


_s: Final = web_sessions
