"""`agentbbs user provision`: many accounts at once, from a list that says what they should be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from agentbbs.store.accounts import Account
    from agentbbs.store.keys import PublicKey
    from agentbbs.store.preferences import Preferences

MAX_LIST_BYTES: Final = 16 * 1024 * 1024
"""Ten thousand accounts with the longest keys that are taken."""


class Change(StrEnum):
    """What was done with an account, or would be."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


class Wanted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One account of the list. What is left out stays as it is."""

    name: str
    password: str | None = None
    key: str | None = None
    """An SSH public key: the line of a .pub file."""


class Provisioned(msgspec.Struct, frozen=True, kw_only=True):
    """One account as it is now, or would be."""

    name: str
    """As the account has it; the list may have it in another case."""
    change: Change
    what: tuple[str, ...]
    """Of `account`, `password`, `key`, `tour`."""


class _Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be written for one account; None is nothing."""

    name: str
    account: Account | None
    password_hash: str | None
    key: PublicKey | None
    preferences: Preferences | None

    def told(self) -> Provisioned:
        parts = {
            "account": self.account is None,
            "password": self.password_hash is not None,
            "key": self.key is not None,
            "tour": self.preferences is not None,
        }
        what = tuple(part for part, changes in parts.items() if changes)
        change = Change.UNCHANGED if not what else Change.CREATED if self.account is None else Change.UPDATED
        return Provisioned(name=self.name, change=change, what=what)


def provision(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help='JSON: [{"name", "password", "key"}, ...]; \'-\' reads stdin.'),
    ] = Path("-"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array on stdout.")] = False,
) -> None:
    """Make or change accounts until they are as a list says: all of them, or none where one can't be.

    A second time changes nothing. An account gets the password and, in place of the keys that it has, the key of the
    list, as far as they are in it. It has seen the tour of first visits: whoever calls by it for the first time is
    greeted as at any other time. A sysop's account is not touched. The venue may run.

    \b
    Example:
      agentbbs user provision agents.json --dry-run
    """
    wanted = _read(file)
    with store(make=not dry_run) as database:
        with database.connect() as conn:
            plans = [_planned(conn, one) for one in wanted]
        if not dry_run:
            with database.begin() as conn:
                _write(conn, plans)
    found = [plan.told() for plan in plans]
    if as_json:
        output.json_list(found)
    else:
        output.table(("NAME", "CHANGE", "WHAT"), [(one.name, one.change.value, ", ".join(one.what)) for one in found])


def _read(file: Path) -> Sequence[Wanted]:
    """The list. Raises Failed, and never shows a word of it but names."""
    if file == Path("-"):
        data = sys.stdin.buffer.read(MAX_LIST_BYTES + 1)
    else:
        with file.open("rb") as opened:
            data = opened.read(MAX_LIST_BYTES + 1)
    if len(data) > MAX_LIST_BYTES:
        raise Failed(f"{file} is longer than {MAX_LIST_BYTES} bytes: is it the right file?")
    try:
        wanted = msgspec.json.decode(data, type=list[Wanted])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        raise Failed(f'{file} is no list of accounts ({fault}): write [{{"name": "agent-001", ...}}]') from fault
    seen: set[str] = set()
    for one in wanted:
        if one.name.casefold() in seen:
            raise Failed(f"{file} names {one.name!r} twice: keep one of them")
        seen.add(one.name.casefold())
    return wanted


def _planned(conn: Connection, wanted: Wanted) -> _Plan:
    """What has to be done for one account. Raises Failed if it can't be."""
    from agentbbs.store import accounts, keys, names, passwords, preferences  # noqa: PLC0415 - heavy

    try:
        account = _existing(conn, wanted.name)
        key = None if wanted.key is None else keys.parse(wanted.key)
        has = () if account is None else keys.of_account(conn, account.id)
        if key is not None and [one.fingerprint for one in has] == [key.fingerprint]:
            key = None
        if account is None:
            accounts.check_free(conn, wanted.name)
        fits = account is not None and wanted.password is not None and _fits(account, wanted.password)
        password_hash = None if wanted.password is None or fits else passwords.hash_password(wanted.password)
    except (names.NameFault, keys.KeyFault, passwords.PasswordFault) as fault:
        raise Failed(f"{wanted.name}: {fault}") from fault
    chosen = preferences.Preferences() if account is None else preferences.of_account(conn, account.id)
    return _Plan(
        name=wanted.name if account is None else account.name,
        account=account,
        password_hash=password_hash,
        key=key,
        preferences=None if chosen.tour_seen else msgspec.structs.replace(chosen, tour_seen=True),
    )


def _existing(conn: Connection, name: str) -> Account | None:
    from agentbbs.store import accounts  # noqa: PLC0415

    try:
        account = accounts.find(conn, name)
    except accounts.NoSuchAccount:
        return None
    if account.sysop:
        raise Failed(f"{account.name} is a sysop: choose another name; `agentbbs user set-password` is for people")
    return account


def _fits(account: Account, password: str) -> bool:
    from agentbbs.store import passwords  # noqa: PLC0415

    return account.password_hash is not None and passwords.verify_password(account.password_hash, password)


def _write(conn: Connection, plans: Sequence[_Plan]) -> None:
    """In one transaction. Raises Failed; then nothing was written."""
    from agentbbs.store import accounts, keys, names, preferences  # noqa: PLC0415

    now_ms = output.now_ms()
    for plan in plans:
        try:
            account = plan.account or accounts.add(conn, plan.name, now_ms=now_ms)
            if plan.key is not None:
                keys.remove_all(conn, account.id)
                keys.add(conn, account.id, plan.key, now_ms=now_ms)
        except (names.NameFault, keys.KeyFault) as fault:
            raise Failed(f"{plan.name}: {fault}") from fault
        if plan.password_hash is not None:
            accounts.set_password_hash(conn, account.id, plan.password_hash)
        if plan.preferences is not None:
            preferences.save(conn, account.id, plan.preferences)
