"""A deadline for everything within a block, which does not blame on others that the venue was busy.

An answer that waited in a buffer of this machine while the loop was held up was in time: so when the deadline has come,
the loop turns a few times more, which takes no time if there is nothing to read.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Final, Self

TURNS: Final = 8
"""From the socket through TLS and HTTP to the task that waits it takes two or three."""


class Deadline:
    """Async context manager: what is awaited within ends with TimeoutError after `after_s` seconds."""

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self._timeout = asyncio.timeout(None)
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.Handle | None = None

    def expired(self) -> bool:
        """Whether it was the deadline that ended the block."""
        return self._timeout.expired()

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self._handle = self._loop.call_later(self._after_s, self._late, TURNS)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            self._handle.cancel()
        await self._timeout.__aexit__(kind, fault, trace)

    def _late(self, turns: int) -> None:
        if turns:
            self._handle = self._loop.call_soon(self._late, turns - 1)
        else:
            self._timeout.reschedule(self._loop.time())
