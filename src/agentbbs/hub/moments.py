"""Times as callers read them. Pure. Everything is UTC: callers are anywhere, and so is the board."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"))


def clock(ms: int) -> str:
    """Unix milliseconds as `14:05 UTC`."""
    return f"{_moment(ms):%H:%M} UTC"


def stamp(ms: int) -> str:
    """Unix milliseconds as `2026-01-31 14:05`, in UTC; 16 characters."""
    return f"{_moment(ms):%Y-%m-%d %H:%M}"


def span(ms: int) -> str:
    """A length in milliseconds, by its largest unit: `3 min`."""
    seconds = max(ms, 0) // 1000
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, tz=UTC)
