"""What is asked of a sysop who turns somebody away."""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.hub.caller import Caller
from agentbbs.store.bans import MAX_REASON_CHARS

_DAY_MS: Final = 86_400_000
_LENGTHS: Final = (("an hour", _DAY_MS // 24), ("a day", _DAY_MS), ("a week", 7 * _DAY_MS), ("for good", None))


class Until(msgspec.Struct, frozen=True):
    """When a ban ends, in Unix milliseconds; None: never."""

    at_ms: int | None


async def ask_ban_length(caller: Caller, now_ms: int) -> Until | None:
    """None if the sysop thought better of it."""
    index = await caller.choose("For how long?", [name for name, _ in _LENGTHS])
    if index is None:
        return None
    length_ms = _LENGTHS[index][1]
    return Until(None if length_ms is None else now_ms + length_ms)


async def ask_reason(caller: Caller) -> str | None:
    """A sentence that the one who is turned away is shown; None or "" if the sysop thought better of it."""
    return await caller.ask("Why (the caller is shown it): ", max_chars=MAX_REASON_CHARS)
