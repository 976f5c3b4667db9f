"""What ports post: prices that move with their stock.

A port that sells asks more the emptier it is, one that buys pays less the fuller it is; both along a straight line. The
price of a quantity is the exact integral of that line over the units that change hands, so that a trade costs the same
in one piece or in many, but for the rounding, which is always the port's.
"""

from __future__ import annotations

from starlane.goods import Good
from starlane.records import Port
from starlane.rules.worth import BASE

_SELLS_EMPTY = 1100
"""Thousandths of the base value that a port with next to nothing left asks."""
_BUYS_EMPTY = 1300
"""Thousandths that a port with nothing yet pays: enough above the other that a pair of ports is worth finding."""
_FALL = 400
"""Thousandths between empty and full: at three quarters of the way there is nothing left to earn between two ports."""
_TENTHS = 10
"""A credit in the unit of posted prices: ice costs few credits, and its price must be seen to move."""


def unit_price(good: Good, *, sells: bool, stock: int, size: int) -> int:
    """What a port with `stock` of at most `size` units (at least 1) posts for the next unit, in tenths of a credit.

    Rounded for the port: up where it `sells`, down where it buys.
    """
    return _for_port(_TENTHS * BASE[good] * (_empty(sells=sells) * size - _FALL * stock), 1000 * size, sells=sells)


def fair_total(good: Good, *, sells: bool, stock: int, size: int, quantity: int) -> int:
    """What `quantity` units are worth, in credits: from `stock` downwards where the port `sells`, else upwards.

    The caller sees to it that so many can change hands. Rounded as `unit_price`.
    """
    low, high = (stock - quantity, stock) if sells else (stock, stock + quantity)
    over_line = _empty(sells=sells) * size * quantity - _FALL // 2 * (high * high - low * low)
    return _for_port(BASE[good] * over_line, 1000 * size, sells=sells)


def fair_at(port: Port, good: Good, quantity: int) -> int:
    """`fair_total` at `port` as it stands."""
    return fair_total(good, sells=port.sells(good), stock=port.stock(good), size=port.size(good), quantity=quantity)


def _empty(*, sells: bool) -> int:
    return _SELLS_EMPTY if sells else _BUYS_EMPTY


def _for_port(numerator: int, denominator: int, *, sells: bool) -> int:
    return -(-numerator // denominator) if sells else numerator // denominator
