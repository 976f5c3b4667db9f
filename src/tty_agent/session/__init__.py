"""A terminal session: a transport, a transcript, a screen and turns."""

from __future__ import annotations

from tty_agent.session.session import TerminalSession

__all__ = ["TerminalSession"]
