"""API tokens: random, shown once, kept only as a hash.

A token is `abbs_` and 256 random bits in URL-safe base64: 48 characters, of which the first 11, its
prefix, are kept so that people can tell their tokens apart.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from agentbbs.store.accounts import raise_auth_epoch
from agentbbs.store.schema import accounts, tokens

MARK: Final = "abbs_"
"""How every token begins, so that people and scanners of leaked secrets know one."""

RANDOM_BYTES: Final = 32
"""256 bits: nothing to guess, so SHA-256 without salt or delay is enough."""

PREFIX_CHARS: Final = len(MARK) + 6
"""What lists show: 36 random bits, enough to tell tokens apart, far too few to be one."""


class Principal(msgspec.Struct, frozen=True):
    """The account that a valid token stands for."""

    account: int
    name: str
    token_id: int


class TokenInfo(msgspec.Struct, frozen=True):
    """What can be told of a token after it was shown. Times are Unix milliseconds."""

    id: int
    account_id: int
    prefix: str
    created_ms: int
    last_used_ms: int | None
    revoked_ms: int | None


class NoSuchToken(LookupError):
    """No token that is still valid is meant by that text."""


class AmbiguousPrefix(LookupError):
    """Several valid tokens begin like that."""


def digest(token: str) -> str:
    """How a token is stored: SHA-256 in hexadecimal."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def mint(conn: Connection, account_id: int, now_ms: int) -> str:
    """A new token for an account. This is the only time that anybody sees it."""
    token = MARK + secrets.token_urlsafe(RANDOM_BYTES)
    conn.execute(
        insert(tokens).values(account_id=account_id, prefix=token[:PREFIX_CHARS], hash=digest(token), created_ms=now_ms)
    )
    raise_auth_epoch(conn)
    return token


def of_account(conn: Connection, account_id: int) -> tuple[TokenInfo, ...]:
    """The tokens of an account, oldest first, revoked ones too."""
    rows = conn.execute(_INFO.where(tokens.c.account_id == account_id).order_by(tokens.c.id))
    return tuple(TokenInfo(*row) for row in rows)


def revoke(conn: Connection, token_or_prefix: str, now_ms: int) -> TokenInfo:
    """End a token, named in full or by the prefix that lists show. Raises NoSuchToken, AmbiguousPrefix."""
    valid = _INFO.where(tokens.c.revoked_ms.is_(None))
    found = conn.execute(valid.where(tokens.c.hash == digest(token_or_prefix))).all()
    if not found and len(token_or_prefix) == PREFIX_CHARS:
        found = conn.execute(valid.where(tokens.c.prefix == token_or_prefix)).all()
    if not found:
        raise NoSuchToken(
            f"no valid token is meant by that: give a whole token or the first {PREFIX_CHARS} characters, as lists show"
        )
    if len(found) > 1:
        raise AmbiguousPrefix("several tokens begin like that: give the whole token")
    conn.execute(update(tokens).where(tokens.c.id == found[0].id).values(revoked_ms=now_ms))
    raise_auth_epoch(conn)
    return msgspec.structs.replace(TokenInfo(*found[0]), revoked_ms=now_ms)


def revoke_all(conn: Connection, account_id: int, now_ms: int) -> int:
    """End every token of an account; returns how many were valid."""
    revoked = conn.execute(
        update(tokens).where(tokens.c.account_id == account_id, tokens.c.revoked_ms.is_(None)).values(revoked_ms=now_ms)
    ).rowcount
    if revoked:
        raise_auth_epoch(conn)
    return revoked


def authenticate(conn: Connection, token: str) -> Principal | None:
    """Whose token this is; None if it is unknown, revoked, or its account was removed."""
    hashed = digest(token)
    return authenticate_digests(conn, (hashed,)).get(hashed)


def authenticate_digests(conn: Connection, digests: Iterable[str]) -> dict[str, Principal]:
    """The principals of those tokens (given as `digest` makes them) that are valid."""
    found: dict[str, Principal] = {}
    wanted = list(digests)
    for start in range(0, len(wanted), _DIGESTS_A_QUERY):
        rows = conn.execute(_AUTHENTICATE, {"digests": wanted[start : start + _DIGESTS_A_QUERY]})
        found.update({row.hash: Principal(row.account_id, row.name, row.id) for row in rows})
    return found


def note_last_use(conn: Connection, last_used_ms: Mapping[int, int]) -> None:
    """Write when tokens (by id) were used last. No epoch is raised: nobody's right to log in changes."""
    if last_used_ms:
        conn.execute(_LAST_USED, [{"token_id": key, "used_ms": used} for key, used in last_used_ms.items()])


_DIGESTS_A_QUERY: Final = 500
"""Databases bound the parameters of a statement."""

_INFO = select(
    tokens.c.id,
    tokens.c.account_id,
    tokens.c.prefix,
    tokens.c.created_ms,
    tokens.c.last_used_ms,
    tokens.c.revoked_ms,
)

_AUTHENTICATE = (
    select(tokens.c.hash, tokens.c.account_id, accounts.c.name, tokens.c.id)
    .join(accounts, accounts.c.id == tokens.c.account_id)
    .where(
        tokens.c.hash.in_(bindparam("digests", expanding=True)),
        tokens.c.revoked_ms.is_(None),
        accounts.c.removed_ms.is_(None),
    )
)

_LAST_USED = update(tokens).where(tokens.c.id == bindparam("token_id")).values(last_used_ms=bindparam("used_ms"))
