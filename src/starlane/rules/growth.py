"""How ports recover over a day."""

from __future__ import annotations

from typing import Final

from starlane.goods import Good
from starlane.records import Port

GROWTH_PERMILLE: Final = 80
"""Of its size that a port makes, or uses up, of each good in a day: a port that was traded dry is whole after 13 days,
so that it pays to know many of them."""


def growth(port: Port, good: Good) -> int:
    """How the port's stock of `good` changes over a day: up to full where it sells, down to nothing where it buys.

    At least one unit while there is any way to go, so that the smallest port recovers too.
    """
    step = max(1, port.size(good) * GROWTH_PERMILLE // 1000)
    if port.sells(good):
        return min(step, port.size(good) - port.stock(good))
    return -min(step, port.stock(good))
