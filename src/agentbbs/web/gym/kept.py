"""Results that are kept as long as the files that they were read from stay as they were."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class Kept(Generic[V]):
    """By key and stamp, those that were asked for last, up to a weight of `most` all together. For threads.

    Two that ask for the same at the same time may both make it: nobody waits for anybody.
    """

    def __init__(self, most: int, weigh: Callable[[V], int] = lambda _: 1) -> None:
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._lock = Lock()
        self._values: OrderedDict[Hashable, tuple[Hashable, V]] = OrderedDict()

    def get(self, key: Hashable, stamp: Hashable, make: Callable[[], V]) -> V:
        """What is kept under `key` if its stamp is the same, else what `make` makes, which is kept from now on. What
        `make` raises is not kept."""
        with self._lock:
            found = self._values.get(key)
            if found is not None and found[0] == stamp:
                self._values.move_to_end(key)
                return found[1]
        value = make()
        with self._lock:
            self._drop(key)
            self._values[key] = (stamp, value)
            self._weight += self._weigh(value)
            while self._weight > self._most and len(self._values) > 1:
                self._drop(next(iter(self._values)))
        return value

    def _drop(self, key: Hashable) -> None:
        gone = self._values.pop(key, None)
        if gone is not None:
            self._weight -= self._weigh(gone[1])
