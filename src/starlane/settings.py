"""The numbers of a world. They are chosen when it is made, and kept in it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

MIN_SECTORS: Final = 20
"""Below that there is no room for a safe home, an empire and trade between them."""
MAX_SECTORS: Final = 20_000
"""A thousand pilots have room; the path finder still answers at once."""


class Clock(StrEnum):
    """What starts a new day."""

    LOCAL = "local"
    """The calendar of the machine: the first to enter on a new local day starts it."""
    MANUAL = "manual"
    """`starlane maintain --days N` alone: for matches, where a midnight must not fall between two turns."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator may choose. The defaults are those of `starlane new`."""

    seed: int
    sectors: int = 500
    clock: Clock = Clock.LOCAL
    turns_per_day: int = 250
    protected_days: int = 3
    """Newcomers can't be attacked, and don't attack, on the day of their arrival and so many less one after it."""
    start_credits: int = 2_000
    start_holds: int = 20
    start_fighters: int = 25


MAX_HOLDS: Final = 200
"""Of one ship; later holds cost more, and this bounds what one trade can do to a port."""
MAX_FIGHTERS: Final = 20_000
"""Of one ship; more must be deployed or garrisoned."""
MAX_AMOUNT: Final = 1_000_000_000
"""Of anything anybody owns: far below what SQLite's integers hold, so that no sum of them can overflow."""
MAX_NAME_CHARS: Final = 24
"""Of pilots, planets and alliances: two of them fit into a line of 80 columns with what they did."""
MAX_TEXT_CHARS: Final = 400
"""Of a letter, a broadcast or a note: five lines of 80 columns."""
