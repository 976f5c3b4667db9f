"""Accounts: who may play. Every function takes a connection; those that write want one of `Database.begin`.

An account is never deleted, because its matches stay. Removing one strikes its name out: it can't log in,
it leaves the ladders, and its name stays taken, so that nobody can be mistaken for it. What it wrote to others
stays with them, under the struck-out name; what only it could see goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import (
    Case,
    ColumnElement,
    Connection,
    FromClause,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from agentbbs.store import endpoints, names
from agentbbs.store.schema import (
    accounts,
    auth_epoch,
    board_area_marks,
    board_thread_marks,
    invites,
    mail,
    preferences,
    ssh_keys,
    tokens,
    web_sessions,
)

REMOVED_NAME: Final = "(removed)"
"""Shown in place of a removed account's name; no account can have it."""


class Account(msgspec.Struct, frozen=True):
    """One account. `password_hash` is argon2's text, None without a password; times are Unix milliseconds."""

    id: int
    name: str
    sysop: bool
    password_hash: str | None
    created_ms: int
    removed_ms: int | None


class NoSuchAccount(LookupError):
    """No account has that name, or it was removed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no account {name!a}: `agentbbs user list` shows them, `user add` makes one")
        self.name = name


def add(conn: Connection, name: str, *, sysop: bool = False, now_ms: int) -> Account:
    """Make an account. Raises NameFault: NameTaken if the name, or one that looks like it, is in use."""
    check_free(conn, name)
    values = {"name": name, "skeleton": names.skeleton(name), "sysop": sysop, "created_ms": now_ms}
    account_id = conn.execute(insert(accounts).values(values).returning(accounts.c.id)).scalar_one()
    raise_auth_epoch(conn)
    return Account(account_id, name, sysop, None, now_ms, None)


def check_free(conn: Connection, name: str) -> None:
    """Say whether `add` would take the name. Raises NameFault if it would not."""
    names.check(name)
    holder = _with_skeleton(conn, names.skeleton(name))
    if holder is not None:
        raise names.NameTaken(_taken(name, holder))


def find(conn: Connection, name: str) -> Account:
    """The account with this name in any case, e.g. as typed at a log-in. Raises NoSuchAccount.

    A name that merely looks like an account's is not that account's.
    """
    account = _with_skeleton(conn, names.skeleton(name))
    if account is None or account.removed_ms is not None or account.name.lower() != name.lower():
        raise NoSuchAccount(name)
    return account


def get(conn: Connection, account_id: int) -> Account:
    """The account with this id, removed or not. Raises NoSuchAccount."""
    row = conn.execute(_SELECT.where(accounts.c.id == account_id)).one_or_none()
    if row is None:
        raise NoSuchAccount(f"#{account_id}")
    return _account(row)


def all_accounts(conn: Connection, *, removed: bool = False) -> tuple[Account, ...]:
    """Every account by name; with `removed` those struck out too."""
    query = _SELECT.order_by(func.lower(accounts.c.name))
    if not removed:
        query = query.where(accounts.c.removed_ms.is_(None))
    return tuple(_account(row) for row in conn.execute(query))


def remove(conn: Connection, name: str, *, now_ms: int) -> Account:
    """Strike an account out: revoke its tokens and unused invites, delete its keys, password, sessions, preferences,
    read marks, endpoints and its own side of its mail. Its matches, its posts and its name's place stay. Returns it as
    it is now. Raises NoSuchAccount."""
    account = find(conn, name)
    conn.execute(
        update(accounts).where(accounts.c.id == account.id).values(removed_ms=now_ms, password_hash=None, sysop=False)
    )
    conn.execute(
        update(tokens).where(tokens.c.account_id == account.id, tokens.c.revoked_ms.is_(None)).values(revoked_ms=now_ms)
    )
    for own in (ssh_keys, preferences, board_area_marks, board_thread_marks, web_sessions):
        conn.execute(delete(own).where(own.c.account_id == account.id))
    endpoints.remove_all(conn, account.id, now_ms)
    unused = (invites.c.minted_by == account.id) & invites.c.used_ms.is_(None) & invites.c.revoked_ms.is_(None)
    conn.execute(update(invites).where(unused).values(revoked_ms=now_ms))
    conn.execute(update(mail).where(mail.c.sender_id == account.id).values(sender_keeps=False))
    conn.execute(update(mail).where(mail.c.recipient_id == account.id).values(recipient_keeps=False))
    conn.execute(delete(mail).where(mail.c.sender_keeps.is_(False), mail.c.recipient_keeps.is_(False)))
    raise_auth_epoch(conn)
    return get(conn, account.id)


def shown_name(stored: ColumnElement[str], holder: FromClause = accounts) -> Case[str]:
    """For queries: the name to show of who wrote something, where `stored` is the name it was written under and
    `holder` the (outer joined) account: struck out if it was removed."""
    return case((holder.c.removed_ms.is_(None), stored), else_=REMOVED_NAME)


def set_password_hash(conn: Connection, account_id: int, password_hash: str | None) -> None:
    """Set or (None) take away a password; see `passwords.hash_password`. Raises NoSuchAccount."""
    changed = conn.execute(
        update(accounts)
        .where(accounts.c.id == account_id, accounts.c.removed_ms.is_(None))
        .values(password_hash=password_hash)
    )
    if changed.rowcount != 1:
        raise NoSuchAccount(f"#{account_id}")
    raise_auth_epoch(conn)


def raise_auth_epoch(conn: Connection) -> None:
    """Tell every process that who may log in has changed; in the transaction of the change."""
    conn.execute(update(auth_epoch).values(epoch=auth_epoch.c.epoch + 1))


def rights_epoch(conn: Connection) -> int:
    """A number that changes whenever an account, key or token does."""
    epoch: int = conn.execute(select(auth_epoch.c.epoch)).scalar_one()
    return epoch


_SELECT = select(
    accounts.c.id,
    accounts.c.name,
    accounts.c.sysop,
    accounts.c.password_hash,
    accounts.c.created_ms,
    accounts.c.removed_ms,
)


_BY_SKELETON: Final = _SELECT.where(accounts.c.skeleton == bindparam("skeleton"))
"""Made once: every log-in and every page of an agent asks it."""


def _account(row: Sequence[Any]) -> Account:
    return Account(*row)


def _with_skeleton(conn: Connection, skeleton: str) -> Account | None:
    row = conn.execute(_BY_SKELETON, {"skeleton": skeleton}).one_or_none()
    return None if row is None else _account(row)


def _taken(name: str, holder: Account) -> str:
    if holder.removed_ms is not None:
        return f"the name {name!r} was an account's that has been removed, and stays taken: choose another"
    if holder.name == name:
        return f"there is an account {name!r} already: choose another name"
    return f"the name {name!r} looks like that of the account {holder.name!r}: choose another"
