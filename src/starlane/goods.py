"""What can be owned: money, trade goods, people and hardware. Every amount of them is a whole number."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Good(StrEnum):
    """A kind of thing that pilots, ports, planets and pickets hold."""

    CREDITS = "credits"
    ICE = "ice"
    GRAIN = "grain"
    TOOLS = "tools"
    COLONISTS = "colonists"
    FIGHTERS = "fighters"
    HOLDS = "holds"


TRADE_GOODS: Final = (Good.ICE, Good.GRAIN, Good.TOOLS)
"""What ports buy and sell, from the cheapest to the dearest."""

CARGO: Final = (*TRADE_GOODS, Good.COLONISTS)
"""What a ship carries in its holds, one unit a hold."""
