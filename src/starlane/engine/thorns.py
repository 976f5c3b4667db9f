"""The day of the Thorn: its ships fly, some of them hunt, and the empire builds."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from starlane.engine.engagement import battle
from starlane.engine.ports import World
from starlane.engine.protection import newcomer
from starlane.engine.ship_loss import lose_ship
from starlane.engine.texts import counted
from starlane.engine.words import news, tell
from starlane.flows import Flow
from starlane.goods import Good
from starlane.making.names import Names
from starlane.records import NOBODY, Picket, Pilot, Planet, Sector, Thornship
from starlane.rules.combat import OPEN_SPACE
from starlane.rules.planets import defence_permille
from starlane.rules.thorn import HUNT_PERMILLE, MAX_LANES_A_DAY, built, most_fighters, new_ship, planned_ships

_NAME_TRIES = 50
"""Names drawn for one that no other ship has. With half of all names in use that fails never; then two share one."""

_Prey = Picket | Planet | Pilot


def thorn_day(world: World) -> None:
    """The Thorn's part of a day that has begun. What it does to a pilot it is told of, and the Gazette reports."""
    for ship in world.find(Thornship):
        flown = _flown(world, ship)
        if world.dice.permille(HUNT_PERMILLE):
            _hunt(world, flown)
    _send_out(world)
    _build(world)


def _flown(world: World, ship: Thornship) -> Thornship:
    """The ship, kept, after its lanes of the day; it stays out of the patrolled sectors."""
    sector = ship.sector
    for _ in range(world.dice.between(1, MAX_LANES_A_DAY)):
        ways = [to for to in world.lanes.out_of(sector) if not _safe(world, to)]
        if ways:
            sector = world.dice.choice(ways)
    flown = msgspec.structs.replace(ship, sector=sector)
    world.put(flown)
    return flown


def _safe(world: World, number: int) -> bool:
    sector = world.get(Sector, number)
    return sector is None or sector.safe


def _hunt(world: World, ship: Thornship) -> None:
    """Attack one of those in the ship's sector, if it is the weaker."""
    prey = _prey(world, ship.sector)
    if not prey:
        return
    target = world.dice.choice(prey)
    defence = defence_permille(target) if isinstance(target, Planet) else OPEN_SPACE
    if ship.fighters * 1000 <= target.fighters * defence:
        return
    lost, foe_lost = battle(world, ship.fighters, target.fighters, defence)
    if lost == ship.fighters:
        world.drop(ship)
    else:
        world.put(msgspec.structs.replace(ship, fighters=ship.fighters - lost))
    if isinstance(target, Pilot):
        _ship_attacked(world, ship, target, lost, foe_lost)
    else:
        _post_attacked(world, ship, target, lost, foe_lost)


def _prey(world: World, sector: int) -> Sequence[_Prey]:
    """Whom the Thorn may attack there: pickets, garrisons and ships in space, but for those under protection."""
    posts: list[Picket | Planet] = [*world.find(Picket, sector=sector), *world.find(Planet, sector=sector)]
    ships = world.find(Pilot, sector=sector, planet=NOBODY)
    return [
        *(post for post in posts if post.fighters and post.owner != NOBODY and not _sheltered(world, post.owner)),
        *(pilot for pilot in ships if not pilot.protected(world.today)),
    ]


def _sheltered(world: World, owner: int) -> bool:
    pilot = world.get(Pilot, owner)
    return pilot is not None and newcomer(pilot, world.today)


def _ship_attacked(world: World, ship: Thornship, pilot: Pilot, lost: int, foe_lost: int) -> None:
    """The ship of a pilot was attacked and is gone, or has shot down the thornship."""
    left = pilot.with_more(fighters=-foe_lost)
    if not left.fighters:
        lose_ship(world, left, f"the thornship {ship.name}", shot_down=foe_lost)
        return
    world.put(left)
    tell(world, pilot.id, f"The thornship {ship.name} attacked your ship: {_outcome(lost, foe_lost)}")
    news(world, f"{pilot.name} fought off the thornship {ship.name} in sector {ship.sector}; it is no more.")


def _post_attacked(world: World, ship: Thornship, post: Picket | Planet, lost: int, foe_lost: int) -> None:
    """The same of a picket or a garrison. A planet without a garrison is its owner's still."""
    left = msgspec.structs.replace(post, fighters=post.fighters - foe_lost)
    if isinstance(left, Planet) or left.fighters:
        world.put(left)
    else:
        world.drop(left)
    owner = world.get(Pilot, post.owner)
    name = "nobody" if owner is None else owner.name
    what = f"garrison of {post.name}" if isinstance(post, Planet) else f"picket of {name}"
    tell(
        world,
        post.owner,
        f"The thornship {ship.name} attacked your fighters in sector {post.sector}: {_outcome(lost, foe_lost)}",
    )
    if left.fighters:
        news(world, f"The {what} in sector {post.sector} destroyed the thornship {ship.name}.")
    else:
        news(world, f"The thornship {ship.name} destroyed the {what} in sector {post.sector}.")


def _outcome(lost: int, foe_lost: int) -> str:
    """For the one who was attacked: what the thornship and what it lost itself."""
    return f"{counted(foe_lost, Good.FIGHTERS)} lost, {lost:,} shot down."


def _send_out(world: World) -> None:
    """New ships at Thornhold, which has the highest number of all sectors: half of those that are missing, as far as
    the empire may have more fighters."""
    ships = world.find(Thornship)
    names = {ship.name for ship in ships}
    room = _room(world, ships)
    sent = 0
    for _ in range((planned_ships(world.settings.sectors) - len(ships) + 1) // 2):
        fighters = new_ship(world.dice, world.today)
        if fighters > room:
            break
        name = _new_name(world, names)
        names.add(name)
        world.add(Thornship(id=0, name=name, sector=world.settings.sectors, fighters=fighters))
        world.flow(Flow.EMPIRE, Good.FIGHTERS, fighters)
        room -= fighters
        sent += 1
    if sent:
        news(world, f"The Thorn has sent out {sent} new thornship{'' if sent == 1 else 's'} from Thornhold.")


def _build(world: World) -> None:
    """More fighters for the ships, in an order by chance, until the empire has what it may have."""
    ships = world.find(Thornship)
    room = _room(world, ships)
    for ship in world.dice.shuffled(ships):
        more = min(built(world.dice, world.today), room)
        if more > 0:
            world.put(msgspec.structs.replace(ship, fighters=ship.fighters + more))
            world.flow(Flow.EMPIRE, Good.FIGHTERS, more)
            room -= more


def _room(world: World, ships: Sequence[Thornship]) -> int:
    """How many more fighters the empire may have."""
    return most_fighters(world.settings.sectors, world.today) - sum(ship.fighters for ship in ships)


def _new_name(world: World, names: set[str]) -> str:
    name = Names(world.dice).thornship()
    for _ in range(_NAME_TRIES):
        if name not in names:
            break
        name = Names(world.dice).thornship()
    return name
