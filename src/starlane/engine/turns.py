"""Turns: what a day gives, and what is spent on flying, docking, landing and fighting."""

from __future__ import annotations

from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.records import Pilot


def spend_turn(world: World, pilot: Pilot) -> Pilot:
    """The pilot with one turn less, kept. Raises Refused if it has none left."""
    if pilot.turns < 1:
        raise Refused("You have no turns left today; more come with the next day.")
    spent = pilot.with_more(turns=-1)
    world.put(spent)
    return spent
