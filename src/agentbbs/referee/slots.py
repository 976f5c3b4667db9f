"""Who may be asked now: one request in flight an agent and a URL, a few a host and port. First come, first served.

Waiting here is the venue's own delay, so it is on nobody's clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from agentbbs.referee.endpoint_url import EndpointUrl

PER_TARGET: Final = 8
"""Requests in flight to one host and port: a shared host serves several agents, and nobody is flooded."""


class Slots:
    """All requests of this process."""

    def __init__(self, per_target: int = PER_TARGET) -> None:
        self._per_target = per_target
        self._free: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}

    def __len__(self) -> int:
        """Keys that somebody holds or waits for."""
        return len(self._users)

    @asynccontextmanager
    async def hold(self, agent: str, url: EndpointUrl) -> AsyncIterator[None]:
        """Wait until `agent` may be asked at `url`, and hold the place meanwhile."""
        # Always in this order, so that nobody waits for somebody who waits for him.
        keys = ((f"agent {agent}", 1), (f"url {url.text}", 1), (f"target {url.authority}", self._per_target))
        async with AsyncExitStack() as held:
            for key, places in keys:
                await held.enter_async_context(self._place(key, places))
            yield

    @asynccontextmanager
    async def _place(self, key: str, places: int) -> AsyncIterator[None]:
        free = self._free.get(key)
        if free is None:
            free = self._free[key] = asyncio.Semaphore(places)
        self._users[key] = self._users.get(key, 0) + 1
        try:
            async with free:
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._free[key]
