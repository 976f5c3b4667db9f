"""A door's program on its pseudo-terminal, with what a board wants to know beside its bytes."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Final

from tty_agent.transports.pty import Pty

_STOPPED_STATES: Final = frozenset("Tt")


class Program(Pty):
    """One run. As `Pty`; `close` hangs up and ends the program's groups by SIGHUP, SIGTERM and SIGKILL."""

    _code: int | None = None

    async def close(self) -> None:
        """As `Pty.close`, which forgets the process."""
        process = self._process
        await super().close()
        if process is not None:
            self._code = process.code

    @property
    def code(self) -> int | None:
        """Its exit status, or the negative number of the signal that ended it; None while it runs. Known after `close`
        too."""
        return self._code if self._process is None else self._process.code

    async def stopped(self) -> bool:
        """Whether a process in the foreground of its terminal is stopped, so that nobody can go on. Looks at every
        process of the machine: call it seldom."""
        group = None if self._terminal is None else self._terminal.foreground_group()
        return bool(group) and not _STOPPED_STATES.isdisjoint(await asyncio.to_thread(_states, str(group)))


def _states(group: str) -> set[str]:
    """The states of a process group's members, as letters; nothing where there is no /proc."""
    states = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):  # it ended while we looked
            state, _parent, its_group = (process / "stat").read_text().rpartition(")")[2].split()[:3]
            if its_group == group:
                states.add(state)
    return states
