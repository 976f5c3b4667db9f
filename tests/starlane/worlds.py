"""Small worlds for tests, in memory: close them.

`six_sectors` is a map made by hand, always the same:

    1 Haven (safe, port BSS) == 2 Lantern (safe, port SBB) == 3 (port BBS) == 4 (planets 1 and 2) == 5 (port SSB) == 1
    4 == 6 (planet 3, the thornship 1 with 40 fighters), and one way 3 -> 6

`small_world` is one out of the maker.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from starlane.flows import Flow
from starlane.goods import TRADE_GOODS
from starlane.making.world import MadeWorld
from starlane.orders import OPERATOR, Actor, Enter
from starlane.records import KEYS, Kind, Lane, Pilot, Planet, Port, Record, Sector, Thornship
from starlane.reports import Entered
from starlane.settings import Clock, Settings
from starlane.universe.books import HOLDINGS
from starlane.universe.file import MEMORY
from starlane.universe.universe import Universe


def hand_made() -> MadeWorld:
    """The map of `six_sectors`."""
    two_way = ((1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (4, 6))
    ways = sorted([*two_way, *((target, source) for source, target in two_way), (3, 6)])
    return MadeWorld(
        sectors=tuple(
            Sector(number=number, region="Haven Reach" if number < 4 else "the Briars", safe=number < 3)
            for number in range(1, 7)
        ),
        lanes=tuple(Lane(id=id_, source=source, target=target) for id_, (source, target) in enumerate(ways, 1)),
        ports=(_port(1, "Haven", "BSS"), _port(2, "Lantern", "SBB"), _port(3, "Ferry", "BBS"), _port(5, "Quay", "SSB")),
        planets=(
            Planet(id=1, sector=4, name="Brine", kind=Kind.OCEAN),
            Planet(id=2, sector=4, name="Cinder", kind=Kind.ASH),
            Planet(id=3, sector=6, name="Rime", kind=Kind.FROST, ice=30),
        ),
        thornships=(Thornship(id=1, name="Bramble", sector=6, fighters=40),),
        dice=7,
    )


def six_sectors(path: str | Path = MEMORY, **settings: Any) -> Universe:
    """The world made by hand; the calendar does not touch it unless a setting says so."""
    chosen = Settings(**{"seed": 7, "sectors": 6, "clock": Clock.MANUAL, **settings})
    return Universe.make(path, chosen, hand_made())


def small_world(path: str | Path = MEMORY, **settings: Any) -> Universe:
    """A world out of the maker, of 40 sectors unless a setting says otherwise."""
    return Universe.make(path, Settings(**{"seed": 7, "sectors": 40, "clock": Clock.MANUAL, **settings}))


def enroll(universe: Universe, name: str) -> Actor:
    """A new pilot by that name (or an old one again), aboard; who orders in its name from now on."""
    entered = universe.perform(OPERATOR, Enter(key=f"name:{name}", name=name))
    assert isinstance(entered, Entered)
    return Actor(entered.pilot, entered.session)


def pilot(universe: Universe, who: Actor | int) -> Pilot:
    """The pilot as it is now."""
    with universe.look() as sky:
        found = sky.get(Pilot, who.pilot if isinstance(who, Actor) else who)
    assert found is not None
    return found


def place(universe: Universe, who: Actor | int, **fields: Any) -> Pilot:
    """The pilot with these fields; what it has more or less by that is booked as a grant, so that the books agree."""
    changed = change(universe, pilot(universe, who), **fields)
    assert isinstance(changed, Pilot)
    return changed


def change(universe: Universe, record: Record, **fields: Any) -> Record:
    """Any record with these fields (a new one if its key is not there yet), booked the same way."""
    changed = msgspec.structs.replace(record, **fields)
    with universe.transaction() as world:
        before = world.get(type(record), getattr(record, KEYS[type(record)]))
        world.put(changed)
        for field, good in HOLDINGS.get(type(record), {}).items():
            world.flow(Flow.GRANT, good, getattr(changed, field) - (getattr(before, field) if before else 0))
    return changed


def _port(sector: int, name: str, letters: str) -> Port:
    fields: dict[str, Any] = {}
    for good, letter in zip(TRADE_GOODS, letters, strict=True):
        sells = letter == "S"
        fields |= {f"{good}_sells": sells, f"{good}_size": 500, f"{good}_stock": 500 if sells else 0}
    return Port(sector=sector, name=name, **fields)
