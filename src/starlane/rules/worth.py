"""What things count for in a pilot's net worth, in credits.

Nothing counts for more than a pilot pays at the least, so that buying alone never raises a standing: trade goods count
for less than the cheapest port ever takes for them, hardware and people for half of their price. Credits count in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlane.goods import TRADE_GOODS, Good
from starlane.records import Picket, Pilot, Planet
from starlane.rules.planets import works_cost
from starlane.rules.yard import COLONIST_PRICE, FIGHTER_RESALE, SCANNER_PRICE, holds_price

BASE: Final[Mapping[Good, int]] = {Good.ICE: 10, Good.GRAIN: 20, Good.TOOLS: 40}
"""The value of trade goods that the prices of ports move around."""

COUNTS: Final[Mapping[Good, int]] = {
    **{good: value * 6 // 10 for good, value in BASE.items()},
    Good.COLONISTS: COLONIST_PRICE // 2,
    Good.FIGHTERS: FIGHTER_RESALE,
    Good.CREDITS: 1,
}
"""What one unit counts for. Holds are not here: what they cost depends on how many there are."""


def ship_worth(pilot: Pilot) -> int:
    """Holds, scanner and the fighters aboard."""
    scanner = SCANNER_PRICE // 2 if pilot.scanner else 0
    return holds_price(0, pilot.holds) // 2 + scanner + pilot.fighters * COUNTS[Good.FIGHTERS]


def cargo_worth(pilot: Pilot) -> int:
    """What lies in the holds, people included."""
    return _counted(pilot, (*TRADE_GOODS, Good.COLONISTS))


def picket_worth(picket: Picket) -> int:
    """Fighters that stand in a sector."""
    return picket.fighters * COUNTS[Good.FIGHTERS]


def planet_worth(planet: Planet) -> int:
    """Works, garrison, stores, people and treasury of a planet."""
    paid, tools = works_cost(planet.works)
    works = (paid + tools * COUNTS[Good.TOOLS]) // 2
    return works + _counted(planet, (*TRADE_GOODS, Good.COLONISTS, Good.FIGHTERS, Good.CREDITS))


def _counted(holder: Pilot | Planet, goods: tuple[Good, ...]) -> int:
    return sum(holder.amount(good) * COUNTS[good] for good in goods)
