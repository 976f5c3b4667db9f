"""What planets are good for: what their colonists make, how many live there, and what the works of a planet cost.

A settled planet is an investment. With a garrison of a tenth of its colonists it pays back what colonists, garrison and
works cost in five to eight days, and sooner with high works and many colonists. Nothing but its garrison and its works
keeps it from being taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from starlane.records import Job, Kind, Planet

MAX_WORKS: Final = 5
"""Levels of works: beyond that the best planets would outgrow all trade."""
MIN_SETTLERS: Final = 10
"""Colonists that a claim takes: half of a new ship's holds, so that a newcomer can, and nobody claims in passing."""
MAX_PLANETS: Final = 12
"""Of one pilot: who has so many claims no more, so that newcomers find some. What is conquered comes on top."""
STORE_UNITS: Final = 1_000
"""What a planet without works keeps of each thing that is made there: some days of harvest, so that it must be fetched.
Each level of works adds as much."""
WORKS_CREDITS: Final = 2_000
"""Of the first level of works; each next one costs so much more than the last."""
WORKS_TOOLS: Final = 40
"""As WORKS_CREDITS, in tools: two loads of a new ship."""
WORKS_YIELD_PERMILLE: Final = 250
"""What each level of works adds to the harvest."""
WORKS_DEFENCE_PERMILLE: Final = 200
"""What each level of works adds to the strength of a garrison: twice as strong at the highest."""
BIRTHS_PERMILLE: Final = 30
"""Colonists born in a day: a settlement doubles in about 24 days by itself."""
LEAVERS_PERMILLE: Final = 100
"""Of the colonists beyond `max_colonists`, those who leave in a day."""


class Nature(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind of planet is like."""

    makes: Mapping[Job, int]
    """Units that 1,000 colonists make in a day, without works."""
    colonists: int
    """How many can live there without works; each level of works adds half as many."""
    best: Job
    """What it is best at: the job of new settlements."""
    text: str
    """For pilots, half a line."""


NATURES: Final[Mapping[Kind, Nature]] = {
    Kind.OCEAN: Nature(
        makes={Job.ICE: 60, Job.GRAIN: 120, Job.TOOLS: 15, Job.FIGHTERS: 6},
        colonists=2_500,
        best=Job.GRAIN,
        text="the best grain, room for many",
    ),
    Kind.PRAIRIE: Nature(
        makes={Job.ICE: 200, Job.GRAIN: 100, Job.TOOLS: 50, Job.FIGHTERS: 16},
        colonists=3_000,
        best=Job.GRAIN,
        text="fair at everything, room for most",
    ),
    Kind.MOUNTAIN: Nature(
        makes={Job.ICE: 80, Job.GRAIN: 20, Job.TOOLS: 64, Job.FIGHTERS: 20},
        colonists=1_500,
        best=Job.TOOLS,
        text="the best tools, room for few",
    ),
    Kind.FROST: Nature(
        makes={Job.ICE: 260, Job.GRAIN: 10, Job.TOOLS: 20, Job.FIGHTERS: 8},
        colonists=2_000,
        best=Job.ICE,
        text="the most ice, heavy to carry away",
    ),
    Kind.ASH: Nature(
        makes={Job.ICE: 30, Job.GRAIN: 10, Job.TOOLS: 20, Job.FIGHTERS: 40},
        colonists=1_000,
        best=Job.FIGHTERS,
        text="poor in goods, the most fighters",
    ),
}
"""Worth a day of 1,000 colonists at their best, in base values: ocean 2,400, frost 2,600, mountain 2,560, prairie 2,000
of any trade good, ash 2,000 of fighters that the yard takes back at half of that."""


def store_cap(planet: Planet) -> int:
    """Units of each thing that the harvest fills up to. What ships bring may lie there beyond it."""
    return STORE_UNITS * (1 + planet.works)


def makes_per_day(planet: Planet) -> int:
    """Units of its job that the coming day brings: none where nobody owns it, nor beyond `store_cap`.

    Of a crowd as many have work as can live there.
    """
    if not planet.owner:
        return 0
    rate = NATURES[planet.kind].makes[planet.job]
    hands = min(planet.colonists, max_colonists(planet))
    made = hands * rate * (1000 + WORKS_YIELD_PERMILLE * planet.works) // 1_000_000
    lies_there: int = getattr(planet, planet.job.value)
    return max(0, min(made, store_cap(planet) - lies_there))


def max_colonists(planet: Planet) -> int:
    """How many can live there: births stop at it, and beyond it colonists leave."""
    return NATURES[planet.kind].colonists * (2 + planet.works) // 2


def births(planet: Planet) -> int:
    """By how many the colonists grow over a day; negative where the planet is crowded, 0 where nobody owns it.

    At least one is born where anybody lives and there is room, and at least one leaves where there is none.
    """
    if not planet.owner or not planet.colonists:
        return 0
    room = max_colonists(planet) - planet.colonists
    if room < 0:
        return -max(1, -room * LEAVERS_PERMILLE // 1000)
    return min(room, max(1, planet.colonists * BIRTHS_PERMILLE // 1000))


def build_cost(planet: Planet) -> tuple[int, int]:
    """Credits and tools for the next level of works; (0, 0) at the highest."""
    if planet.works >= MAX_WORKS:
        return 0, 0
    return WORKS_CREDITS * (planet.works + 1), WORKS_TOOLS * (planet.works + 1)


def works_cost(works: int) -> tuple[int, int]:
    """Credits and tools that went into so many levels of works, all together."""
    levels = works * (works + 1) // 2
    return WORKS_CREDITS * levels, WORKS_TOOLS * levels


def defence_permille(planet: Planet) -> int:
    """How strong its garrison fights, in thousandths of the same fighters in open space: 1000 without works."""
    return 1000 + WORKS_DEFENCE_PERMILLE * planet.works
