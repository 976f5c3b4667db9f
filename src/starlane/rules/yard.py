"""The price list of the shipyard at Haven, in credits."""

from __future__ import annotations

from typing import Final

FIGHTER_PRICE: Final = 50
"""Of one fighter: what a newcomer earns in a few turns buys a handful."""
FIGHTER_RESALE: Final = 25
"""What the yard pays for one: half, so that arming and disarming costs something."""
COLONIST_PRICE: Final = 8
"""Of the passage of one colonist: less than ice, for a planet pays back only after days."""
SCANNER_PRICE: Final = 3_000
"""More than a newcomer has: the first thing to save for."""

WAGE: Final = 5
"""For a turn of work in the yard: a twentieth of what a newcomer's trade brings, so that it is a way out of need and
none to riches."""

_FIRST_HOLD = 60
"""Of the first hold of a ship."""
_HOLD_STEP = 12
"""So much more for each hold that is there already: to double a large ship takes many trips, a small one few."""


def hold_price(holds: int) -> int:
    """What one more hold costs on a ship that has `holds`."""
    return _FIRST_HOLD + _HOLD_STEP * holds


def holds_price(holds: int, more: int) -> int:
    """What `more` holds cost together on a ship that has `holds`; the same in one purchase or in several."""
    return _FIRST_HOLD * more + _HOLD_STEP * (holds * more + more * (more - 1) // 2)


def affordable_holds(holds: int, purse: int, most: int) -> int:
    """How many more holds `purse` credits pay for, `most` at most."""
    more = 0
    while more < most and holds_price(holds, more + 1) <= purse:
        more += 1
    return more
