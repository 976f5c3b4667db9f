"""Doors: the list of them with who is in which."""

from __future__ import annotations

from typing import Final

from agentbbs.doors.config import Door
from agentbbs.doors.runner import DoorRunner
from agentbbs.hub.door_visit import enter
from agentbbs.hub.plugin import Access
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.visit import Visit

AMONG_DOORS: Final = "at the doors"


class Doors:
    """The plugin."""

    id = "doors"
    title = "Doors"
    key = "D"
    access = Access.MEMBER

    async def run(self, visit: Visit) -> None:
        """Choose and enter, until the caller wants back."""
        caller = visit.caller
        runner: DoorRunner = visit.board.doors
        if not runner.doors:
            caller.say("This board has no doors yet.")
            return
        while True:
            doors = list(runner.doors.values())
            index = await caller.choose("Which door? ", [_listed(door, runner) for door in doors])
            if index is None:
                return
            door = doors[index]
            visit.board.presence.set_doing(visit.node, f"in {door.title}")
            await enter(visit, door)
            visit.board.presence.set_doing(visit.node, AMONG_DOORS)
            await caller.pause()


PLUGIN: Final = Doors()


def _listed(door: Door, runner: DoorRunner) -> Text:
    inside = runner.occupants(door.id)
    if not inside:
        return door.title
    names = ", ".join(f"{occupant.name} (node {occupant.node})" for occupant in inside)
    full = "full: " if len(inside) >= door.concurrent else "in it: "
    return (door.title, "  ", Span(full, Style.DIM), Span(names, Style.NAME))
