"""How a source has paused in the middle of its output, and what that says about the next pause."""

from __future__ import annotations

from bisect import insort
from collections import deque
from typing import Final

WINDOW: Final = 64
"""Pauses remembered: enough for a 95th percentile, few enough to follow a line that becomes slow."""

LEAST_S: Final = 0.001
"""Shorter ones are how the operating system cut one write, and say nothing about the program."""

MOST_S: Final = 2.0
"""Longer ones are something new that happens: a message from another user, a warning."""


class Pauses:
    """The last `WINDOW` pauses between two pieces of output with no input between them, in seconds."""

    __slots__ = ("_ordered", "_recent")

    def __init__(self) -> None:
        self._recent: deque[float] = deque()
        self._ordered: list[float] = []

    def __len__(self) -> int:
        return len(self._recent)

    def add(self, pause_s: float) -> None:
        """Remember one, if it is between `LEAST_S` and `MOST_S`."""
        if not LEAST_S <= pause_s <= MOST_S:
            return
        if len(self._recent) == WINDOW:
            self._ordered.remove(self._recent.popleft())
        self._recent.append(pause_s)
        insort(self._ordered, pause_s)

    def quantile(self, share: float) -> float:
        """The pause that `share` (0-1) of the remembered ones do not exceed; 0.0 if there are none."""
        if not self._ordered:
            return 0.0
        return self._ordered[min(len(self._ordered) - 1, int(share * len(self._ordered)))]
