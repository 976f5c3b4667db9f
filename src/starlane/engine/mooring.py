"""Ships off their moorings: out of port and off the ground."""

from __future__ import annotations

import msgspec

from starlane.engine.ports import World
from starlane.records import NOBODY, Bargain, Pilot


def out_of_port(world: World, pilot: Pilot) -> Pilot:
    """The pilot outside of any port, its bargain over; it is for the caller to keep."""
    bargain = world.get(Bargain, pilot.id)
    if bargain is not None:
        world.drop(bargain)
    return msgspec.structs.replace(pilot, docked=False, spoilt=0)


def in_space(world: World, pilot: Pilot) -> Pilot:
    """As `out_of_port`, and off the planet."""
    return msgspec.structs.replace(out_of_port(world, pilot), planet=NOBODY)
