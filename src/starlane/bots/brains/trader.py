"""The level `trader`: trades between neighbouring ports, haggles a little, buys holds, sleeps at home."""

from __future__ import annotations

from typing import Final

from starlane.bots.brains.haggler import Splitter
from starlane.bots.brains.merchant import Habits, Merchant

HABITS: Final = Habits(
    to_source=2,
    between=2,
    curious_below=700,
    curious_within=6,
    least_holds=8,
    most_holds=60,
    yard_within=5,
)


class Trader(Merchant):
    """See the module; a `Brain`."""

    def __init__(self) -> None:
        super().__init__(HABITS, Splitter)
