"""The level `admiral`: plans over the whole map that it knows, listens when it haggles, and invests."""

from __future__ import annotations

from typing import Final

from starlane.bots.brains.haggler import Judge
from starlane.bots.brains.merchant import Habits, Merchant

HABITS: Final = Habits(
    to_source=5,
    between=6,
    curious_below=2500,
    curious_within=8,
    least_holds=8,
    most_holds=60,
    yard_within=8,
)


class Admiral(Merchant):
    """See the module; a `Brain`."""

    def __init__(self) -> None:
        super().__init__(HABITS, Judge)
