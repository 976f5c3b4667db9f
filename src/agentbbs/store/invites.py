"""Invites: codes that let one newcomer register each. Shown once, kept only as a hash.

A code is 20 letters and digits in groups of five, 100 random bits; as it is read out and typed in, case does not
count, nor do hyphens and blanks, and the letters that look like digits are those digits (Crockford's base 32).
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, Connection, insert, select, update

from agentbbs.store import audit
from agentbbs.store.audit import Action
from agentbbs.store.schema import invites

CODE_CHARS: Final = 20
"""100 bits: nothing to guess, so SHA-256 without salt or delay is enough."""

PREFIX_CHARS: Final = 5
"""What lists show: the first group, 25 bits."""

VALID_MS: Final = 30 * 24 * 3_600_000
"""Thirty days: an invite that nobody used by then was not wanted, and lies in some mailbox."""

MAX_OPEN: Final = 1000
"""Invites that may be open at once."""

MAX_TYPED_CHARS: Final = 100
"""No code is nearly as long, however it is spaced."""

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ_AS: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


class Invite(msgspec.Struct, frozen=True):
    """What can be told of an invite after it was shown. Times are Unix milliseconds."""

    id: int
    prefix: str
    minted_by: int | None
    minted_ms: int
    expires_ms: int
    used_by: int | None
    used_ms: int | None
    revoked_ms: int | None


class InviteFault(Exception):
    """Why an invite can't be used, made or revoked; the text says what to do."""


class NoSuchInvite(InviteFault):
    """No invite is meant by that that is still good."""


class TooManyInvites(InviteFault):
    """`MAX_OPEN` are open."""


def mint(conn: Connection, sysop_id: int | None, *, now_ms: int, valid_ms: int = VALID_MS) -> str:
    """A new code. This is the only time that anybody sees it. The caller makes sure that it is a sysop who mints
    (None: a command). Raises TooManyInvites."""
    if len(open_invites(conn, now_ms=now_ms)) >= MAX_OPEN:
        raise TooManyInvites(f"{MAX_OPEN} invites are open: revoke some")
    code = "".join(secrets.choice(_ALPHABET) for _ in range(CODE_CHARS))
    prefix = code[:PREFIX_CHARS]
    values = {"prefix": prefix, "hash": _digest(code), "minted_by": sysop_id, "minted_ms": now_ms}
    conn.execute(insert(invites).values(expires_ms=now_ms + valid_ms, **values))
    audit.note(conn, sysop_id, Action.INVITE_MINTED, f"invite {prefix}", now_ms=now_ms)
    return "-".join(code[start : start + PREFIX_CHARS] for start in range(0, CODE_CHARS, PREFIX_CHARS))


def check(conn: Connection, code: str, *, now_ms: int) -> Invite:
    """The invite of a code that is still good. Raises NoSuchInvite, which does not say why it is not."""
    row = conn.execute(_SELECT.where(invites.c.hash == _digest(_plain(code)), _is_open(now_ms))).one_or_none()
    if row is None:
        raise NoSuchInvite("this invite is not good, or no longer: check what you typed, or ask the sysop for another")
    return Invite(*row)


def use(conn: Connection, code: str, account_id: int, *, now_ms: int) -> None:
    """Spend an invite on a new account, in the transaction that makes it. Raises NoSuchInvite."""
    invite = check(conn, code, now_ms=now_ms)
    spent = conn.execute(
        update(invites)
        .where(invites.c.id == invite.id, invites.c.used_ms.is_(None))
        .values(used_by=account_id, used_ms=now_ms)
    )
    if spent.rowcount != 1:
        raise NoSuchInvite("this invite has just been used: ask the sysop for another")


def open_invites(conn: Connection, *, now_ms: int) -> tuple[Invite, ...]:
    """The invites that are still good, oldest first."""
    rows = conn.execute(_SELECT.where(_is_open(now_ms)).order_by(invites.c.id))
    return tuple(Invite(*row) for row in rows)


def revoke(conn: Connection, sysop_id: int | None, invite_id: int, *, now_ms: int) -> None:
    """End an invite that is open. Raises NoSuchInvite."""
    row = conn.execute(_SELECT.where(invites.c.id == invite_id, _is_open(now_ms))).one_or_none()
    if row is None:
        raise NoSuchInvite(f"there is no open invite {invite_id}: the list shows them")
    conn.execute(update(invites).where(invites.c.id == invite_id).values(revoked_ms=now_ms))
    audit.note(conn, sysop_id, Action.INVITE_REVOKED, f"invite {Invite(*row).prefix}", now_ms=now_ms)


_SELECT = select(
    invites.c.id,
    invites.c.prefix,
    invites.c.minted_by,
    invites.c.minted_ms,
    invites.c.expires_ms,
    invites.c.used_by,
    invites.c.used_ms,
    invites.c.revoked_ms,
)


def _is_open(now_ms: int) -> ColumnElement[bool]:
    return (invites.c.used_ms.is_(None)) & (invites.c.revoked_ms.is_(None)) & (invites.c.expires_ms > now_ms)


def _plain(code: str) -> str:
    return code[:MAX_TYPED_CHARS].upper().translate(_READ_AS)


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()
