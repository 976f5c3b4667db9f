"""Flight: along the lanes, past pickets or not; the scanner; the airlock."""

from __future__ import annotations

import msgspec

from starlane.engine.mooring import in_space
from starlane.engine.pickets import barrier, hunted
from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.engine.sightings import glimpse, visit
from starlane.engine.texts import counted
from starlane.engine.turns import require_turn, spend_turn
from starlane.engine.words import chat, tell
from starlane.flows import Flow
from starlane.goods import CARGO, Good
from starlane.orders import Jettison, Move, Scan
from starlane.records import NOBODY, Picket, Pilot, Planet, Port, Sector, Stance, Thornship
from starlane.reports import Done, Moved, Scanned, Sight, Stopped
from starlane.rules.tolls import toll
from starlane.settings import MAX_AMOUNT


def move(world: World, pilot: Pilot, order: Move) -> Moved | Stopped:
    """See `orders.Move`. A ship that is stopped stays where it is, in port or on the ground too."""
    _require_lane(world, pilot, order.to)
    require_turn(pilot)
    picket = barrier(world, pilot, order.to)
    paid = 0
    if picket is not None:
        asked = toll(picket.fighters)
        if picket.stance is not Stance.TOLL or order.pay < asked:
            return _stopped(world, pilot, picket)
        pilot, paid = _pay(world, pilot, picket, asked)
    _, first = arrive(world, spend_turn(world, pilot), order.to)
    return Moved(sector=order.to, first_time=first, toll=paid)


def arrive(world: World, pilot: Pilot, to: int) -> tuple[Pilot, bool]:
    """Bring a ship into a neighbour sector, whatever it takes to get there paid before. Returns the pilot, kept, and
    whether it had not been there. Who watches in either sector is told, unless it is patrolled."""
    left = pilot.sector
    pilot = msgspec.structs.replace(in_space(world, pilot), sector=to)
    world.put(pilot)
    pilot, first = visit(world, pilot)
    _tell_watchers(world, pilot, left, f"{pilot.name} left for sector {to}.")
    _tell_watchers(world, pilot, to, f"{pilot.name} flew in from sector {left}.")
    return pilot, first


def scan(world: World, pilot: Pilot, _order: Scan) -> Scanned:
    """See `orders.Scan`."""
    if not pilot.scanner:
        raise Refused("You have no scanner; the yard at Haven sells one.")
    sectors = world.lanes.out_of(pilot.sector)
    for sector in sectors:
        glimpse(world, pilot, sector)
    return Scanned(sights=tuple(_sight(world, sector) for sector in sectors))


def jettison(world: World, pilot: Pilot, order: Jettison) -> Done:
    """See `orders.Jettison`. Colonists get a lifeboat; they are gone all the same."""
    if order.good not in CARGO:
        raise Refused("Only cargo goes through the airlock: ice, grain, tools and colonists.")
    aboard = pilot.amount(order.good)
    if aboard < 1:
        raise Refused(f"You have no {order.good} aboard.")
    if not 1 <= order.amount <= aboard:
        raise Refused(f"You can throw out 1 to {aboard:,} {order.good}.")
    world.put(pilot.with_more(**{order.good.value: -order.amount}))
    world.flow(Flow.JETTISON, order.good, -order.amount)
    gone = counted(order.amount, order.good)
    if order.good is Good.COLONISTS:
        return Done(text=f"You put {gone} into a lifeboat, and it is gone.")
    return Done(text=f"You throw {gone} out of the airlock.")


def _require_lane(world: World, pilot: Pilot, to: int) -> None:
    out = world.lanes.out_of(pilot.sector)
    if to in out:
        return
    *most, last = map(str, out)
    lanes = f"lanes lead to {', '.join(most)} and {last}" if most else f"the only lane leads to {last}"
    if to == pilot.sector:
        raise Refused(f"You are in sector {to} already; {lanes}.")
    raise Refused(f"No lane leads from sector {pilot.sector} to {to}; {lanes}.")


def _stopped(world: World, pilot: Pilot, picket: Picket) -> Stopped:
    stopped = Stopped(
        to=picket.sector,
        owner=_owner(world, picket).name,
        fighters=picket.fighters,
        stance=picket.stance,
        toll=toll(picket.fighters) if picket.stance is Stance.TOLL else 0,
    )
    if picket.stance is not Stance.HUNT:
        return stopped
    _, lost, destroyed = hunted(world, pilot, picket)
    return msgspec.structs.replace(stopped, lost=lost, destroyed=destroyed)


def _pay(world: World, pilot: Pilot, picket: Picket, asked: int) -> tuple[Pilot, int]:
    """The pilot, kept, without the toll, which is in the bank of the picket's owner; and the toll: less if the bank has
    not the room for it."""
    if pilot.credits < asked:
        raise Refused(f"The toll is {counted(asked, Good.CREDITS)}, and you have only {pilot.credits:,} aboard.")
    owner = _owner(world, picket)
    paid = min(asked, MAX_AMOUNT - owner.bank)
    poorer = pilot.with_more(credits=-paid)
    world.put(poorer)
    world.put(owner.with_more(bank=paid))
    tell(world, owner.id, f"{pilot.name} paid {counted(paid, Good.CREDITS)} of toll in sector {picket.sector}.")
    return poorer, paid


def _owner(world: World, picket: Picket) -> Pilot:
    owner = world.get(Pilot, picket.owner)
    if owner is None:
        raise LookupError(f"the picket in sector {picket.sector} is of pilot {picket.owner}, whom nobody knows")
    return owner


def _tell_watchers(world: World, pilot: Pilot, sector: int, text: str) -> None:
    place = world.get(Sector, sector)
    if place is None or place.safe:
        return
    for watcher in world.find(Pilot, sector=sector):
        if watcher.aboard and watcher.id != pilot.id:
            chat(world, watcher.id, text)


def _sight(world: World, number: int) -> Sight:
    sector, port, picket = world.get(Sector, number), world.get(Port, number), world.get(Picket, number)
    return Sight(
        sector=number,
        region=sector.region if sector else "",
        port=port.letters() if port else "",
        planets=world.count(Planet, sector=number),
        ships=sum(ship.planet == NOBODY for ship in world.find(Pilot, sector=number)),
        picket=picket.fighters if picket else 0,
        thorns=sum(ship.fighters for ship in world.find(Thornship, sector=number)),
    )
