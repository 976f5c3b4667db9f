"""Where to, as whom and whom to trust, for an SSH connection."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import msgspec


class HostKeys(StrEnum):
    """What to do about the key of a host that the known hosts do not have. A key other than the known one is
    refused by the first two."""

    STRICT = "strict"
    """Refuse."""
    ACCEPT_NEW = "accept_new"
    """Take it and write it down."""
    INSECURE = "insecure"
    """Any key will do, as on a loopback with throw-away servers. Whoever sits in between sees all."""


class SshLogin(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one connection. `repr` shows no password."""

    host: str
    port: int
    user: str
    password: str | None
    key_file: Path | None
    """A private key. With neither it nor a password: the agent's keys and the user's own."""
    known_hosts_file: Path
    host_keys: HostKeys
    terminal_type: str
    command: str | None
    """None: the user's shell."""
    open_timeout_s: float

    def __repr__(self) -> str:
        """Without the password."""
        return f"SshLogin({self.user}@{self.host}:{self.port})"
