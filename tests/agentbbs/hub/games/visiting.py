"""A caller among the games: a visit with a real database, real matches in memory, and scripted bots.

async with a_hall(migrated, tmp_path) as hall:
    alice = hall.enrol("alice")
    there = await hall.visit(alice, AgentGames().run)      # ANSI, CP437
    await there.line.until("Key")
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from tests.agentbbs.hub.lines import ScriptedLine, VirtualClock, called
from tests.agentbbs.play.venue import Venue

from agentbbs.hub.caller import Caller
from agentbbs.hub.games import GameRoom
from agentbbs.hub.visit import Visit, Visitor
from agentbbs.play.ports import FinishedMatch
from agentbbs.store import accounts
from agentbbs.store.database import Database
from agentbbs.store.ledger import Ledger

NOON_MS: Final = 1_767_268_800_000
GUEST: Final = Visitor(None, "guest")


class Doing(list[str]):
    """What the others see, in turn."""

    def set_doing(self, node: int, doing: str) -> None:
        assert node == 1
        self.append(doing)


class There:
    """Somebody in a view; `task` is the stay in it."""

    def __init__(self, line: ScriptedLine, caller: Caller, task: asyncio.Task[None], doing: Doing) -> None:
        self.line = line
        self.caller = caller
        self.task = task
        self.doing = doing

    async def left(self) -> None:
        """Wait until the view is left."""
        async with asyncio.timeout(5):
            await self.task


class Hall:
    """Games, and who visits them."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.venue = Venue()
        self.room = GameRoom(self.venue.lobby, self.venue.runner, self.venue.audience, self.venue.house)
        self.visits: list[There] = []

    def enrol(self, name: str) -> Visitor:
        """A new account."""
        with self.database.begin() as conn:
            return Visitor(accounts.add(conn, name, now_ms=NOON_MS).id, name)

    def log(self, *matches: FinishedMatch) -> None:
        """Matches that were played before."""
        with self.database.writing_connection() as conn:
            Ledger().commit(conn, list(matches))

    async def visit(
        self,
        visitor: Visitor,
        view: Callable[[Visit], Awaitable[Any]],
        *,
        line: ScriptedLine | None = None,
        clock: VirtualClock | None = None,
    ) -> There:
        """Enter a view."""
        line = ScriptedLine() if line is None else line
        caller = await called(line, clock=clock)
        doing = Doing()
        board: Any = SimpleNamespace(
            database=self.database, games=self.room, presence=doing, now_ms=lambda: NOON_MS, settings=None
        )
        visit = Visit(board=board, caller=caller, visitor=visitor, node=1, line=line, began_ms=NOON_MS)

        async def stay() -> None:
            await view(visit)

        there = There(line, caller, asyncio.create_task(stay()), doing)
        self.visits.append(there)
        return there


@asynccontextmanager
async def a_hall(migrated: Path, folder: Path) -> AsyncIterator[Hall]:
    """Games with nobody in them, in the running loop."""
    database = Database(f"sqlite:///{shutil.copy(migrated, folder / 'games.db')}").open()
    hall = Hall(database)
    try:
        yield hall
    finally:
        for there in hall.visits:
            there.task.cancel()
        await asyncio.gather(*(there.task for there in hall.visits), return_exceptions=True)
        for there in hall.visits:
            there.caller.close()
        await database.close()


TERMINALS: Final[dict[str, dict[str, Any]]] = {
    "cp437": {"terminal": "ansi-bbs"},
    "utf-8": {"terminal": "xterm-256color"},
    "plain": {"terminal": "dumb", "answers": False},
}
"""The terminals of golden screens."""
