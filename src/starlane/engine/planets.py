"""On planets: landing and lifting off, claims, stores, work and works."""

from __future__ import annotations

import msgspec

from starlane.engine.allies import allied
from starlane.engine.orbit import turn_away
from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.engine.texts import counted, entered_name
from starlane.engine.turns import spend_turn
from starlane.engine.words import news
from starlane.flows import Flow
from starlane.goods import CARGO, TRADE_GOODS, Good
from starlane.orders import Build, Claim, Employ, Land, LiftOff, Load
from starlane.records import NOBODY, Bargain, Pilot, Planet
from starlane.reports import Done
from starlane.rules.planets import MAX_PLANETS, MIN_SETTLERS, NATURES, build_cost, makes_per_day
from starlane.settings import MAX_AMOUNT, MAX_FIGHTERS


def land(world: World, pilot: Pilot, order: Land) -> Done:
    """See `orders.Land`. Leaves the port first, or the other planet."""
    planet = world.get(Planet, order.planet)
    if planet is None or planet.sector != pilot.sector:
        raise Refused("There is no such planet in this sector.")
    if pilot.planet == planet.id:
        raise Refused(f"You stand on {planet.name} already.")
    if planet.owner == NOBODY and planet.fighters:
        garrison = counted(planet.fighters, Good.FIGHTERS)
        raise Refused(f"{garrison} hold {planet.name} against everybody; it must be attacked first.")
    if planet.owner != NOBODY and not allied(world, pilot.id, planet.owner):
        raise Refused(f"{planet.name} belongs to {_name(world, planet.owner)}; it must be attacked first.")
    pilot = spend_turn(world, pilot)
    bargain = world.get(Bargain, pilot.id)
    if bargain is not None:
        world.drop(bargain)
    world.put(msgspec.structs.replace(pilot, planet=planet.id, docked=False))
    if planet.owner == NOBODY:
        hint = f"It is nobody's: {MIN_SETTLERS} colonists can claim it."
    elif planet.owner == pilot.id:
        hint = "It is yours."
    else:
        hint = f"It belongs to your ally {_name(world, planet.owner)}."
    return Done(text=f"You have landed on {planet.name}, {planet.kind}. {hint}")


def lift_off(world: World, pilot: Pilot, order: LiftOff) -> Done:  # noqa: ARG001 - handlers take their order
    """See `orders.LiftOff`."""
    planet = _ground(world, pilot)
    world.put(msgspec.structs.replace(pilot, planet=NOBODY))
    return Done(text=f"You have lifted off from {planet.name}.")


def claim(world: World, pilot: Pilot, order: Claim) -> Done:
    """See `orders.Claim`. The settlers do what the planet is best for; `Employ` changes it."""
    planet = _ground(world, pilot)
    if planet.owner != NOBODY:
        raise Refused(f"{planet.name} belongs to {_name(world, planet.owner)} already.")
    if planet.fighters:
        raise Refused(f"{counted(planet.fighters, Good.FIGHTERS)} hold {planet.name}; they must be attacked first.")
    if pilot.colonists < MIN_SETTLERS:
        raise Refused(f"A claim takes {MIN_SETTLERS} colonists aboard, and you have {pilot.colonists}.")
    if world.count(Planet, owner=pilot.id) >= MAX_PLANETS:
        raise Refused(f"You have {MAX_PLANETS} planets, and nobody may claim more.")
    name = _free_name(world, planet, order.name)
    settled = msgspec.structs.replace(planet, name=name, owner=pilot.id, job=NATURES[planet.kind].best)
    settled = settled.with_more(colonists=pilot.colonists)
    world.put(settled)
    world.put(pilot.with_more(colonists=-pilot.colonists))
    turn_away(world, planet.id)
    news(world, f"{pilot.name} has settled the {planet.kind} planet {name} in sector {planet.sector}.")
    settlers = counted(pilot.colonists, Good.COLONISTS)
    return Done(text=f"{name} is yours. {settlers} stay there and make {settled.job}. It needs a garrison.")


def load(world: World, pilot: Pilot, order: Load) -> Done:
    """See `orders.Load`. What an ally may take away is trade goods alone; bring anything."""
    planet = _ground(world, pilot)
    if order.good is Good.HOLDS:
        raise Refused("Holds are part of the ship.")
    if order.amount == 0:
        raise Refused("That is nothing; name an amount.")
    _may_load(world, pilot, planet, order)
    if order.amount > 0:
        _check_unload(pilot, planet, order)
    else:
        _check_take(pilot, planet, order)
    field = order.good.value
    world.put(pilot.with_more(**{field: -order.amount}))
    planet = planet.with_more(**{field: order.amount})
    world.put(planet)
    what, lies_there = counted(abs(order.amount), order.good), f"{planet.amount(order.good):,}"
    if order.amount > 0:
        return Done(text=f"You have left {what} on {planet.name}, which has {lies_there} now.")
    return Done(text=f"You have taken {what} aboard from {planet.name}, which has {lies_there} left.")


def employ(world: World, pilot: Pilot, order: Employ) -> Done:
    """See `orders.Employ`."""
    planet = _own_ground(world, pilot)
    planet = msgspec.structs.replace(planet, job=order.job)
    world.put(planet)
    return Done(text=f"The colonists of {planet.name} make {order.job} now: {makes_per_day(planet):,} the coming day.")


def build(world: World, pilot: Pilot, order: Build) -> Done:  # noqa: ARG001 - handlers take their order
    """See `orders.Build`."""
    planet = _own_ground(world, pilot)
    price, tools = build_cost(planet)
    if not price:
        raise Refused(f"The works of {planet.name} are at their highest level.")
    if pilot.credits < price:
        raise Refused(f"That takes {price:,} credits aboard, and you have {pilot.credits:,}.")
    if planet.tools < tools:
        raise Refused(f"That takes {tools:,} tools on the planet, and {planet.tools:,} lie there.")
    world.put(pilot.with_more(credits=-price))
    planet = planet.with_more(tools=-tools, works=1)
    world.put(planet)
    world.flow(Flow.WORKS, Good.CREDITS, -price)
    world.flow(Flow.WORKS, Good.TOOLS, -tools)
    return Done(text=f"The works of {planet.name} are at level {planet.works} now.")


def _name(world: World, pilot: int) -> str:
    owner = world.get(Pilot, pilot)
    return owner.name if owner else "somebody"


def _ground(world: World, pilot: Pilot) -> Planet:
    planet = world.get(Planet, pilot.planet)
    if planet is None:
        raise Refused("You are not on a planet; land first.")
    return planet


def _own_ground(world: World, pilot: Pilot) -> Planet:
    planet = _ground(world, pilot)
    if planet.owner == NOBODY:
        raise Refused(f"{planet.name} is nobody's; claim it first.")
    if planet.owner != pilot.id:
        raise Refused(f"{planet.name} belongs to {_name(world, planet.owner)}, who alone gives orders here.")
    return planet


def _free_name(world: World, planet: Planet, wanted: str) -> str:
    name = entered_name(wanted)
    for other in world.find(Planet):
        if other.id != planet.id and other.name.casefold() == name.casefold():
            raise Refused(f"There is a planet called {other.name} already; choose another name.")
    return name


def _may_load(world: World, pilot: Pilot, planet: Planet, order: Load) -> None:
    if planet.owner == NOBODY:
        raise Refused(f"{planet.name} is nobody's; claim it first.")
    if not allied(world, pilot.id, planet.owner):
        raise Refused(f"{planet.name} belongs to {_name(world, planet.owner)}, who is no friend of yours; lift off.")
    if order.amount < 0 and planet.owner != pilot.id and order.good not in TRADE_GOODS:
        raise Refused(f"Only {_name(world, planet.owner)} takes {order.good} from {planet.name}.")


def _check_unload(pilot: Pilot, planet: Planet, order: Load) -> None:
    if order.amount > pilot.amount(order.good):
        raise Refused(f"You have {counted(pilot.amount(order.good), order.good)} aboard.")
    room = MAX_AMOUNT - planet.amount(order.good)
    if order.amount > room:
        raise Refused(f"{planet.name} has room for {counted(room, order.good)} more.")


def _check_take(pilot: Pilot, planet: Planet, order: Load) -> None:
    good, amount = order.good, -order.amount
    if amount > planet.amount(good):
        raise Refused(f"{planet.name} has {counted(planet.amount(good), good)}.")
    if good in CARGO and amount > pilot.free_holds():
        raise Refused(f"You have {pilot.free_holds()} free holds.")
    most = MAX_FIGHTERS if good is Good.FIGHTERS else MAX_AMOUNT
    if amount > most - pilot.amount(good):
        raise Refused(f"Your ship takes {counted(max(0, most - pilot.amount(good)), good)} more at most.")
