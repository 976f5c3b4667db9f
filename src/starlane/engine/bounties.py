"""Bounties: credits that lie on a pilot's head until another shoots its ship down."""

from __future__ import annotations

from typing import Final

import msgspec

from starlane.engine.allies import allied
from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.engine.words import news, tell
from starlane.orders import PostBounty
from starlane.records import HAVEN, Bounty, Pilot
from starlane.reports import Done
from starlane.settings import MAX_AMOUNT

MIN_BOUNTY_CREDITS: Final = 100
"""Of one posting: each is a line in the Gazette, which must not be had for nothing."""


def post_bounty(world: World, pilot: Pilot, order: PostBounty) -> Done:
    """Put credits of `pilot` on another pilot's head, on top of what lies there. At Haven alone."""
    if pilot.sector != HAVEN:
        raise Refused("Bounties are posted at Haven; fly there first.")
    target = world.get(Pilot, order.target)
    if target is None or target.id == pilot.id:
        raise Refused("Name another pilot.")
    if allied(world, pilot.id, target.id):
        raise Refused(f"{target.name} is of your alliance; put your credits on somebody else.")
    if order.credits < MIN_BOUNTY_CREDITS:
        raise Refused(f"A bounty is {MIN_BOUNTY_CREDITS} credits at least.")
    if order.credits > pilot.credits:
        raise Refused(f"You have {pilot.credits:,} credits aboard; draw more from the bank, or offer less.")
    if on_head(world, target.id) + order.credits > MAX_AMOUNT:
        raise Refused(f"No more can lie on the head of {target.name}.")
    world.put(pilot.with_more(credits=-order.credits))
    _add(world, pilot.id, order)
    tell(world, target.id, f"{pilot.name} has put {order.credits:,} credits on your head.")
    news(world, f"{pilot.name} offers {order.credits:,} credits to whoever destroys the ship of {target.name}.")
    return Done(text=f"{order.credits:,} credits lie on the head of {target.name}.")


def on_head(world: World, target: int) -> int:
    """The credits that lie on the head of the pilot `target`."""
    return sum(bounty.credits for bounty in world.find(Bounty, target=target))


def collect(world: World, killer: Pilot, victim: Pilot) -> int:
    """Take what lies on the head of `victim` and return it; the caller gives it to `killer`. What its purse has no room
    for stays."""
    room = MAX_AMOUNT - killer.credits
    paid = 0
    for bounty in world.find(Bounty, target=victim.id):
        part = min(bounty.credits, room - paid)
        paid += part
        if part == bounty.credits:
            world.drop(bounty)
        else:
            world.put(msgspec.structs.replace(bounty, credits=bounty.credits - part))
    return paid


def _add(world: World, poster: int, order: PostBounty) -> None:
    """One record for a target and poster: the list stays as short as the rankings."""
    for bounty in world.find(Bounty, target=order.target, poster=poster):
        world.put(msgspec.structs.replace(bounty, credits=bounty.credits + order.credits))
        return
    world.add(Bounty(id=0, target=order.target, poster=poster, credits=order.credits))
