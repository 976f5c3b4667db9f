"""The door game in the demo: a world of its own, two bots that play it, and the rankings to look at."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.panel import Panel
from rich.text import Text

from agentbbs.doors.default_doors import STARLANE_FOLDER

WORLD: Final = ("--sectors", "200", "--turns-per-day", "5000", "--clock", "manual")
"""Small enough that pilots meet, and a day that outlasts the demo."""
PILOTS: Final = (("Admiral Wren", "admiral"), ("Trader Moth", "trader"))
"""Who plays, and at which level of `starlane-bot`."""
PACE_S: Final = "0.06"
"""What they wait before a key: about a turn a second, so that a person can follow."""
LOOK_S: Final = 3.0
"""Between two looks at the rankings: each is a process of a tenth of a second."""
RANKS: Final = 6
"""Pilots on the panel."""


class StarlaneGame:
    """Starlane on the demo's board, whose data folder is `data`. `begin` before anybody enters the door."""

    def __init__(self, data: Path) -> None:
        self._folder = data / STARLANE_FOLDER
        self._scores: list[dict[str, Any]] = []
        self._looked_at = -LOOK_S

    async def begin(self) -> list[asyncio.subprocess.Process]:
        """Make the world, and start its bots; theirs are the processes."""
        await self._starlane("new", *WORLD)
        return [await self._bot(name, level) for name, level in PILOTS]

    async def look(self, now: float) -> None:
        """Read the rankings, if the last look is long enough ago. `now` in seconds of a clock that never goes back."""
        if now - self._looked_at < LOOK_S:
            return
        self._looked_at = now
        told = await self._starlane("scores", "--json")
        if told:
            self._scores = msgspec.json.decode(told)["scores"]

    def panel(self) -> Panel:
        """The rankings."""
        lines = Text()
        for row in self._scores[:RANKS]:
            lines.append(f"{row['rank']:>2} {row['name']:<13.13} {row['net_worth']:>9,}\n")
        lines.rstrip()
        return Panel(lines or "the pilots set out", title="Starlane (net worth)", title_align="left", expand=False)

    async def _starlane(self, command: str, *options: str) -> bytes:
        """What `starlane` says on its standard output; nothing if it failed."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "starlane", command, "--data", str(self._folder), *options),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        told, _ = await process.communicate()
        return told if process.returncode == 0 else b""

    async def _bot(self, name: str, level: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "starlane.bots.cli", "--level", level, "--name", name),
            *("--data", str(self._folder), "--pace", PACE_S),
            env=dict(os.environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the demo; it ends the bots in order
        )
