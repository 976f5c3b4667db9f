"""How the pages write figures."""

from __future__ import annotations


def days(number: int) -> str:
    """Such as `1 day` or `3 days`."""
    return "1 day" if number == 1 else f"{number:,} days"


def percent(permille: int) -> str:
    """Thousandths as per cent: 14 is `1.4%`, 20 is `2%`."""
    return f"{permille // 10}.{permille % 10}%" if permille % 10 else f"{permille // 10}%"
