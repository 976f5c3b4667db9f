"""A call that is ready to be made: the line, and the login that it needs."""

from __future__ import annotations

import msgspec

from bbs_gym.login.dialogue import Dialogue
from tty_agent.transports.transport import Transport


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """Made by `telnet`, `rlogin` or `ssh`; good for one connection. Its repr shows no password."""

    transport: Transport
    dialogue: Dialogue
    alias: str
    password: str | None = None
    """What is typed behind a password prompt; None where nothing is to be typed: none is had, or the line brings it."""

    def __repr__(self) -> str:
        """Without the password."""
        return f"Call({self.transport.name}, {self.alias!r})"
