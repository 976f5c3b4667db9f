"""So many at once, then one each so many seconds, for each key by itself (a token bucket). Pure but for its clock.

Of each key one number is kept: when its bucket will be full again. So a key that was quiet long enough is as good as
one never seen, and the one touched longest ago is forgotten when there are too many (which lets nobody do more than
somebody with as many keys could anyway).
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

MAX_KEYS: Final = 50_000
"""Keys remembered, some 200 bytes each: 10 MB in the worst of floods."""

_ROUNDING: Final = 1e-6
"""Of one take: sums of refills are not exact."""


class Throttle:
    """Each key may `take` `burst` times at once, and gets one back every `refill_s` seconds of `clock`."""

    def __init__(self, *, burst: int, refill_s: float, clock: Callable[[], float], max_keys: int = MAX_KEYS) -> None:
        self._burst = burst
        self._slack_s = (burst - 1) * refill_s
        self._refill_s = refill_s
        self._clock = clock
        self._max_keys = max_keys
        self._full_at_s: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        """How many keys are remembered."""
        return len(self._full_at_s)

    def wait_s(self, key: str) -> float:
        """How long until `key` may take one; 0 if it may now."""
        wait_s = self.full_s(key) - self._slack_s
        return wait_s if wait_s > self._refill_s * _ROUNDING else 0.0

    def take(self, key: str) -> float:
        """Take one and return 0; or take nothing, and return how long to wait."""
        wait_s = self.wait_s(key)
        if wait_s == 0:
            now_s = self._clock()
            self._full_at_s[key] = max(self._full_at_s.get(key, now_s), now_s) + self._refill_s
            self._full_at_s.move_to_end(key)
            self._forget(now_s)
        return wait_s

    def left(self, key: str) -> int:
        """How many `key` may take right now."""
        return self._burst - math.ceil(self.full_s(key) / self._refill_s - _ROUNDING)

    def full_s(self, key: str) -> float:
        """How long until `key` has its whole burst again; 0 if it has."""
        now_s = self._clock()
        return max(0.0, self._full_at_s.get(key, now_s) - now_s)

    def give_back(self, key: str) -> None:
        """Undo one `take`."""
        if key in self._full_at_s:
            self._full_at_s[key] -= self._refill_s

    def clear(self, key: str) -> None:
        """Forget what `key` took."""
        self._full_at_s.pop(key, None)

    def _forget(self, now_s: float) -> None:
        """Let go of the oldest keys that are as good as new, and of those that are too many."""
        while self._full_at_s:
            oldest = next(iter(self._full_at_s))
            if len(self._full_at_s) <= self._max_keys and self._full_at_s[oldest] > now_s:
                return
            del self._full_at_s[oldest]
