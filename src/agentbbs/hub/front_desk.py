"""The front desk: who it is that calls, from what the line's server knows to a visitor.

A password is asked for with stars, whatever name was given, and before anything is said about the name: so nothing
tells which names there are, and a client that sends a name and a password blindly never shows the password.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import structlog

from agentbbs.calls.identity import GUEST_NAME, NEW_NAME, Guest, Identity, Member, Newcomer, Offered, Stranger
from agentbbs.calls.line import Line
from agentbbs.calls.reception import LogIn
from agentbbs.hub.caller import Caller
from agentbbs.hub.registration import Registrar
from agentbbs.hub.settings import BoardSettings
from agentbbs.hub.text import Span, Style
from agentbbs.hub.turned_away import TurnedAway
from agentbbs.hub.visit import Visitor
from agentbbs.store import accounts, bans, proofs
from agentbbs.store.bans import Ban
from agentbbs.store.database import Database
from agentbbs.store.logins import Logins
from agentbbs.store.registration import Policy, Registrations

__all__ = ["FrontDesk", "TurnedAway"]

TRIES: Final = 3
"""Wrong log-ins on one call; the guard of `Logins` counts over calls."""

EMPTY_NAMES: Final = 10
"""Of a caller that types Enter without end."""

NAME_CHARS: Final = 64
"""What the name's prompt takes: more than a name has, so that a wrong one is not cut into a right one."""

PASSWORD_CHARS: Final = 256
"""As `store.passwords` has it."""

WRONG: Final = "Invalid Logon"
"""As Synchronet says it; clients know it."""

GONE: Final = "Your account was removed."
PROOF_GONE: Final = "The key or password that you came in by was changed: call again."
RIGHTS_CHANGED: Final = "Your rights were changed: call again."

_log = structlog.get_logger(__name__)


class FrontDesk:
    """One for a board."""

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
        self._settings = settings
        self._registrar = Registrar(database, passwords, registrations, settings, now_ms)
        self._now_ms = now_ms

    async def admit(self, identity: Identity, line: Line, caller: Caller) -> Visitor:
        """Who it is. Raises TurnedAway with what to tell the caller, and LineGone."""
        match identity:
            case Member(account=account, name=name, sysop=sysop, proof=proof):
                return member(account, name, line, sysop=sysop, proof=proof)
            case Guest():
                return Visitor(None, GUEST_NAME)
            case Newcomer(public_key=key):
                visitor = await self._registrar.register(line, caller, public_key=key)
                if visitor is None:
                    raise TurnedAway("No account was made. Good-bye.")
                return visitor
            case Offered(name=name, password=password):
                return await self._offered(name, password, line, caller)
            case Stranger():
                return await self._ask(line, caller)

    async def why_not(self, visitor: Visitor | None, address: str) -> str | None:
        """Why the visitor may not be on the board, or nobody from that address; None if it may."""
        now_ms = self._now_ms()
        ban = await self._database.look_up(bans.of_address, address, now_ms=now_ms)
        if ban is not None:
            return _banned(ban, "Your address")
        if visitor is None or visitor.account is None:
            return None
        account = await self._database.look_up(accounts.get, visitor.account)
        if account.removed_ms is not None:
            return GONE
        if visitor.sysop and not account.sysop:
            return RIGHTS_CHANGED
        if visitor.proofs and not await self._database.look_up(proofs.hold, visitor.account, visitor.proofs):
            return PROOF_GONE
        ban = await self._database.look_up(bans.of_account, visitor.account, now_ms=now_ms)
        return None if ban is None else _banned(ban, "Your account")

    async def _offered(self, name: str, password: str, line: Line, caller: Caller) -> Visitor:
        """Rlogin: what came with the connection, then prompts for the password of that name. Neither is ever shown."""
        given = password
        for left in reversed(range(TRIES)):
            login = await self._passwords.check(name, given, line.address)
            if login.account is not None:
                return member(login.account, login.name, line, sysop=login.sysop, proof=login.proof)
            self._refuse(login, caller)
            if left:
                caller.say()
                typed = await caller.ask("Password: ", mask=True, max_chars=PASSWORD_CHARS, strip=False)
                if typed is None:
                    break
                given = typed
        raise TurnedAway("Good-bye.")

    async def _ask(self, line: Line, caller: Caller) -> Visitor:
        """Telnet: name and password by prompts."""
        self._introduce(line, caller)
        wrong = empty = 0
        while wrong < TRIES and empty < EMPTY_NAMES:
            name = await caller.ask("Login: ", max_chars=NAME_CHARS)
            if not name:
                empty += 1
                continue
            if name.casefold() == GUEST_NAME:
                return Visitor(None, GUEST_NAME)
            if name.casefold() == NEW_NAME:
                visitor = await self._registrar.register(line, caller, public_key=None)
                if visitor is not None:
                    return visitor
                empty += 1
                continue
            wrong += 1
            if not line.private:
                self._in_the_clear(caller)
                continue
            password = await caller.ask("Password: ", mask=True, max_chars=PASSWORD_CHARS, strip=False)
            if password is None:
                continue
            login = await self._passwords.check(name, password, line.address)
            if login.account is not None:
                return member(login.account, login.name, line, sysop=login.sysop, proof=login.proof)
            self._refuse(login, caller)
        raise TurnedAway("Good-bye.")

    def _introduce(self, line: Line, caller: Caller) -> None:
        keys = [("guest", "look around")]
        if self._settings.registration is not Policy.CLOSED and line.private:
            keys.insert(0, ("new", "register"))
        choices = [part for word, what in keys for part in (", ", Span(word, Style.KEY), f" to {what}")]
        if line.private:
            caller.say("Enter your name", *choices, ".")
        else:
            caller.say("Enter ", *choices[1:], ".")
            self._in_the_clear(caller)
        caller.say()

    def _in_the_clear(self, caller: Caller) -> None:
        caller.say(
            "Passwords are not taken in the clear from your address. Members call by ssh: ",
            Span(self._settings.ssh_address, Style.KEY),
        )

    def _refuse(self, login: LogIn, caller: Caller) -> None:
        """Say that it was wrong; what was typed ahead was meant for somebody who is in, and may hold a password."""
        caller.forget_typed()
        caller.control("\x07")
        caller.say()
        if login.wait_s > 0:
            caller.say(
                Span(f"Too many tries have failed. Wait {math.ceil(login.wait_s)} s, then call again.", Style.BAD)
            )
            raise TurnedAway("Good-bye.")
        caller.say(Span(WRONG, Style.BAD))


def member(account: int, name: str, line: Line, *, sysop: bool, proof: str) -> Visitor:
    """An account that has proved itself. A sysop is one only over SSH: elsewhere somebody may listen."""
    return Visitor(account, name, sysop and line.transport == "ssh", (proof,) if proof else ())


def _banned(ban: Ban, whose: str) -> str:
    return f"{whose} is banned from this board: {ban.reason}"
