"""A board with a real database, to call in memory.

async with a_house(migrated, tmp_path) as house:
    house.enrol("alice", "a long password")
    line = ScriptedLine()
    visit = house.call(line)                       # a stranger, as over telnet
    await line.until("Login:")
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, cast

from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.identity import Identity, Member, Stranger
from agentbbs.calls.reception import Call
from agentbbs.doors.config import Door
from agentbbs.doors.runner import DoorRunner
from agentbbs.hub.board import Board, BoardSettings
from agentbbs.hub.catalog import Broken
from agentbbs.hub.endpoint_probe import EndpointProbe
from agentbbs.hub.nodes import Nodes
from agentbbs.hub.plugin import Plugin
from agentbbs.store import accounts, passwords, preferences
from agentbbs.store.database import Database
from agentbbs.store.logins import Logins
from agentbbs.store.preferences import Preferences
from agentbbs.store.registration import Registrations

NOON_MS: Final = 1_767_268_800_000
"""2026-01-01 12:00 UTC, when every board of the tests stands still until it is told."""

VISIT_S: Final = 5
"""No visit takes nearly as long to end."""


class House:
    """A board and who calls it."""

    def __init__(self, board: Board, database: Database) -> None:
        self.board = board
        self.database = database
        self._visits: set[asyncio.Task[None]] = set()

    def enrol(self, name: str, password: str | None = None, *, sysop: bool = False, toured: bool = True) -> int:
        """Make an account that has seen the tour, unless it says otherwise; gives its id."""
        with self.database.begin() as conn:
            account = accounts.add(conn, name, sysop=sysop, now_ms=NOON_MS).id
            if password is not None:
                accounts.set_password_hash(conn, account, passwords.hash_password(password))
            if toured:
                preferences.save(conn, account, Preferences(tour_seen=True))
        return account

    def member(self, name: str, *, sysop: bool = False) -> Member:
        """A new account, as SSH lets it in."""
        return Member(self.enrol(name, sysop=sysop), name, sysop)

    def call(
        self, line: ScriptedLine, identity: Identity | None = None, *, door: str | None = None
    ) -> asyncio.Task[None]:
        """Call the board; the task is the whole visit."""
        visit = asyncio.create_task(self.board.receive(Call(line, identity or Stranger(), door)))
        self._visits.add(visit)
        return visit

    async def at_menu(self, identity: Identity, line: ScriptedLine | None = None) -> ScriptedLine:
        """The line of a caller that stands at the main menu."""
        line = line or ScriptedLine(transport="ssh")
        self.call(line, identity)
        await line.until("[Hit a key]")
        line.press("x")
        await line.until("Main menu:")
        return line

    async def closed(self) -> None:
        """Hang up on everybody, and wait for the visits to end."""
        for present in self.board.presence.everyone():
            self.board.presence.kick(present.node, "The test is over.")
        for visit in self._visits:
            visit.cancel()
        if self._visits:
            await asyncio.wait(self._visits, timeout=VISIT_S)


@asynccontextmanager
async def a_house(
    migrated: Path,
    folder: Path,
    *,
    plugins: Sequence[Plugin] = (),
    broken: Sequence[Broken] = (),
    nodes: int = 8,
    now_ms: int = NOON_MS,
    games: Any = None,
    chat: Any = None,
    doors: Sequence[Door] = (),
    probe: EndpointProbe | None = None,
    **settings: Any,
) -> AsyncIterator[House]:
    """A board with these plugins; `settings` are fields of `BoardSettings`."""
    database = Database(f"sqlite:///{shutil.copy(migrated, folder / 'house.db')}")
    logins = Logins(database)
    chosen = BoardSettings(**settings)
    board = Board(
        database,
        nodes=Nodes(nodes),
        passwords=logins,
        registrations=Registrations(database, chosen.registration),
        games=cast("Any", games),
        chat=cast("Any", chat),
        doors=DoorRunner(folder / "data", doors),
        plugins=plugins,
        broken=broken,
        settings=chosen,
        probe=probe,
        now_ms=lambda: now_ms,
    )
    house = House(board, database)
    try:
        yield house
    finally:
        await house.closed()
        logins.close()
        await database.close()
