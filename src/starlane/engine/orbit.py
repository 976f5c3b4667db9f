"""Off a planet that has become a stranger's."""

from __future__ import annotations

import msgspec

from starlane.engine.allies import allied
from starlane.engine.ports import World
from starlane.engine.words import tell
from starlane.records import NOBODY, Pilot, Planet


def turn_away(world: World, planet: int) -> None:
    """Bring every ship on `planet` into orbit whose pilot is no friend of its owner, and tell the pilot.

    To be called when the planet has another owner, or its owner other friends. It changes records of pilots: read
    again those that are held.
    """
    ground = world.get(Planet, planet)
    if ground is None or ground.owner == NOBODY:
        return
    for pilot in world.find(Pilot, planet=planet):
        if not allied(world, pilot.id, ground.owner):
            world.put(msgspec.structs.replace(pilot, planet=NOBODY))
            tell(world, pilot.id, f"{ground.name} is no longer open to you; your ship is in orbit.")
