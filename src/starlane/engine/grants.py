"""What the operator gives to pilots."""

from __future__ import annotations

import msgspec

from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.engine.turns import with_turns_of_today
from starlane.engine.words import tell
from starlane.orders import GrantTurns
from starlane.records import Pilot
from starlane.reports import Done
from starlane.settings import MAX_AMOUNT


def grant_turns(world: World, order: GrantTurns) -> Done:
    """See `orders.GrantTurns`. On top of what the day gives, which is given first if it has not been yet."""
    pilot = world.get(Pilot, order.pilot)
    if pilot is None:
        raise Refused("There is no such pilot.")
    pilot = with_turns_of_today(world, pilot)
    turns = min(MAX_AMOUNT, max(0, pilot.turns + order.turns))
    world.put(msgspec.structs.replace(pilot, turns=turns))
    change = turns - pilot.turns
    if change:
        done = "given you" if change > 0 else "taken from you"
        tell(world, pilot.id, f"The operator has {done} {abs(change):,} {'turn' if abs(change) == 1 else 'turns'}.")
    return Done(text=f"{pilot.name} has {turns:,} {'turn' if turns == 1 else 'turns'} now.")
