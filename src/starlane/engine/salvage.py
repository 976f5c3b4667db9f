"""What the winner of a fight takes from the ship that it destroyed."""

from __future__ import annotations

from typing import Final

from starlane.goods import Good
from starlane.records import Pilot
from starlane.settings import MAX_AMOUNT

SURVIVING_DIVISOR: Final = 2
"""Half of the credits and of the cargo survives a wreck: piracy never pays as well as the trade that it lives on."""

_DEAREST_FIRST: Final = (Good.TOOLS, Good.GRAIN, Good.ICE, Good.COLONISTS)


def salvage(winner: Pilot, wreck: Pilot) -> tuple[Pilot, Pilot, dict[Good, int]]:
    """Winner and wreck after the winner took what survived and it has room for, and what that was. Nothing is kept."""
    taken: dict[Good, int] = {}
    purse = min(wreck.credits // SURVIVING_DIVISOR, MAX_AMOUNT - winner.credits)
    if purse:
        taken[Good.CREDITS] = purse
    room = winner.free_holds()
    for good in _DEAREST_FIRST:
        units = min(wreck.amount(good) // SURVIVING_DIVISOR, room)
        if units:
            taken[good] = units
            room -= units
    more = {good.value: amount for good, amount in taken.items()}
    less = {field: -amount for field, amount in more.items()}
    return winner.with_more(**more), wreck.with_more(**less), taken
