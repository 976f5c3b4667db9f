"""What a picket takes from a stranger whom it lets in."""

from __future__ import annotations

from typing import Final

_LEAST: Final = 10
"""Credits for a single fighter: worth the stop."""
_FIGHTERS_PER_CREDIT: Final = 2
"""More fighters ask more: else one would stand in every sector. A strong picket earns its price in a hundred tolls."""
MAX_TOLL: Final = 5_000
"""Credits: a way that few can pay is a guarded one, and there is a stance for that."""


def toll(fighters: int) -> int:
    """The credits that a picket of so many fighters asks."""
    return min(fighters // _FIGHTERS_PER_CREDIT + _LEAST, MAX_TOLL)
