"""Alliances: founding, inviting, joining, leaving."""

from __future__ import annotations

from typing import Final

import msgspec

from starlane.engine.orbit import turn_away
from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.engine.texts import entered_name
from starlane.engine.words import chat, news, tell
from starlane.orders import Expel, Found, Invite, Join, Quit
from starlane.records import NOBODY, Alliance, Invitation, Pilot, Planet
from starlane.reports import Done

MAX_MEMBERS: Final = 8
"""Of one alliance: enough for company, too few for everybody to be allied."""
MAX_INVITATIONS: Final = 16
"""Of one alliance that wait for an answer; the oldest lapses with the next."""


def found(world: World, pilot: Pilot, order: Found) -> Done:
    """See `orders.Found`. Names are told apart without regard to case."""
    if pilot.alliance != NOBODY:
        raise Refused(f"You are in {_alliance(world, pilot.alliance).name}; quit it first.")
    name = entered_name(order.name)
    if any(other.name.casefold() == name.casefold() for other in world.find(Alliance)):
        raise Refused(f"There is an alliance called {name} already; choose another name.")
    alliance = world.add(Alliance(id=0, name=name, leader=pilot.id, founded_day=world.today))
    world.put(msgspec.structs.replace(pilot, alliance=alliance.id))
    news(world, f"{pilot.name} has founded the alliance {name}.")
    return Done(text=f"{name} is founded, and you lead it. Invite others.")


def invite(world: World, pilot: Pilot, order: Invite) -> Done:
    """See `orders.Invite`. The guest may be in another alliance still."""
    alliance = _led(world, pilot)
    guest = world.get(Pilot, order.pilot)
    if guest is None:
        raise Refused("There is no such pilot.")
    if guest.alliance == alliance.id:
        raise Refused(f"{guest.name} is in {alliance.name} already.")
    _check_room(world, alliance)
    waiting = world.find(Invitation, alliance=alliance.id)
    if any(invitation.pilot == guest.id for invitation in waiting):
        raise Refused(f"{guest.name} has an invitation already.")
    for lapsed in waiting[: max(0, len(waiting) - MAX_INVITATIONS + 1)]:
        world.drop(lapsed)
    world.add(Invitation(id=0, alliance=alliance.id, pilot=guest.id))
    chat(world, guest.id, f"{pilot.name} invites you to join the alliance {alliance.name}.")
    return Done(text=f"{guest.name} is invited to {alliance.name}.")


def join(world: World, pilot: Pilot, order: Join) -> Done:
    """See `orders.Join`."""
    if pilot.alliance != NOBODY:
        raise Refused(f"You are in {_alliance(world, pilot.alliance).name}; quit it first.")
    invitations = world.find(Invitation, alliance=order.alliance, pilot=pilot.id)
    if not invitations:
        raise Refused("That alliance has not invited you.")
    alliance = _alliance(world, order.alliance)
    _check_room(world, alliance)
    for invitation in invitations:
        world.drop(invitation)
    _tell_members(world, alliance, f"{pilot.name} has joined {alliance.name}.")
    world.put(msgspec.structs.replace(pilot, alliance=alliance.id))
    news(world, f"{pilot.name} has joined {alliance.name}.")
    return Done(text=f"You are in {alliance.name} now.")


def quit_alliance(world: World, pilot: Pilot, order: Quit) -> Done:  # noqa: ARG001 - handlers take their order
    """See `orders.Quit`."""
    if pilot.alliance == NOBODY:
        raise Refused("You are in no alliance.")
    alliance = _alliance(world, pilot.alliance)
    _part(world, pilot)
    news(world, f"{pilot.name} has left {alliance.name}.")
    members = world.find(Pilot, alliance=alliance.id)
    if not members:
        for invitation in world.find(Invitation, alliance=alliance.id):
            world.drop(invitation)
        world.drop(alliance)
        news(world, f"{alliance.name} is no more.")
        return Done(text=f"You have left {alliance.name}. You were the last, and it is no more.")
    told = f"{pilot.name} has left {alliance.name}."
    if alliance.leader == pilot.id:
        alliance = msgspec.structs.replace(alliance, leader=members[0].id)
        world.put(alliance)
        told = f"{told} {members[0].name} leads it now."
    _tell_members(world, alliance, told)
    return Done(text=f"You have left {alliance.name}.")


def expel(world: World, pilot: Pilot, order: Expel) -> Done:
    """See `orders.Expel`."""
    alliance = _led(world, pilot)
    member = world.get(Pilot, order.pilot)
    if member is None or member.alliance != alliance.id:
        raise Refused("There is no such pilot in your alliance.")
    if member.id == pilot.id:
        raise Refused("You can't put yourself out; quit the alliance.")
    _part(world, member)
    tell(world, member.id, f"{pilot.name} has put you out of {alliance.name}.")
    _tell_members(world, alliance, f"{member.name} is no longer in {alliance.name}.", but=pilot.id)
    news(world, f"{alliance.name} has put out {member.name}.")
    return Done(text=f"{member.name} is no longer in {alliance.name}.")


def _alliance(world: World, number: int) -> Alliance:
    alliance = world.get(Alliance, number)
    if alliance is None:
        raise Refused("There is no such alliance.")
    return alliance


def _led(world: World, pilot: Pilot) -> Alliance:
    if pilot.alliance == NOBODY:
        raise Refused("You are in no alliance; found one first.")
    alliance = _alliance(world, pilot.alliance)
    if alliance.leader != pilot.id:
        raise Refused(f"Only the leader of {alliance.name} can do that.")
    return alliance


def _check_room(world: World, alliance: Alliance) -> None:
    if world.count(Pilot, alliance=alliance.id) >= MAX_MEMBERS:
        raise Refused(f"{alliance.name} has {MAX_MEMBERS} members, and takes no more.")


def _tell_members(world: World, alliance: Alliance, text: str, but: int = NOBODY) -> None:
    for member in world.find(Pilot, alliance=alliance.id):
        if member.id != but:
            tell(world, member.id, text)


def _part(world: World, pilot: Pilot) -> None:
    """Out of its alliance, off the planets of its members, and they off its own."""
    world.put(msgspec.structs.replace(pilot, alliance=NOBODY))
    turn_away(world, pilot.planet)
    for planet in world.find(Planet, owner=pilot.id):
        turn_away(world, planet.id)
