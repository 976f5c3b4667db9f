"""Doors in tests: an operator's table as a value, and a caller in memory who is in one."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.line import Size
from agentbbs.doors import cage
from agentbbs.doors.config import Door
from agentbbs.doors.dropfiles import DropfileFacts
from agentbbs.doors.ending import DoorEnd
from agentbbs.doors.runner import DoorRunner
from tty_agent.terminal.dialect import Encoding

END_S: Final = 10
"""No stay takes nearly as long to end; a test that waits longer has failed."""

_WHY_NO_CAGE: Final = asyncio.run(cage.refusal())
needs_cage: Final = pytest.mark.skipif(_WHY_NO_CAGE is not None, reason=_WHY_NO_CAGE or "")


def needs(program: str) -> pytest.MarkDecorator:
    """Skips where the program is not installed."""
    return pytest.mark.skipif(shutil.which(program, path=cage.PATH) is None, reason=f"{program} is not installed")


def facts_of(handle: str = "alice", *, node: int = 1, record: int = 7, **more: Any) -> DropfileFacts:
    return DropfileFacts(
        board="House", node=node, record=record, handle=handle, now=datetime(2026, 11, 30, tzinfo=UTC), **more
    )


def door_of(folder: Path, *command: str, **more: Any) -> Door:
    """A door without the cage that runs `bash -c COMMAND`, or the command's words; `trusted=False` cages it."""
    words = command if len(command) > 1 else ("bash", "-c", *command)
    fields: dict[str, Any] = {"id": "game", "title": "Game", "trusted": True, "encoding": Encoding.UTF_8} | more
    return Door(command=words, directory=folder, **fields)


async def until(seen: Callable[[], object]) -> None:
    """Wait for what another process does, of which nobody tells: a file, an end."""
    async with asyncio.timeout(END_S):
        while not seen():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)


class Caller:
    """Somebody in a door."""

    def __init__(self, line: ScriptedLine, stay: asyncio.Task[DoorEnd]) -> None:
        self.line = line
        self._stay = stay

    async def end(self) -> DoorEnd:
        async with asyncio.timeout(END_S):
            return await self._stay

    async def until(self, text: str) -> str:
        return await self.line.until(text)


@asynccontextmanager
async def entered(
    runner: DoorRunner,
    door: Door,
    facts: DropfileFacts | None = None,
    *,
    terminal: str = "xterm",
    size: Size | None = None,
) -> AsyncIterator[Caller]:
    """A caller who goes into the door; whoever is still in it at the end is cut off."""
    line = ScriptedLine(terminal=terminal, size=size)
    stay = asyncio.create_task(
        runner.run(door, facts or facts_of(), line, encoding=line.encoding, size=line.size, terminal=line.terminal)
    )
    try:
        yield Caller(line, stay)
    finally:
        stay.cancel()
        await asyncio.gather(stay, return_exceptions=True)
