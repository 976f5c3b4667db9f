"""The way into the boards: the list of areas, with what is new in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentbbs.hub.listing import Column, Listing
from agentbbs.hub.plugin import Access
from agentbbs.hub.plugins.boards.finding import find
from agentbbs.hub.plugins.boards.reading import read_new
from agentbbs.hub.plugins.boards.reading_room import FAULTS, ReadingRoom, count_new
from agentbbs.hub.plugins.boards.threads import ThreadList
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import Command
from agentbbs.hub.visit import Visit
from agentbbs.hub.writing import sentence
from agentbbs.store import boards, moderation
from agentbbs.store.boards import Area

READ_NEW: Final = Command("N", "read all new")
SEARCH: Final = Command("S", "search")
ADD_AREA: Final = Command("A", "add an area")

TABLE: Final = (
    Column("Area", 20),
    Column("Threads", 7, right=True),
    Column("New", 4, right=True),
    Column("About", None, from_columns=60),
)


class Boards:
    """The plugin."""

    id = "boards"
    title = "Message boards"
    key = "B"
    access = Access.GUEST

    async def run(self, visit: Visit) -> None:
        """One stay at the boards."""
        await _AreaList(ReadingRoom.of(visit)).run()


PLUGIN: Final = Boards()


class _AreaList:
    def __init__(self, room: ReadingRoom) -> None:
        self._room = room
        self._listing = Listing(room.caller)
        self._said: Text = ""

    async def run(self) -> None:
        """Until the reader wants back to the menu."""
        room = self._room
        commands = [READ_NEW] * room.member + [SEARCH] + [ADD_AREA] * room.sysop
        while True:
            room.doing("at the boards")
            areas = await room.database.read(boards.areas, room.reader)
            said, self._said = self._said, ""
            new = sum(area.new for area in areas)
            right = f"{new} new" if room.member else "guests read"
            chosen = await self._listing.pick("Message boards", TABLE, _rows(areas), commands, right=right, said=said)
            if chosen == "Q":
                return
            try:
                await self._do(chosen, areas)
            except FAULTS as fault:
                self._said = sentence(fault)

    async def _do(self, chosen: int | str, areas: Sequence[Area]) -> None:
        room = self._room
        if isinstance(chosen, int):
            await ThreadList(room, areas[chosen].id).run()
        elif chosen == READ_NEW.key:
            self._said = await read_new(room)
        elif chosen == SEARCH.key:
            await find(room)
        elif chosen == ADD_AREA.key:
            await self._add()

    async def _add(self) -> None:
        room = self._room
        name = await room.caller.ask("Name of the area: ", max_chars=moderation.MAX_AREA_NAME_CHARS)
        if not name:
            return
        about = await room.caller.ask("What it is about: ", max_chars=moderation.MAX_DESCRIPTION_CHARS)
        if not about:
            return
        await room.database.write(moderation.add_area, room.reader, name, about, now_ms=room.now_ms)
        self._said = (Span("The area is open: ", Style.GOOD), name)


def _rows(areas: Sequence[Area]) -> list[list[Span]]:
    return [
        [
            Span(area.name, Style.TITLE),
            Span(str(area.threads)),
            count_new(area.new),
            Span(area.description, Style.DIM),
        ]
        for area in areas
    ]
