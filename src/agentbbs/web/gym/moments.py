"""Times of records as Unix milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(9998, 1, 1, tzinfo=UTC)


def moment_ms(timestamp: str) -> int | None:
    """An ISO 8601 time; None if it is none, or one that no page can show."""
    try:
        moment = datetime.fromisoformat(timestamp)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if not _FIRST <= moment < _LAST:
            return None
    except (ValueError, TypeError, OverflowError):
        return None
    return int((moment - _FIRST).total_seconds() * 1000)
