"""When a caller who types nothing is warned, and when its line is hung up. Pure; times are seconds of any clock."""

from __future__ import annotations

from typing import Final

WARN_SHARE: Final = 0.75
"""Of the limit, as BBSes do."""


class Idle:
    """One caller's stillness. Without a limit nothing is ever due."""

    def __init__(self, limit_s: float | None, now: float, *, warn_share: float = WARN_SHARE) -> None:
        self.limit_s = limit_s
        self.warned = False
        """The caller was asked whether it is there; the key that answers is no input."""
        self._warn_share = warn_share
        self._since = now

    def pressed(self, now: float) -> bool:
        """A key came. Whether it is input, and no answer to the warning."""
        warned, self.warned = self.warned, False
        self._since = now
        return not warned

    @property
    def next_at(self) -> float | None:
        """When to look again."""
        if self.limit_s is None:
            return None
        return self._since + self.limit_s * (1.0 if self.warned else self._warn_share)

    def to_warn(self, now: float) -> bool:
        """Whether to warn now."""
        return not self.warned and self._due(now)

    def over(self, now: float) -> bool:
        """Whether to hang up now."""
        return self.warned and self._due(now)

    def _due(self, now: float) -> bool:
        return self.next_at is not None and now >= self.next_at
