"""What can be wrong with a universe. The text of each is for the operator: what is wrong, and what to do."""

from __future__ import annotations


class UniverseFault(Exception):
    """The file can't be used as a universe, or not in this way."""


class UniverseBusy(UniverseFault):
    """Somebody has held the universe for too long; nothing was changed."""


class UniverseDamaged(UniverseFault):
    """What stands in the file is not what was written there."""


class UniverseMissing(UniverseFault):
    """There is no universe yet."""


class UniverseReset(UniverseFault):
    """The universe was made anew while this process had it open; open it again and enter."""
