"""Pickets: fighters that stand in a sector, and what they do with strangers."""

from __future__ import annotations

import msgspec

from starlane.engine.allies import allied
from starlane.engine.engagement import require_open_space
from starlane.engine.ports import World
from starlane.engine.protection import newcomer, require_unprotected
from starlane.engine.refusal import Refused
from starlane.engine.ship_loss import lose_ship
from starlane.engine.texts import counted
from starlane.engine.words import tell
from starlane.flows import Flow
from starlane.goods import Good
from starlane.orders import Deploy
from starlane.records import Picket, Pilot
from starlane.reports import Done
from starlane.rules.combat import volley
from starlane.settings import MAX_AMOUNT, MAX_FIGHTERS


def deploy(world: World, pilot: Pilot, order: Deploy) -> Done:
    """See `orders.Deploy`. Fighters go out of the ship and come back aboard; it takes no turn."""
    require_open_space(world, pilot.sector)
    picket = world.get(Picket, pilot.sector)
    if picket is not None and picket.owner != pilot.id:
        raise Refused(f"The picket of {_name(world, picket.owner)} stands here; a sector has room for one.")
    standing = 0 if picket is None else picket.fighters
    most = min(pilot.fighters + standing, MAX_AMOUNT)
    least = max(0, pilot.fighters + standing - MAX_FIGHTERS)
    if not least <= order.fighters <= most:
        raise Refused(f"The picket can have {least:,} to {most:,} fighters.")
    if order.fighters > standing:
        require_unprotected(pilot, world.today)
    world.put(pilot.with_more(fighters=standing - order.fighters))
    if order.fighters:
        world.put(Picket(sector=pilot.sector, owner=pilot.id, fighters=order.fighters, stance=order.stance))
        return Done(text=f"{counted(order.fighters, Good.FIGHTERS)} on picket here: {order.stance}.")
    if picket is not None:
        world.drop(picket)
    return Done(text="No fighters of yours stand here.")


def barrier(world: World, pilot: Pilot, to: int) -> Picket | None:
    """The picket that bars `pilot` the way into sector `to`.

    None where there is none, where it is the pilot's own or an ally's, and where either of the two is a newcomer: a
    newcomer can't be shut in by others and shuts nobody out.
    """
    picket = world.get(Picket, to)
    if picket is None or picket.fighters == 0 or allied(world, pilot.id, picket.owner):
        return None
    owner = world.get(Pilot, picket.owner)
    if newcomer(pilot, world.today) or owner is None or newcomer(owner, world.today):
        return None
    return picket


def hunted(world: World, pilot: Pilot, picket: Picket) -> tuple[Pilot, int, bool]:
    """`pilot`, kept, after the shots of a `picket` of hunters that stopped it; the fighters that it lost; whether it
    lost its ship too and has started afresh. Nobody shoots at a pilot under protection."""
    if pilot.protected(world.today):
        return pilot, 0, False
    hits = volley(world.dice, picket.fighters)
    lost = min(hits, pilot.fighters)
    world.flow(Flow.BATTLE, Good.FIGHTERS, -lost)
    shot_at = pilot.with_more(fighters=-lost)
    if hits <= pilot.fighters:
        world.put(shot_at)
        tell(world, picket.owner, f"Your hunters in sector {picket.sector} shot at {pilot.name}.")
        return shot_at, lost, False
    owner = world.get(Pilot, picket.owner)
    if owner is not None:
        world.put(owner.with_more(kills=1))
    tell(world, picket.owner, f"Your hunters in sector {picket.sector} destroyed the ship of {pilot.name}.")
    return lose_ship(world, shot_at, f"the hunters of {_name(world, picket.owner)}", shot_down=lost), lost, True


def stood_down(world: World, picket: Picket, lost: int) -> Picket | None:
    """The picket, kept, after so many of its fighters were shot down; None, dropped, if that were all."""
    if lost >= picket.fighters:
        world.drop(picket)
        return None
    left = msgspec.structs.replace(picket, fighters=picket.fighters - lost)
    world.put(left)
    return left


def _name(world: World, number: int) -> str:
    pilot = world.get(Pilot, number)
    return "nobody" if pilot is None else pilot.name
