"""Many questions, one query: whoever asks while a query is on shares the next.

A query that began before a question was asked can't answer it: what it read may have changed since. So each
answer comes from a query that began after the question, and yet a burst of two hundred questions costs two
queries. At rest there is no delay: the first question starts its query at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Gathering(Generic[K, V]):
    """Asks `query` for all the keys that have gathered; it returns what it found, and may leave keys out.

    Lives in one event loop. A query that raises, raises in all who share it; the next is tried anew.
    """

    def __init__(self, query: Callable[[Collection[K]], Awaitable[Mapping[K, V]]]) -> None:
        self._query = query
        self._waiting: dict[K, list[asyncio.Future[V | None]]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def ask(self, key: K) -> V | None:
        """What a query that begins after this call finds for `key`; None if it finds nothing."""
        future: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append(future)
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        return await future

    async def _ask(self) -> None:
        try:
            while self._waiting:
                asked, self._waiting = self._waiting, {}
                try:
                    found = await self._query(asked.keys())
                except Exception as fault:  # noqa: BLE001 - raised again in everybody who asked
                    _answer(asked, lambda future, _, fault=fault: future.set_exception(fault))
                else:
                    _answer(asked, lambda future, key, found=found: future.set_result(found.get(key)))
        finally:
            self._asking = None
