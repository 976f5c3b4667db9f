"""Turns: what a day gives, and what is spent on flying, docking, landing and fighting."""

from __future__ import annotations

import msgspec

from starlane.engine.ports import Sky, World
from starlane.engine.refusal import Refused
from starlane.records import Pilot


def with_turns_of_today(sky: Sky, pilot: Pilot) -> Pilot:
    """The pilot with the turns that a new day gives it; the same one if it has had them. What is left of another day
    is gone."""
    if pilot.turns_day >= sky.today:
        return pilot
    return msgspec.structs.replace(pilot, turns=sky.settings.turns_per_day, turns_day=sky.today)


def require_turn(pilot: Pilot) -> None:
    """Raises Refused if the pilot has no turn left."""
    if pilot.turns < 1:
        raise Refused("You have no turns left today; more come with the next day.")


def spend_turn(world: World, pilot: Pilot) -> Pilot:
    """The pilot with one turn less, kept. Raises Refused if it has none left."""
    require_turn(pilot)
    spent = pilot.with_more(turns=-1)
    world.put(spent)
    return spent
