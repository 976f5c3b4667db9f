"""How a caller becomes an account: a name that is asked for and confirmed, a password, an invite if one is wanted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import structlog

from agentbbs.calls.line import Line
from agentbbs.hub.caller import Caller
from agentbbs.hub.settings import BoardSettings
from agentbbs.hub.text import Span, Style
from agentbbs.hub.visit import Visitor
from agentbbs.hub.writing import sentence
from agentbbs.store import accounts, invites, keys, proofs
from agentbbs.store.database import Database
from agentbbs.store.keys import KeyFault
from agentbbs.store.logins import Logins, TooBusy
from agentbbs.store.names import NameFault
from agentbbs.store.passwords import MAX_CHARS, MIN_CHARS, PasswordFault
from agentbbs.store.registration import Policy, RegistrationFault, Registrations

TRIES: Final = 10
"""Names, invites or passwords that are not taken, before the caller is told to think first."""

ASKED_CHARS: Final = 100
"""What a prompt takes: more than is right, so that a wrong answer is not cut into a right one."""

_log = structlog.get_logger(__name__)


class Registrar:
    """Takes callers through registration."""

    def __init__(
        self,
        database: Database,
        passwords: Logins,
        registrations: Registrations,
        settings: BoardSettings,
        now_ms: Callable[[], int],
    ) -> None:
        self._database = database
        self._passwords = passwords
        self._registrations = registrations
        self._settings = settings
        self._now_ms = now_ms

    async def register(self, line: Line, caller: Caller, *, public_key: str | None) -> Visitor | None:
        """The new account, or the one that the key belongs to already; None if none was made, and the caller knows
        why. `public_key` was proved. Raises LineGone."""
        if public_key is not None:
            known = await self._holder(public_key, line)
            if known is not None:
                caller.say("Your key is registered already, as ", Span(known.name, Style.NAME), ".")
                return known
        if not self._may(line, caller, public_key):
            return None
        invite = await self._ask_invite(caller) if self._registrations.policy is Policy.INVITE else ""
        if invite is None:
            return None
        for _ in range(TRIES):
            name = await self._ask_name(caller)
            if name is None:
                break
            try:
                account = await self._make(name, line, caller, public_key=public_key, invite=invite)
            except NameFault as fault:  # somebody was faster
                caller.say(sentence(fault))
            else:
                return account
        return None

    async def _make(
        self, name: str, line: Line, caller: Caller, *, public_key: str | None, invite: str
    ) -> Visitor | None:
        """Ask for the rest, and make the account; None if the caller gave up, or was told why not. Raises NameFault."""
        password_hash, chosen = await self._ask_password(line, caller, public_key)
        if not chosen:
            return None
        try:
            account = await self._registrations.register(
                name,
                line.address,
                public_key=public_key,
                password_hash=password_hash,
                invite=invite or None,
                now_ms=self._now_ms(),
            )
        except (RegistrationFault, invites.InviteFault, KeyFault) as fault:
            caller.say(sentence(fault))
            return None
        _log.info("registered", account=account.name, transport=line.transport, address=line.address)
        self._congratulate(caller, account.name, with_key=public_key is not None)
        proof = proofs.of_password(password_hash or "") if public_key is None else keys.parse(public_key).fingerprint
        return Visitor(account.id, account.name, proofs=(proof,))

    async def _holder(self, public_key: str, line: Line) -> Visitor | None:
        try:
            fingerprint = keys.parse(public_key).fingerprint
        except KeyFault:
            return None  # `register` refuses it, and says why
        stored = await self._database.look_up(keys.by_fingerprint, fingerprint)
        if stored is None:
            return None
        account = await self._database.look_up(accounts.get, stored.account_id)
        sysop = account.sysop and line.transport == "ssh"
        return Visitor(account.id, account.name, sysop, (fingerprint,))

    def _may(self, line: Line, caller: Caller, public_key: str | None) -> bool:
        """Whether there is any use in asking for a name; says why not."""
        wait_s = self._registrations.wait_s(line.address)
        if self._registrations.policy is Policy.CLOSED:
            caller.say("Nobody can register here by themselves: ask the sysop for an account.")
        elif public_key is None and not line.private:
            caller.say(
                "A password can't be chosen in the clear. Register by ssh: ",
                Span(self._settings.ssh_as("new"), Style.KEY),
            )
        elif wait_s > 0:
            minutes = math.ceil(wait_s / 60)
            caller.say(f"Many accounts were made from your address: try again in {minutes} min, or ask the sysop.")
        else:
            return True
        return False

    async def _ask_invite(self, caller: Caller) -> str | None:
        caller.say("You need an invite to register here. The sysop gives them out. Escape: back.")
        for _ in range(TRIES):
            code = await caller.ask("Invite: ", max_chars=ASKED_CHARS)
            if code is None:
                return None
            if not code:
                continue
            try:
                await self._database.look_up(invites.check, code, now_ms=self._now_ms())
            except invites.NoSuchInvite as fault:
                caller.say(sentence(fault))
            else:
                return code
        return None

    async def _ask_name(self, caller: Caller) -> str | None:
        caller.say("Choose a name: letters and digits, with single - _ or . between them. Escape: back.")
        for _ in range(TRIES):
            name = await caller.ask("Name: ", max_chars=ASKED_CHARS)
            if name is None:
                return None
            if not name:
                continue
            try:
                await self._database.look_up(accounts.check_free, name)
            except NameFault as fault:
                caller.say(sentence(fault))
                continue
            if await caller.yes_no(("Be known as ", Span(name, Style.NAME), "?"), default=True):
                return name
        return None

    async def _ask_password(self, line: Line, caller: Caller, public_key: str | None) -> tuple[str | None, bool]:
        """What to store of the password that was chosen, None for none; and whether the caller goes on."""
        if public_key is not None and not line.private:
            return None, True
        optional = public_key is not None
        caller.say(f"Choose a password of at least {MIN_CHARS} characters. It is not shown.")
        if optional:
            caller.say("Your key lets you in; with a password you can call by telnet too. Enter: none.")
        return await choose_password(caller, self._passwords, line.address, optional=optional)

    def _congratulate(self, caller: Caller, name: str, *, with_key: bool) -> None:
        caller.say()
        caller.say(Span("You are registered as ", Style.GOOD), Span(name, Style.NAME), Span(".", Style.GOOD))
        if with_key:
            caller.say("From now on, call with the same key: ", Span(self._settings.ssh_as(name), Style.KEY))


async def choose_password(
    caller: Caller, passwords: Logins, address: str, *, optional: bool
) -> tuple[str | None, bool]:
    """A new password, asked for twice: what to store of it, None for none; and False if the caller gave up."""
    for _ in range(TRIES):
        first = await caller.ask("Password: ", mask=True, max_chars=MAX_CHARS, strip=False)
        if first is None:
            return None, False
        if not first and optional:
            return None, True
        if len(first) < MIN_CHARS:
            caller.say(Span(f"A password has at least {MIN_CHARS} characters: choose another.", Style.BAD))
            continue
        again = await caller.ask("Once more: ", mask=True, max_chars=MAX_CHARS, strip=False)
        if again is None:
            return None, False
        if again != first:
            caller.say(Span("These were not the same.", Style.BAD))
            continue
        try:
            return await passwords.hash(first, address), True
        except (PasswordFault, TooBusy) as fault:
            caller.say(sentence(fault))
    return None, False
