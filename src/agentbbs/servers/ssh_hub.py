"""`ssh NAME@`: who calls the hub over SSH, and how they prove it.

`NAME@` needs a key that belongs to the account of that name, or its password; a name that nobody has is refused in the
same way. `new@` takes any key that proves itself, to be registered, or none. `guest@` needs nothing.
"""

from __future__ import annotations

import math
from typing import Final, Protocol

import asyncssh
import structlog

from agentbbs.calls.identity import GUEST_NAME, NEW_NAME, Guest, Identity, Member, Newcomer
from agentbbs.calls.reception import Passwords
from agentbbs.servers.ssh_connection import SshConnection
from agentbbs.servers.ssh_terminal import WINDOW_BYTES, SshTerminal
from agentbbs.servers.switchboard import Switchboard

MAX_PASSWORD_TRIES: Final = 6
"""On one connection: OpenSSH's client asks three times by either method."""

Challenge = bool | tuple[str, str, str, tuple[tuple[str, bool], ...]]
"""What asyncssh takes for one: the answer at once, or title, instruction, language and prompts (each with echo)."""

_log = structlog.get_logger(__name__)


class Holder(Protocol):
    """The account that a key belongs to."""

    @property
    def account(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def sysop(self) -> bool: ...


class HolderKeys(Protocol):
    """Where SSH keys are looked up."""

    async def check(self, fingerprint: str) -> Holder | None:
        """The account that the key with this fingerprint (`SHA256:…`) belongs to at this moment."""
        ...


class SshHub:
    """What log-ins to the hub need."""

    def __init__(self, keys: HolderKeys, passwords: Passwords, switchboard: Switchboard) -> None:
        self.keys = keys
        self.passwords = passwords
        self.switchboard = switchboard


class SshLogin:
    """The log-in of one connection. A client may try several names, one after the other."""

    def __init__(self, hub: SshHub, connection: SshConnection) -> None:
        self._hub = hub
        self._connection = connection
        self._name = ""
        self._member: Member | None = None
        self._tries = 0
        self._given_time = False

    @property
    def takes_password(self) -> bool:
        """Whether there is a password that could let this name in."""
        return self._name.casefold() not in (GUEST_NAME, NEW_NAME)

    def begin(self, name: str) -> bool:
        """The client wants to log in under `name` now; returns whether it has to prove anything."""
        self._name, self._member = name, None
        if name.casefold() == GUEST_NAME:
            return False
        if not self._given_time:
            self._given_time = True
            self._connection.pipe.person_types()
        return True

    async def offers_key(self, name: str, fingerprint: str) -> bool:
        """Whether the key lets `name` in, once it is proved."""
        if name.casefold() == NEW_NAME:
            return True
        try:
            holder = await self._hub.keys.check(fingerprint)
        except Exception:  # the client tries its next, and whoever reads the log knows why
            _log.exception("key_not_looked_up", fingerprint=fingerprint)
            return False
        if holder is None or holder.name.casefold() != name.casefold():
            return False
        return self._is(name, Member(holder.account, holder.name, holder.sysop, fingerprint))

    async def says_password(self, name: str, password: str) -> bool:
        """Whether it is the password of `name`."""
        if not self.takes_password:
            return False
        self._tries += 1
        if self._tries > MAX_PASSWORD_TRIES:
            self._connection.disconnect(asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, "too many tries")
            return False
        address = self._connection.pipe.address
        try:
            login = await self._hub.passwords.check(name, password, address)
        except Exception:  # the caller is told, and whoever reads the log
            _log.exception("password_not_checked", address=address)
            self._tell("Your password could not be checked. Try again later.")
            return False
        if login.wait_s > 0:
            self._tell(f"Too many tries have failed. Wait {math.ceil(login.wait_s)} s.")
        if login.account is None:
            _log.info("login_refused", transport="ssh", address=address)
            return False
        return self._is(name, Member(login.account, login.name, login.sysop, login.proof))

    def challenge(self) -> Challenge:
        """What a dialogue asks for: of who is new, nothing."""
        return ("", "", "", (("Password: ", False),)) if self.takes_password else True

    def completed(self) -> None:
        """The client is in. Who is no member stays a stranger at the door until the call begins."""
        if self._member is not None:
            self._connection.pipe.proved()

    def terminal(self) -> tuple[asyncssh.SSHServerChannel[bytes], SshTerminal]:
        """The channel of who is in, and what it carries."""
        channel = self._connection.create_server_channel(encoding=None, window=WINDOW_BYTES)
        return channel, SshTerminal(self._connection, self._identity(), self._hub.switchboard)

    def _identity(self) -> Identity:
        if self._name.casefold() == GUEST_NAME:
            return Guest()
        if self._name.casefold() == NEW_NAME:
            return Newcomer(self._connection.public_key)
        if self._member is None:
            raise RuntimeError("a name is in, and nothing proved it")
        return self._member

    def _is(self, name: str, member: Member) -> bool:
        if name != self._name:  # the client has gone on to another one meanwhile
            return False
        self._member = member
        return True

    def _tell(self, text: str) -> None:
        if not self._connection.is_closed():
            self._connection.send_auth_banner(f"{text}\r\n")
