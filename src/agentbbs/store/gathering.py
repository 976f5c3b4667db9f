"""Many questions, one query: whoever asks while a query is on shares the next.

A query that began before a question was asked can't answer it: what it read may have changed since. So each
answer comes from a query that began after the question, and yet a burst of two hundred questions costs two
queries. At rest there is no delay: the first question starts its query at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
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
                await self._answer(asked)
        finally:
            self._asking = None

    async def _answer(self, asked: dict[K, list[asyncio.Future[V | None]]]) -> None:
        found: Mapping[K, V] = {}
        fault: Exception | None = None
        try:
            found = await self._query(asked.keys())
        except asyncio.CancelledError:
            for future in _open(asked.values()):
                future.cancel()
            raise
        except Exception as raised:
            fault = raised  # raised again in everybody who asked
        for key, futures in asked.items():
            for future in _open((futures,)):
                if fault is not None:
                    future.set_exception(fault)
                else:
                    future.set_result(found.get(key))


def _open(groups: Iterable[list[asyncio.Future[V]]]) -> Iterator[asyncio.Future[V]]:
    """Those that still wait; who was cancelled meanwhile does not."""
    return (future for futures in groups for future in futures if not future.done())
