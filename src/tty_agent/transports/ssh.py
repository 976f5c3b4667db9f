"""SSH as a transport: a channel with a terminal, on asyncssh."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tty_agent.terminal.dialect import XTERM
from tty_agent.transports.inbox import Inbox
from tty_agent.transports.ssh_login import HostKeys, SshLogin
from tty_agent.transports.transport import DEFAULT_OPEN_TIMEOUT_S, End, EndKind

if TYPE_CHECKING:
    from tty_agent.transports.ssh_channel import SshChannel

SSH_PORT = 22
KNOWN_HOSTS = "~/.ssh/known_hosts"


class Ssh:
    """An SSH client. Host keys are checked against `known_hosts` (default: the user's own file) and unknown ones
    refused, unless `accept_new` or `insecure` says otherwise. Without `password` and `key_file` the keys of the
    agent and of the user are tried. `command` None is the user's shell. The configuration of OpenSSH is not read.
    """

    name = "ssh"
    dialect = XTERM

    def __init__(
        self,
        host: str,
        port: int = SSH_PORT,
        *,
        user: str,
        password: str | None = None,
        key_file: str | os.PathLike[str] | None = None,
        known_hosts: str | os.PathLike[str] = KNOWN_HOSTS,
        accept_new: bool = False,
        insecure: bool = False,
        terminal_type: str = "xterm-256color",
        command: str | None = None,
        open_timeout_s: float = DEFAULT_OPEN_TIMEOUT_S,
    ) -> None:
        if accept_new and insecure:
            raise ValueError("accept_new and insecure exclude each other: choose one")
        policy = HostKeys.INSECURE if insecure else HostKeys.ACCEPT_NEW if accept_new else HostKeys.STRICT
        self._login = SshLogin(
            host=host,
            port=port,
            user=user,
            password=password,
            key_file=Path(key_file).expanduser() if key_file is not None else None,
            known_hosts_file=Path(known_hosts).expanduser(),
            host_keys=policy,
            terminal_type=terminal_type,
            command=command,
            open_timeout_s=open_timeout_s,
        )
        self._channel: SshChannel | None = None
        self._inbox = Inbox()

    @property
    def metadata(self) -> dict[str, object]:
        """As the contract says."""
        login = self._login
        return {
            "transport": self.name,
            "host": login.host,
            "port": login.port,
            "user": login.user,
            "terminal_type": login.terminal_type,
            "host_keys": login.host_keys.value,
        }

    @property
    def end(self) -> End | None:
        """As the contract says."""
        return self._inbox.end

    async def open(self, columns: int, rows: int) -> None:
        """Connect and log in. Raises CannotConnect."""
        from tty_agent.transports.ssh_channel import open_channel  # noqa: PLC0415 - asyncssh loads slowly

        self._channel = await open_channel(self._login, self._inbox, columns, rows)

    async def read(self) -> bytes:
        """As the contract says."""
        return await self._inbox.take()

    async def room(self) -> None:
        """As the contract says."""
        if self._channel is not None and self._inbox.end is None:
            await self._channel.room()

    async def write(self, data: bytes) -> None:
        """As the contract says."""
        if self._channel is not None and self._inbox.end is None and data:
            await self._channel.write(data)

    async def resize(self, columns: int, rows: int) -> None:
        """As the contract says."""
        if self._channel is not None and self._inbox.end is None:
            self._channel.resize(columns, rows)

    async def close(self) -> None:
        """As the contract says."""
        self._inbox.finish(End(EndKind.HUNG_UP, "we hung up"))
        if self._channel is not None:
            await self._channel.close()
            self._channel = None  # not before: a call after one that was cancelled goes on with it
