"""Planets: settling them when turns bring little else, and fetching what they have made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from starlane.bots.brains.ship import Course, Ship
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import Build, Claim, Employ, Land, LiftOff, Load
from starlane.records import HAVEN, Job
from starlane.rules.planets import MIN_SETTLERS, NATURES
from starlane.rules.worth import BASE
from starlane.views import PlanetLine, PlanetView

WITHIN_TURNS: Final = 7
"""From Haven: a planet farther away is too dear to people and to fetch from."""
COLONISTS_PER_FIGHTER: Final = 8
"""A garrison that grows with what there is to lose."""
LEAST_GARRISON: Final = 5
_RESERVE_FIGHTERS: Final = 20
"""That stay aboard."""
_BUILD_WITH_PEOPLE: Final = 400
"""Colonists from which works pay."""


class Colony(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of a planet of one's own."""

    day: int
    """When it was seen from the ground."""
    good: Good
    lies_there: int
    per_day: int
    people: int
    room: int


class Colonies:
    """The planets of a pilot, by sector and name."""

    def __init__(self) -> None:
        self._own: dict[tuple[int, str], Colony] = {}

    def harvest_target(self, ship: Ship) -> tuple[int, str] | None:
        """The nearest own planet where more than half a load waits, if there are turns to fetch it."""
        for sector, line, turns in self._planets(ship, ship.here):
            colony = self._own.get((sector, line.name)) if line.friendly else None
            if colony is None or turns + WITHIN_TURNS > ship.me.turns or colony.good not in TRADE_GOODS:
                continue
            if colony.lies_there + colony.per_day * (ship.me.day - colony.day) > ship.me.free_holds // 2:
                return sector, line.name
        return None

    def settle_target(self, ship: Ship) -> tuple[int, str] | None:
        """The planet for the next load of settlers: near ones, own ones and those with the best harvest first."""
        best, most = None, 0
        for sector, line, turns in self._planets(ship, HAVEN):
            if turns > WITHIN_TURNS or (line.owner_name and not line.friendly) or sector in ship.atlas.safe:
                continue
            colony = self._own.get((sector, line.name))
            if colony is not None and colony.people + ship.me.holds > colony.room:
                continue
            if not line.owner_name and line.fighters:
                continue
            value = 100 * _worth_per_day(line) // (turns + 3) * (2 if line.friendly else 1)
            if value > most:
                best, most = (sector, line.name), value
        return best

    def settle(self, ship: Ship, sector: int, name: str, purse: int) -> Course:
        """From Haven: buy settlers and a garrison, fly there, and settle them."""
        people = min(ship.me.free_holds, purse // 2 // ship.helm.yard().colonist_price)
        if people < MIN_SETTLERS:
            return False
        ship.buy(Good.COLONISTS, people)
        guards = max(LEAST_GARRISON, people // COLONISTS_PER_FIGHTER)
        missing = max(0, guards + _RESERVE_FIGHTERS - ship.me.fighters)
        ship.buy(Good.FIGHTERS, min(missing, max(0, purse // 2 // ship.helm.yard().fighter_price)))
        if not ((yield from ship.fly(sector)) and (yield from self._land(ship, name))):
            return False
        self._bring(ship, name, guards)
        return True

    def _bring(self, ship: Ship, name: str, guards: int) -> None:
        ground = ship.helm.planet()
        if not ground.owner_name:
            ship.order(Claim(name=name))
        elif ship.me.colonists:
            ship.order(Load(good=Good.COLONISTS, amount=ship.me.colonists))
        if ship.me.fighters > _RESERVE_FIGHTERS // 2:
            ship.order(Load(good=Good.FIGHTERS, amount=min(guards, ship.me.fighters - _RESERVE_FIGHTERS // 2)))
        self._tend(ship)

    def fetch(self, ship: Ship, sector: int, name: str) -> Course:
        """Fly to an own planet and load what lies there, the dearest first."""
        if not ((yield from ship.fly(sector)) and (yield from self._land(ship, name))):
            self._own.pop((sector, name), None)
            return False
        ground = ship.helm.planet()
        for good in reversed(TRADE_GOODS):
            units = min(int(getattr(ground, good)) - _kept(ground, good), ship.me.free_holds)
            if units > 0:
                ship.order(Load(good=good, amount=-units))
        self._tend(ship)
        return True

    def _tend(self, ship: Ship) -> None:
        """Give the orders of the ground, write down how it stands, and lift off."""
        ground = ship.helm.planet()
        best = _best_job(ground)
        if ground.job is not best:
            ship.order(Employ(job=best))
        affordable = 0 < ground.build_credits <= ship.me.credits // 3 and ground.build_tools <= ground.tools
        if affordable and ground.colonists >= _BUILD_WITH_PEOPLE:
            ship.order(Build())
        ground = ship.helm.planet()
        good = Good(ground.job.value)
        self._own[ship.here, ground.name] = Colony(
            day=ship.me.day,
            good=good,
            lies_there=int(getattr(ground, good)),
            per_day=ground.makes_per_day,
            people=ground.colonists,
            room=ground.max_colonists,
        )
        ship.order(LiftOff())
        ship.look_around()

    def _land(self, ship: Ship, name: str) -> Course:
        for line in ship.view.planets:
            if line.name == name and (line.friendly or not line.owner_name):
                ship.order(Land(planet=line.planet))
                ship.docked = False
                yield
                return bool(ship.me.planet)
        return False

    def _planets(self, ship: Ship, source: int) -> Iterator[tuple[int, PlanetLine, int]]:
        """Known planets with the turns to them, the nearest first."""
        for sector, turns in ship.atlas.reach(source).items():
            for line in ship.atlas.planets.get(sector, ()):
                yield sector, line, turns


def _best_job(ground: PlanetView) -> Job:
    """The trade good whose harvest is worth most."""
    makes = NATURES[ground.kind].makes
    return max(
        (Job(good.value) for good in TRADE_GOODS), key=lambda job: (makes[job] * BASE[Good(job.value)], job.value)
    )


def _worth_per_day(line: PlanetLine) -> int:
    """What 1,000 colonists make there a day, in credits."""
    makes = NATURES[line.kind].makes
    return max(makes[Job(good.value)] * BASE[good] for good in TRADE_GOODS)


def _kept(ground: PlanetView, good: Good) -> int:
    """Tools for the next level of works stay where there are people enough for it."""
    return ground.build_tools if good is Good.TOOLS and ground.colonists >= _BUILD_WITH_PEOPLE else 0
