"""People who call the BBS of a real venue by real clients, each on a terminal of its own."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.conftest import VenueProcess

from tty_agent.session.session import TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.transports.pty import Pty

SOON_S: Final = 20.0
"""No answer of the board takes nearly as long on the slowest machine."""

LOOK_S: Final = 0.02
"""Between two looks at a screen that does not show yet what is waited for."""

PASSWORD: Final = "correct horse battery"

CLIENTS: Final = {"ssh": "ssh", "telnet": "inetutils-telnet", "rlogin": "netkit-rlogin"}
"""The program by which one calls; Debian's openssh-client, inetutils-telnet and rsh-client have them."""


def needs(transport: str) -> pytest.MarkDecorator:
    """The test calls by that transport."""
    client = CLIENTS[transport]
    return pytest.mark.skipif(shutil.which(client) is None, reason=f"{client} is not installed")


class Person:
    """Somebody on the line."""

    def __init__(self, session: TerminalSession) -> None:
        self._session = session

    @property
    def screen(self) -> str:
        """What the terminal shows."""
        return self._session.screen.text()

    async def see(self, text: str) -> str:
        """Wait until the screen shows it; returns the screen."""
        try:
            async with asyncio.timeout(SOON_S):
                while text not in self.screen:
                    await self._session.observe(LOOK_S)
        except TimeoutError:
            raise AssertionError(f"{text!r} was not shown, but:\n{self.screen}") from None
        return self.screen

    async def type(self, keys: str, then: str = "") -> str:
        """Press keys, and see `then`, which was not there before."""
        await self._session.write(keys.encode())
        return await self.see(then)

    async def enter(self, line: str, then: str = "") -> str:
        """Type a line and Enter."""
        return await self.type(f"{line}\r", then)

    async def gone(self) -> None:
        """Wait until the client has ended."""
        async with asyncio.timeout(SOON_S):
            while self._session.end is None:
                await self._session.observe(LOOK_S)


class Board:
    """A venue whose BBS can be called."""

    def __init__(self, venue: VenueProcess, folder: Path) -> None:
        self.venue = venue
        self._folder = folder
        self._password = folder / "password"
        self._password.write_text(f"{PASSWORD}\n")

    def member(self, name: str) -> None:
        """An account with a key and the password."""
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.key(name))], check=True)
        more = ("--key", f"{self.key(name)}.pub", "--password-file", str(self._password))
        made = self.venue.cli("user", "add", name, *more)
        assert made.returncode == 0, made.stderr

    def key(self, name: str) -> Path:
        """The private key of a name."""
        return self._folder / f"key-{name}"

    def address(self, transport: str) -> tuple[str, str]:
        """Host and port."""
        host, _, port = json.loads((self.venue.data / "venue.json").read_text())[transport].rpartition(":")
        return host, port

    @asynccontextmanager
    async def call(self, transport: str, name: str) -> AsyncIterator[Person]:
        """A call under that name, up to the first thing that the board says."""
        command = self._command(transport, name)
        session = TerminalSession(Pty(command, dialect=XTERM), agent_id=name, dialect=XTERM, columns=80, rows=24)
        async with session:
            yield Person(session)

    @asynccontextmanager
    async def visit(self, transport: str, name: str) -> AsyncIterator[Person]:
        """A call of a member, at the main menu."""
        async with self.call(transport, name) as person:
            await person.see("Node")
            if transport == "telnet":
                await person.see("Login:")
                await person.enter(name, "Password:")
                await person.enter(PASSWORD, "Welcome")
                assert PASSWORD not in person.screen
            await person.see("[Hit a key]")
            await person.type(" ", "Main menu:")
            yield person

    def _command(self, transport: str, name: str) -> tuple[str, ...]:
        host, port = self.address(transport)
        if transport == "telnet":
            return (CLIENTS["telnet"], host, port)
        if transport == "rlogin":
            return (CLIENTS["rlogin"], "-8", "-i", PASSWORD, "-l", name, "-p", port, host)
        key = self.key(name)
        proof = ("-o", "IdentitiesOnly=yes", "-i", str(key)) if key.exists() else ("-o", "IdentityFile=none")
        known = f"UserKnownHostsFile={self._folder / 'known_hosts'}"
        trust = ("-o", known, "-o", "StrictHostKeyChecking=accept-new", "-o", "LogLevel=ERROR")
        return (CLIENTS["ssh"], "-F", "/dev/null", *proof, *trust, "-p", port, f"{name}@{host}")
