"""What a pilot has after the loss of its ship: less than before, never more, and always a ship that flies."""

from __future__ import annotations

from typing import Final

import msgspec

from starlane.goods import CARGO, Good
from starlane.records import Pilot
from starlane.rules.worth import COUNTS, cargo_worth, ship_worth
from starlane.settings import Settings

BANK_LOSS_DIVISOR: Final = 10
"""A tenth of the bank goes with the ship: savings are safer than purses, and not quite safe."""
TURNS_DIVISOR: Final = 2
"""Half of the day's turns go with it."""
CREDITS_DIVISOR: Final = 2
"""The new ship comes with half of a newcomer's credits."""

_WITH_THE_SHIP: Final = (Good.CREDITS, *CARGO, Good.FIGHTERS, Good.HOLDS)


class FreshStart(msgspec.Struct, frozen=True, kw_only=True):
    """What a loss takes and gives."""

    gone: dict[Good, int]
    """What went down with the ship."""
    fined: int
    """Credits that the bank loses."""
    given: dict[Good, int]
    """The new ship's holds, credits and fighters."""


def fresh_start(settings: Settings, wreck: Pilot, shot_down: int) -> FreshStart:
    """What the loss of the ship `wreck` means, of which winners have taken their part, and which lost `shot_down`
    fighters in its last fight.

    The new ship has a newcomer's holds and fighters and half of a newcomer's credits, but counts for no more than what
    was lost and nobody got: credits come first, then fighters. So neither a death nor a pair of pilots who shoot each
    other makes anything.
    """
    gone = {good: wreck.amount(good) for good in _WITH_THE_SHIP}
    fined = wreck.bank // BANK_LOSS_DIVISOR
    holds = min(settings.start_holds, wreck.holds)
    lost = ship_worth(wreck) + cargo_worth(wreck) + wreck.credits + fined + shot_down * COUNTS[Good.FIGHTERS]
    left = lost - ship_worth(Pilot(id=wreck.id, key=wreck.key, name=wreck.name, sector=wreck.sector, holds=holds))
    purse = min(settings.start_credits // CREDITS_DIVISOR, left)
    fighters = min(settings.start_fighters, (left - purse) // COUNTS[Good.FIGHTERS])
    return FreshStart(gone=gone, fined=fined, given={Good.HOLDS: holds, Good.CREDITS: purse, Good.FIGHTERS: fighters})
