"""What pilots have seen of the map: where they have been, and the stock of ports as it was then."""

from __future__ import annotations

import msgspec

from starlane.engine.ports import Sky, World
from starlane.goods import TRADE_GOODS
from starlane.records import Pilot, Port, Seen


def visit(world: World, pilot: Pilot) -> tuple[Pilot, bool]:
    """Note the sector that `pilot` is in as visited. Returns the pilot, kept, and whether it had not been there."""
    known = _seen(world, pilot.id, pilot.sector)
    first = known is None or not known.visited
    _keep(world, known, _sighting(world, pilot.id, pilot.sector, visited=True))
    if first:
        pilot = pilot.with_more(sectors_seen=1)
        world.put(pilot)
    return pilot, first


def glimpse(world: World, pilot: Pilot, sector: int) -> None:
    """Note a sector that `pilot` looks into from outside; it has been there only if it had before."""
    known = _seen(world, pilot.id, sector)
    _keep(world, known, _sighting(world, pilot.id, sector, visited=known is not None and known.visited))


def has_visited(sky: Sky, pilot: Pilot, sector: int) -> bool:
    """Whether `pilot` has been in the sector."""
    known = _seen(sky, pilot.id, sector)
    return known is not None and known.visited


def _seen(sky: Sky, pilot: int, sector: int) -> Seen | None:
    return next(iter(sky.find(Seen, pilot=pilot, sector=sector)), None)


def _sighting(world: World, pilot: int, sector: int, *, visited: bool) -> Seen:
    port = world.get(Port, sector)
    if port is None:
        return Seen(id=0, pilot=pilot, sector=sector, visited=visited)
    stocks = {f"{good}_stock": port.stock(good) for good in TRADE_GOODS}
    return Seen(id=0, pilot=pilot, sector=sector, visited=visited, day=world.today, **stocks)


def _keep(world: World, known: Seen | None, seen: Seen) -> None:
    if known is None:
        world.add(seen)
    else:
        world.put(msgspec.structs.replace(seen, id=known.id))
