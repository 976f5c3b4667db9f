"""How somebody becomes an account: by policy, with an invite where one is wanted, and with a way to log in again."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection

from agentbbs.calls import address as addresses
from agentbbs.store import accounts, audit, invites, keys
from agentbbs.store.accounts import Account
from agentbbs.store.audit import Action
from agentbbs.store.database import Database
from agentbbs.store.invites import NoSuchInvite
from agentbbs.store.throttle import Throttle

BURST: Final = 10
"""Accounts that one address may make at once: a class, a small fleet."""

REFILL_S: Final = 360.0
"""Then ten an hour; who wants more asks the sysop, whose `agentbbs user add` knows no limit."""


class Policy(StrEnum):
    """Who may register."""

    OPEN = "open"
    INVITE = "invite"
    CLOSED = "closed"


class RegistrationFault(Exception):
    """Why no account was made; the text says what to do."""


class RegistrationClosed(RegistrationFault):
    """Nobody may register."""


class InviteWanted(RegistrationFault):
    """An invite must be given."""


class NoCredential(RegistrationFault):
    """Neither key nor password: the account could never log in."""


class TooManyRegistrations(RegistrationFault):
    """From this address; in `wait_s` seconds there may be another."""

    def __init__(self, wait_s: float) -> None:
        super().__init__("too many accounts were made from your address: try again later, or ask the sysop")
        self.wait_s = wait_s


def register(
    conn: Connection,
    name: str,
    *,
    policy: Policy,
    public_key: str | None = None,
    password_hash: str | None = None,
    invite: str | None = None,
    now_ms: int,
) -> Account:
    """Make an account with an SSH key (a line as in a `.pub` file), a password (as `Logins.hash` gives it), or both.
    An invite is looked at, and spent, only where the policy wants one.

    Raises RegistrationClosed, InviteWanted, NoSuchInvite, NoCredential, NameFault, KeyFault (KeyTaken if it is some
    account's); then nothing has changed, once the transaction is rolled back.
    """
    if policy is Policy.CLOSED:
        raise RegistrationClosed("nobody can register here: ask the sysop for an account")
    if policy is Policy.INVITE:
        if not invite:
            raise InviteWanted("you need an invite to register here: ask the sysop for one")
        invites.check(conn, invite, now_ms=now_ms)  # first, so that only the invited learn which names are taken
    if public_key is None and password_hash is None:
        raise NoCredential("an account needs a password or an SSH key: choose a password")
    account = accounts.add(conn, name, now_ms=now_ms)
    if public_key is not None:
        keys.add(conn, account.id, keys.parse(public_key), now_ms=now_ms)
    if password_hash is not None:
        accounts.set_password_hash(conn, account.id, password_hash)
    if policy is Policy.INVITE and invite:
        invites.use(conn, invite, account.id, now_ms=now_ms)
    audit.note(conn, account.id, Action.ACCOUNT_REGISTERED, account.name, policy.value, now_ms=now_ms)
    return accounts.get(conn, account.id)


class Registrations:
    """Registers within the limit for each address. One for the whole venue, in one event loop."""

    def __init__(self, database: Database, policy: Policy, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.policy = policy
        self._database = database
        self._throttle = Throttle(burst=BURST, refill_s=REFILL_S, clock=clock)

    def wait_s(self, address: str) -> float:
        """How long until this address may register somebody; 0 if it may now. Ask before asking a caller for a name."""
        return self._throttle.wait_s(addresses.source(address))

    async def register(
        self,
        name: str,
        address: str,
        *,
        public_key: str | None = None,
        password_hash: str | None = None,
        invite: str | None = None,
        now_ms: int,
    ) -> Account:
        """As `register`; the account is on the disk on return. An account that was made counts, and so does a wrong
        invite; a name that is taken does not. Raises TooManyRegistrations as well."""
        source = addresses.source(address)
        wait_s = self._throttle.take(source)
        if wait_s > 0:
            raise TooManyRegistrations(wait_s)
        try:
            return await self._database.write(
                register,
                name,
                policy=self.policy,
                public_key=public_key,
                password_hash=password_hash,
                invite=invite,
                now_ms=now_ms,
            )
        except NoSuchInvite:
            raise
        except Exception:
            self._throttle.give_back(source)
            raise
