"""Log-ins by name and password: checked off the event loop, two at a time, and not faster than `LoginGuard` lets them.

The answer tells nothing but yes or no: a name that nobody has, an account without a password and a wrong password
take the same way and the same time. Neither names nor passwords are logged, for a caller in a hurry types the one
where the other belongs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar, TypeVarTuple

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from agentbbs.calls import address as addresses
from agentbbs.calls.reception import LogIn
from agentbbs.store import accounts, names, passwords, proofs
from agentbbs.store.accounts import Account
from agentbbs.store.database import Database
from agentbbs.store.login_guard import LoginGuard
from agentbbs.store.turns import LineFull, Turns

HASHES_AT_ONCE: Final = 2
"""Each takes 64 MiB and four lanes of the processor for tens of ms; the games have the same processor."""

MAX_WAITING: Final = 256
"""Tries that may wait for one of these: some ten seconds' worth, which is as long as a caller waits."""

MAX_WAITING_PER_ADDRESS: Final = 128
"""Of these, from one address: a fleet that reconnects."""

BUSY_S: Final = 5.0
"""How long who finds the line full is told to wait."""

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_log = structlog.get_logger(__name__)


class TooBusy(Exception):
    """Too many passwords wait to be hashed; the text says what to do."""


class Logins:
    """Implements `calls.reception.Passwords`. One for the whole venue, in one event loop; `close` it in the end."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._guard = LoginGuard(clock=clock)
        self._turns = Turns(HASHES_AT_ONCE, waiting=MAX_WAITING, waiting_each=MAX_WAITING_PER_ADDRESS)
        self._threads = ThreadPoolExecutor(HASHES_AT_ONCE, "agentbbs-argon2")

    def close(self) -> None:
        """What is being hashed is finished, what waits is not begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def check(self, name: str, password: str, address: str) -> LogIn:
        """Whether these belong together; `name` in any case. Raises what the database raises, and that counts as no
        try. A caller that hangs up meanwhile has made one."""
        source, key = addresses.source(address), _key(name)
        wait_s = self._guard.wait_s(source, key)  # before the line, so that who is slowed down does not fill it
        if wait_s > 0:
            return LogIn(wait_s=wait_s)
        try:
            async with self._turns.turn(source):
                wait_s = self._guard.begin(source, key)
                if wait_s > 0:
                    return LogIn(wait_s=wait_s)
                try:
                    account = await self._verified(name, password)
                except Exception:
                    self._guard.undone(source, key)
                    raise
        except LineFull:
            return LogIn(wait_s=BUSY_S)
        if account is None:
            _log.info("login_refused", address=address)
            return LogIn()
        self._guard.succeeded(source, key)
        return LogIn(account.id, account.name, account.sysop, proofs.of_password(account.password_hash or ""))

    async def hash(self, password: str, address: str) -> str:
        """What to store of a new password, made in the same two threads. Raises PasswordFault, TooBusy."""
        try:
            async with self._turns.turn(addresses.source(address)):
                return await self._in_thread(passwords.hash_password, password)
        except LineFull as fault:
            raise TooBusy("too many log in at this moment: try again in a few seconds") from fault

    async def _verified(self, name: str, password: str) -> Account | None:
        """The account, if the password is its own, still after the time that this took."""
        account = await self._database.look_up(_find, name)
        password_hash = None if account is None else account.password_hash
        right = await self._in_thread(passwords.verify_password, password_hash, password)
        if not right or account is None or password_hash is None:
            return None
        current = await self._database.look_up(accounts.get, account.id)
        if current.removed_ms is not None or current.password_hash != password_hash:
            return None
        if passwords.needs_rehash(password_hash):
            await self._rehash(current, password_hash, password)
            return await self._database.look_up(accounts.get, account.id)
        return current

    async def _rehash(self, account: Account, old: str, password: str) -> None:
        """Store the password with today's parameters. That this fails is no reason to keep anybody out."""
        try:
            new = await self._in_thread(passwords.hash_password, password)
            await self._database.write(_replace, account.id, old, new)
        except (passwords.PasswordFault, SQLAlchemyError) as fault:
            _log.warning("password_not_rehashed", account=account.id, fault=str(fault))

    async def _in_thread(self, fn: Callable[[*Ts], T], *args: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, fn, *args)


def _key(name: str) -> str:
    """What counts as one account. All that can be no name are one."""
    return names.skeleton(name) if _possible(name) else ""


def _possible(name: str) -> bool:
    return name.isascii() and len(name) <= names.MAX_CHARS


def _find(conn: Connection, name: str) -> Account | None:
    if not _possible(name):
        return None
    try:
        return accounts.find(conn, name)
    except accounts.NoSuchAccount:
        return None


def _replace(conn: Connection, account_id: int, old: str, new: str) -> None:
    """Put `new` in the place of `old`, unless somebody has set another password meanwhile."""
    if accounts.get(conn, account_id).password_hash == old:
        accounts.set_password_hash(conn, account_id, new)
