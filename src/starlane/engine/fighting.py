"""Attacks: on a picket that bars the way, on ships, on thornships and on planets.

Every attack costs a turn, and is fought until one side has no fighters left; the attackers that are left return.
"""

from __future__ import annotations

import msgspec

from starlane.engine.bounties import collect
from starlane.engine.engagement import battle, open_fire, require_foe, require_open_space
from starlane.engine.flight import arrive
from starlane.engine.orbit import turn_away
from starlane.engine.pickets import barrier, hunted, stood_down
from starlane.engine.ports import World
from starlane.engine.protection import newcomer
from starlane.engine.refusal import Refused
from starlane.engine.salvage import salvage
from starlane.engine.ship_loss import lose_ship
from starlane.engine.texts import counted
from starlane.engine.words import news, tell
from starlane.flows import Flow
from starlane.goods import Good
from starlane.orders import AttackPlanet, AttackShip, AttackThorn, Force
from starlane.records import NOBODY, Picket, Pilot, Planet, Stance, Thornship
from starlane.reports import Fought
from starlane.rules.planets import defence_permille
from starlane.rules.thorn import reward
from starlane.settings import MAX_AMOUNT


def force(world: World, pilot: Pilot, order: Force) -> Fought:
    """See `orders.Force`. From within the sector of the picket it is the same, without a flight."""
    if order.to != pilot.sector and order.to not in world.lanes.out_of(pilot.sector):
        raise Refused(f"No lane leads from here to sector {order.to}.")
    picket = barrier(world, pilot, order.to)
    if picket is None:
        raise Refused(f"Nobody bars the way into sector {order.to}.")
    owner = _pilot(world, picket.owner)
    require_foe(world, pilot, owner)
    pilot = open_fire(world, pilot, order.fighters)
    lost, foe_lost = battle(world, order.fighters, picket.fighters)
    pilot = pilot.with_more(fighters=-lost)
    world.put(pilot)
    tell(world, owner.id, f"{pilot.name} attacked your picket in sector {picket.sector}: {_toll(foe_lost, lost)}")
    fought = Fought(
        foe=f"{owner.name}'s picket",
        sent=order.fighters,
        lost=lost,
        foe_lost=foe_lost,
        foe_left=picket.fighters - foe_lost,
        won=picket.fighters == foe_lost,
    )
    left = stood_down(world, picket, foe_lost)
    if left is not None:
        return _shot_at(world, pilot, left, fought)
    news(world, f"{pilot.name} destroyed the picket of {owner.name} in sector {picket.sector}.")
    if order.to != pilot.sector:
        arrive(world, pilot, order.to)
        return msgspec.structs.replace(fought, moved=True)
    return fought


def _shot_at(world: World, pilot: Pilot, picket: Picket, fought: Fought) -> Fought:
    """After an attack that failed: hunters shoot back."""
    if picket.stance is not Stance.HUNT:
        return fought
    _, lost, destroyed = hunted(world, pilot, picket)
    if lost and not destroyed:
        tell(world, pilot.id, f"The hunters shot back: {counted(lost, Good.FIGHTERS)} aboard were lost.")
    return msgspec.structs.replace(fought, destroyed=destroyed)


def attack_ship(world: World, pilot: Pilot, order: AttackShip) -> Fought:
    """See `orders.AttackShip`. The winner salvages a part of what the ship has, and earns what lies on its pilot's
    head."""
    require_open_space(world, pilot.sector)
    victim = world.get(Pilot, order.pilot)
    if victim is None or victim.sector != pilot.sector:
        raise Refused("There is no such ship in this sector.")
    require_foe(world, pilot, victim)
    if victim.protected(world.today):
        raise Refused(f"{victim.name} is under protection; nobody may attack that ship today.")
    if victim.planet != NOBODY:
        raise Refused(f"{victim.name} stands on a planet; it must be attacked first.")
    pilot = open_fire(world, pilot, order.fighters)
    lost, foe_lost = battle(world, order.fighters, victim.fighters)
    pilot, wreck = pilot.with_more(fighters=-lost), victim.with_more(fighters=-foe_lost)
    fought = Fought(
        foe=f"{victim.name}'s ship",
        sent=order.fighters,
        lost=lost,
        foe_lost=foe_lost,
        foe_left=wreck.fighters,
        won=not wreck.fighters,
    )
    if fought.won:
        return _destroyed(world, pilot, wreck, fought)
    world.put(pilot)
    world.put(wreck)
    tell(world, victim.id, f"{pilot.name} attacked your ship in sector {victim.sector}: {_toll(foe_lost, lost)}")
    return fought


def _destroyed(world: World, winner: Pilot, wreck: Pilot, fought: Fought) -> Fought:
    """The winner has its salvage, what lay on the head of the other, and the glory."""
    winner, wreck, taken = salvage(winner, wreck)
    bounty = collect(world, winner, wreck)
    if bounty:
        taken[Good.CREDITS] = taken.get(Good.CREDITS, 0) + bounty
        news(world, f"{winner.name} has earned the {bounty:,} credits that lay on the head of {wreck.name}.")
    world.put(winner.with_more(credits=bounty, kills=1))
    lose_ship(world, wreck, winner.name, shot_down=fought.foe_lost)
    return msgspec.structs.replace(fought, salvage=taken, bounty=bounty)


def attack_thorn(world: World, pilot: Pilot, order: AttackThorn) -> Fought:
    """See `orders.AttackThorn`. The Haven Watch pays for every fighter shot down; newcomers may, too."""
    require_open_space(world, pilot.sector)
    ship = world.get(Thornship, order.thornship)
    if ship is None or ship.sector != pilot.sector:
        raise Refused("There is no such thornship in this sector.")
    pilot = open_fire(world, pilot, order.fighters)
    lost, foe_lost = battle(world, order.fighters, ship.fighters)
    won = foe_lost == ship.fighters
    paid = min(reward(foe_lost, destroyed=won), MAX_AMOUNT - pilot.credits)
    world.flow(Flow.REWARD, Good.CREDITS, paid)
    world.put(pilot.with_more(fighters=-lost, credits=paid, thorns=int(won)))
    if won:
        world.drop(ship)
        news(world, f"{pilot.name} destroyed the thornship {ship.name} in sector {ship.sector}.")
    else:
        world.put(msgspec.structs.replace(ship, fighters=ship.fighters - foe_lost))
    return Fought(
        foe=f"the thornship {ship.name}",
        sent=order.fighters,
        lost=lost,
        foe_lost=foe_lost,
        foe_left=ship.fighters - foe_lost,
        won=won,
        salvage={Good.CREDITS: paid} if paid else {},
        bounty=paid,
    )


def attack_planet(world: World, pilot: Pilot, order: AttackPlanet) -> Fought:
    """See `orders.AttackPlanet`. Stores, treasury, people and works of a planet that is taken stay as they are."""
    require_open_space(world, pilot.sector)
    planet = world.get(Planet, order.planet)
    if planet is None or planet.sector != pilot.sector:
        raise Refused("There is no such planet in this sector.")
    _require_prey(world, pilot, planet)
    pilot = open_fire(world, pilot, order.fighters)
    lost, foe_lost = battle(world, order.fighters, planet.fighters, defence_permille(planet))
    world.put(pilot.with_more(fighters=-lost))
    left = planet.with_more(fighters=-foe_lost)
    if left.fighters:
        world.put(left)
        tell(world, planet.owner, f"{pilot.name} attacked {planet.name}: {_toll(foe_lost, lost)}")
    else:
        _conquered(world, pilot, left)
    return Fought(
        foe=f"the garrison of {planet.name}",
        sent=order.fighters,
        lost=lost,
        foe_lost=foe_lost,
        foe_left=left.fighters,
        won=not left.fighters,
    )


def _require_prey(world: World, pilot: Pilot, planet: Planet) -> None:
    """Raises Refused unless `pilot` may attack `planet`."""
    if planet.owner == NOBODY:
        if not planet.fighters:
            raise Refused(f"{planet.name} is nobody's; land there and claim it.")
        return
    owner = _pilot(world, planet.owner)
    require_foe(world, pilot, owner)
    if newcomer(owner, world.today):
        raise Refused(f"{owner.name} is under a newcomer's protection; nobody may attack {planet.name} yet.")


def _conquered(world: World, pilot: Pilot, planet: Planet) -> None:
    """The planet is the pilot's, and whoever else stands there is thrown into orbit."""
    taken = f"{pilot.name} has taken the planet {planet.name} in sector {planet.sector}"
    world.put(msgspec.structs.replace(planet, owner=pilot.id))
    tell(world, planet.owner, f"{taken}. It was yours.")
    news(world, f"{taken} from {_pilot(world, planet.owner).name}." if planet.owner != NOBODY else f"{taken}.")
    turn_away(world, planet.id)


def _pilot(world: World, number: int) -> Pilot:
    """Who owns something. Raises LookupError if nobody does: pilots are never dropped."""
    pilot = world.get(Pilot, number)
    if pilot is None:
        raise LookupError(f"there is no pilot {number}")
    return pilot


def _toll(lost: int, foe_lost: int) -> str:
    """What a fight has cost the one who is told of it, and the other."""
    return f"you lost {counted(lost, Good.FIGHTERS)}, and shot down {foe_lost:,}."
