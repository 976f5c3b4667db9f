"""The front of `six_sectors`: pilots out of protection, their posts and what they were told."""

from __future__ import annotations

from typing import Any

from tests.starlane.worlds import change, enroll, pilot, place

from starlane.goods import Good
from starlane.orders import Actor, Found, Invite, Join
from starlane.records import Bargain, News, Notice, Picket, Planet, Stance, Thornship
from starlane.reports import Fought
from starlane.universe.universe import Universe

BRINE, CINDER, RIME = 1, 2, 3
BRAMBLE = 1


def fighter_pilot(universe: Universe, name: str, **fields: Any) -> Actor:
    """A pilot in sector 4, no newcomer any more, with 100 fighters, unless `fields` say otherwise."""
    actor = enroll(universe, name)
    place(universe, actor, **{"sector": 4, "fighters": 100, "protected_until": 0, **fields})
    return actor


def ally(universe: Universe, one: Actor, other: Actor) -> None:
    universe.perform(one, Found(name="The Ring"))
    universe.perform(one, Invite(pilot=other.pilot))
    universe.perform(other, Join(alliance=pilot(universe, one).alliance))


def station(universe: Universe, who: Actor, sector: int, fighters: int = 50, stance: Stance = Stance.GUARD) -> Picket:
    """A picket of that pilot."""
    made = Picket(sector=sector, owner=who.pilot, fighters=fighters, stance=stance)
    change(universe, made)
    return made


def settle(universe: Universe, who: Actor, number: int = BRINE, **fields: Any) -> None:
    """The planet is that pilot's, with these stores."""
    change(universe, planet(universe, number), owner=who.pilot, **fields)


def call_off(universe: Universe) -> None:
    """The Thorn has no fighters, and so bothers nobody for a day."""
    with universe.look() as sky:
        ships = sky.find(Thornship)
    for ship in ships:
        change(universe, ship, fighters=0)


def in_a_bargain(universe: Universe, who: Actor) -> None:
    change(
        universe,
        Bargain(
            pilot=who.pilot, sector=4, good=Good.ICE, buying=True, quantity=1, fair=9, ask=10, reserve=8, patience=2
        ),
    )


def bargains(universe: Universe) -> int:
    with universe.look() as sky:
        return sky.count(Bargain)


def planet(universe: Universe, number: int = BRINE) -> Planet:
    with universe.look() as sky:
        found = sky.get(Planet, number)
    assert found is not None
    return found


def picket(universe: Universe, sector: int) -> Picket | None:
    with universe.look() as sky:
        return sky.get(Picket, sector)


def thornship(universe: Universe, number: int = BRAMBLE) -> Thornship | None:
    with universe.look() as sky:
        return sky.get(Thornship, number)


def fought(universe: Universe, who: Actor, order: Any) -> Fought:
    report = universe.perform(who, order)
    assert isinstance(report, Fought)
    assert report.lost <= report.sent
    return report


def told(universe: Universe, who: Actor) -> str:
    """All that waits for the pilot, a line each."""
    with universe.look() as sky:
        return "\n".join(notice.text for notice in sky.find(Notice, pilot=who.pilot))


def gazette(universe: Universe) -> str:
    with universe.look() as sky:
        return "\n".join(line.text for line in sky.find(News))
