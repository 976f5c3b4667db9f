"""Standings: what pilots own, all together, and their ranks by it."""

from __future__ import annotations

from collections.abc import Iterable

from starlane.engine.ports import Sky
from starlane.engine.turns import with_turns_of_today
from starlane.records import NOBODY, Alliance, Picket, Pilot, Planet
from starlane.rules.worth import cargo_worth, picket_worth, planet_worth, ship_worth
from starlane.views import RankLine, ScoreLine


def net_worth(sky: Sky, pilot: Pilot) -> int:
    """All that the pilot owns, in credits: ship, cargo, money, pickets and planets."""
    pickets = sum(map(picket_worth, sky.find(Picket, owner=pilot.id)))
    planets = sum(map(planet_worth, sky.find(Planet, owner=pilot.id)))
    return _sum(pilot, pickets, planets)


def _sum(pilot: Pilot, pickets: int, planets: int) -> int:
    """All parts of a net worth together, of which these two are known already."""
    return ship_worth(pilot) + cargo_worth(pilot) + pilot.credits + pilot.bank + pickets + planets


def ranking(sky: Sky) -> tuple[RankLine, ...]:
    """All pilots, the highest net worth first; of equal ones who came first."""
    return tuple(
        RankLine(
            rank=line.rank,
            pilot=pilot.id,
            name=line.name,
            alliance=line.alliance,
            net_worth=line.net_worth,
            kills=line.kills,
            thorns=line.thorns,
            deaths=line.deaths,
            sectors_seen=line.sectors_seen,
        )
        for pilot, line in _ranked(sky)
    )


def scores(sky: Sky) -> tuple[ScoreLine, ...]:
    """The same with the parts that net worth is made of: they add up to it."""
    return tuple(line for _, line in _ranked(sky))


def _ranked(sky: Sky) -> Iterable[tuple[Pilot, ScoreLine]]:
    pickets = _by_owner((picket.owner, picket_worth(picket)) for picket in sky.find(Picket))
    planets = _by_owner((planet.owner, planet_worth(planet)) for planet in sky.find(Planet))
    alliances = {alliance.id: alliance.name for alliance in sky.find(Alliance)}
    worths = [(_sum(pilot, pickets.get(pilot.id, 0), planets.get(pilot.id, 0)), pilot) for pilot in sky.find(Pilot)]
    worths.sort(key=lambda entry: (-entry[0], entry[1].id))
    rank, last = 0, -1
    for place, (worth, pilot) in enumerate(worths, 1):
        if worth != last:
            rank, last = place, worth
        yield (
            pilot,
            ScoreLine(
                rank=rank,
                name=pilot.name,
                key=pilot.key,
                alliance=alliances.get(pilot.alliance, ""),
                net_worth=worth,
                ship=ship_worth(pilot),
                credits=pilot.credits,
                bank=pilot.bank,
                cargo=cargo_worth(pilot),
                pickets=pickets.get(pilot.id, 0),
                planets=planets.get(pilot.id, 0),
                kills=pilot.kills,
                thorns=pilot.thorns,
                deaths=pilot.deaths,
                sectors_seen=pilot.sectors_seen,
                turns=with_turns_of_today(sky, pilot).turns,
                day=sky.today,
            ),
        )


def _by_owner(parts: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The sum of the parts of each owner."""
    sums: dict[int, int] = {}
    for owner, worth in parts:
        if owner != NOBODY:
            sums[owner] = sums.get(owner, 0) + worth
    return sums
