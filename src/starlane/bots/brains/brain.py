"""What a brain is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from starlane.bots.helm import Helm


class Brain(Protocol):
    """Plays one pilot, from day to day; it remembers what it saw."""

    def day(self, helm: Helm) -> Iterator[None]:
        """Play until the turns of the day are gone or there is nothing left to do. Pauses whenever a turn may have been
        spent, so that others can play meanwhile; no bargain is open then."""
