"""Counts of what the venue does: plain numbers, cheap to raise, read when somebody asks for metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Final

MOVE_MS_BOUNDS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000)
"""Upper bounds (ms) of the buckets for the time that agents take for a move."""


class Tally:
    """Everything counted since the start of the process."""

    def __init__(self) -> None:
        self.matches_begun = 0
        self.matches_ended: Counter[str] = Counter()
        """By termination."""
        self.moves = 0
        self.move_ms = [0] * (len(MOVE_MS_BOUNDS) + 1)
        self.move_ms_sum = 0
        self.errors: Counter[str] = Counter()
        """Error messages sent, by code."""
        self.connections = 0
        """Open now."""
        self.connections_total = 0
        self.calls: Counter[str] = Counter()
        """Callers of the hub now, by transport."""
        self.calls_total: Counter[str] = Counter()
        self.late_moves = 0
        """Moves that came after their match was over."""

    def moved(self, ms: int) -> None:
        """An accepted move took `ms` on its seat's clock."""
        self.moves += 1
        self.move_ms_sum += ms
        self.move_ms[bisect_left(MOVE_MS_BOUNDS, ms)] += 1
