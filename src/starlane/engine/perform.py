"""One order carried out: who may give it, and whose business it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from starlane import orders
from starlane.engine import (
    alliances,
    arrival,
    bounties,
    fighting,
    flight,
    grants,
    mail,
    new_day,
    pickets,
    planets,
    trade,
    yard,
)
from starlane.engine.ports import World
from starlane.engine.refusal import Refused, Superseded
from starlane.engine.turns import with_turns_of_today
from starlane.orders import OPERATOR, Actor, Order
from starlane.records import Pilot
from starlane.reports import Report

PILOT_HANDLERS: Final[Mapping[type[Order], Callable[[World, Pilot, Any], Report]]] = {
    orders.Leave: arrival.leave,
    orders.Waive: arrival.waive,
    orders.Move: flight.move,
    orders.Force: fighting.force,
    orders.Scan: flight.scan,
    orders.Jettison: flight.jettison,
    orders.Dock: trade.dock,
    orders.Ask: trade.ask,
    orders.Offer: trade.offer,
    orders.Walk: trade.walk,
    orders.AttackShip: fighting.attack_ship,
    orders.AttackThorn: fighting.attack_thorn,
    orders.AttackPlanet: fighting.attack_planet,
    orders.Deploy: pickets.deploy,
    orders.Land: planets.land,
    orders.LiftOff: planets.lift_off,
    orders.Claim: planets.claim,
    orders.Load: planets.load,
    orders.Employ: planets.employ,
    orders.Build: planets.build,
    orders.Buy: yard.buy,
    orders.BuyScanner: yard.buy_scanner,
    orders.SellFighters: yard.sell_fighters,
    orders.Bank: yard.bank,
    orders.Work: yard.work,
    orders.Write: mail.write,
    orders.Burn: mail.burn,
    orders.MarkRead: mail.mark_read,
    orders.Broadcast: mail.broadcast,
    orders.Jot: mail.jot,
    orders.Strike: mail.strike,
    orders.Hear: mail.hear,
    orders.Found: alliances.found,
    orders.Invite: alliances.invite,
    orders.Join: alliances.join,
    orders.Quit: alliances.quit_alliance,
    orders.Expel: alliances.expel,
    orders.PostBounty: bounties.post_bounty,
}
"""Whose business an order of a pilot is."""

OPERATOR_HANDLERS: Final[Mapping[type[Order], Callable[[World, Any], Report]]] = {
    orders.Enter: arrival.enter,
    orders.GrantTurns: grants.grant_turns,
    orders.NewDay: new_day.new_day,
}
"""The same of the orders whose actor is OPERATOR."""


def perform(world: World, actor: Actor, order: Order) -> Report:
    """Carry out `order` on `world`, within the caller's transaction.

    Raises Refused if it can't be done, and Superseded if the pilot has entered once more since this session began; the
    caller then takes everything back. The turns of a new day are given here, to whoever orders something on it. What
    may be ordered in port or on the ground is for each handler to say.
    """
    if actor == OPERATOR:
        handler = OPERATOR_HANDLERS.get(type(order))
        if handler is None:
            raise Refused("Only a pilot can order that.")
        return handler(world, order)
    pilot_handler = PILOT_HANDLERS.get(type(order))
    if pilot_handler is None:
        raise Refused("Only the operator can order that.")
    return pilot_handler(world, _at_the_helm(world, actor), order)


def _at_the_helm(world: World, actor: Actor) -> Pilot:
    """The pilot who gives an order, with the turns of today."""
    pilot = world.get(Pilot, actor.pilot)
    if pilot is None:
        raise Refused("There is no such pilot; enter first.")
    if pilot.session != actor.session:
        raise Superseded("You have come aboard from elsewhere; this session is over.")
    fresh = with_turns_of_today(world, pilot)
    if not fresh.aboard:  # a night has passed since it entered; whoever gives orders is there still
        fresh = msgspec.structs.replace(fresh, aboard=True)
    if fresh != pilot:
        world.put(fresh)
    return fresh
