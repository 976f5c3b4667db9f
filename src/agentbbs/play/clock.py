"""Deadlines as a pure structure: which keys are due at a given time, and when to look next.

Made for many deadlines that are moved far more often than they pass: moving one forward costs a
dictionary write, since its entry in the heap stays where it is and is moved on when its old time comes.
Times are seconds of any one monotonic clock; keys are integers that the caller makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush


class Deadlines:
    """A set of (key, time) with at most one time a key."""

    __slots__ = ("_armed", "_heap", "_queued")

    def __init__(self) -> None:
        self._heap: list[tuple[float, int]] = []
        self._armed: dict[int, float] = {}
        self._queued: dict[int, float] = {}

    def __len__(self) -> int:
        """How many keys have a deadline."""
        return len(self._armed)

    def arm(self, key: int, at: float) -> None:
        """Give `key` the deadline `at`, in place of the one it had."""
        self._armed[key] = at
        queued = self._queued.get(key)
        if queued is None or queued > at:
            self._queued[key] = at
            heappush(self._heap, (at, key))

    def disarm(self, key: int) -> None:
        """Take the deadline of `key` away; nothing happens if it has none."""
        self._armed.pop(key, None)

    def next_look(self) -> float | None:
        """When `due` is next worth a call: never later than the earliest deadline. None if never."""
        return self._heap[0][0] if self._heap else None

    def due(self, now: float) -> Iterator[int]:
        """The keys whose deadline is at or before `now`, earliest first. Each loses its deadline when it is
        reached, so that whoever goes through them may still move or take away the deadlines that follow."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            queued, key = heappop(heap)
            if self._queued.get(key) != queued:
                continue  # an earlier deadline of this key has an entry of its own
            del self._queued[key]
            at = self._armed.get(key)
            if at is None:
                continue
            if at > queued:
                self._queued[key] = at
                heappush(heap, (at, key))
            else:
                del self._armed[key]
                yield key
