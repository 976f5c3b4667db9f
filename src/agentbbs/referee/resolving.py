"""Names to addresses: each name is looked up once at a time, and only so many names at once.

A look-up of the system can't be called off, and an agent's name servers may be slow on purpose. So look-ups have
threads of their own, which hold up neither the venue's other threads nor its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
from collections.abc import Sequence
from typing import Any, Final, Protocol

from agentbbs.referee.attempt import CURRENT
from agentbbs.referee.failures import OwnFault

MAX_LOOKUPS: Final = 64
"""Names that are looked up at once; a stuck one holds its place for as long as the system's resolver tries."""

_Found = Sequence[tuple[Any, ...]]


class Resolver(Protocol):
    """Where the addresses of a name come from."""

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """All addresses of `host`, in the order in which to try them. Raises OSError."""
        ...


class Lookups:
    """The look-ups that are under way. Not cached: what a name led to a moment ago says nothing about now."""

    def __init__(self, resolver: Resolver, most: int = MAX_LOOKUPS) -> None:
        self._resolver = resolver
        self._most = most
        self._places = asyncio.Semaphore(most)
        self._under_way: dict[tuple[str, int], asyncio.Task[Sequence[str]]] = {}
        self._queued: set[tuple[str, int]] = set()

    def __len__(self) -> int:
        """Names that are looked up or wait for that."""
        return len(self._under_way)

    async def addresses(self, host: str, port: int) -> Sequence[str]:
        """As `Resolver`, and at least one; together with whoever asks for the same name. Who is cancelled leaves the
        look-up to end by itself, with its place. Raises OwnFault after `close`."""
        key = (host, port)
        task = self._under_way.get(key)
        if task is None:
            if len(self._under_way) >= self._most:
                self._queued.add(key)
            task = self._under_way[key] = asyncio.create_task(self._look_up(key))
            task.add_done_callback(_heard)
        attempt = CURRENT.get(None)
        if attempt is not None and key in self._queued:
            attempt.crowded = True
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            asking = asyncio.current_task()
            if task.cancelled() and (asking is None or not asking.cancelling()):
                raise OwnFault("names are no more looked up") from None  # it was `close`, and not whoever asks
            raise

    async def close(self) -> None:
        """Wait for no answer."""
        tasks = tuple(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look_up(self, key: tuple[str, int]) -> Sequence[str]:
        try:
            async with self._places:
                self._queued.discard(key)
                found = await self._resolver(*key)
                if not found:
                    raise OSError(errno.ENOENT, "the name has no address")
                return found
        finally:
            self._queued.discard(key)
            del self._under_way[key]


def _heard(task: asyncio.Task[Sequence[str]]) -> None:
    """Take note of the fault of a look-up for which nobody waits any more: it is of no use to anybody."""
    if not task.cancelled():
        task.exception()


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """The look-up of the system, in a thread of its own. Raises OSError, also where the name does not resolve
    (`socket.gaierror`), and OwnFault where this machine can't look up."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[_Found] = loop.create_future()

    def tell(answer: _Found | None, fault: BaseException | None) -> None:
        if found.done():
            return
        if fault is not None:
            found.set_exception(fault)
        else:
            found.set_result(answer or ())

    def look_up() -> None:
        answer, fault = None, None
        try:
            answer = _get_addresses(host, port)
        except Exception as raised:
            fault = raised
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it whoever waited
            loop.call_soon_threadsafe(tell, answer, fault)

    # A daemon: the end of the venue does not wait for somebody's name servers.
    threading.Thread(target=look_up, name="agentbbs-name", daemon=True).start()
    return list(dict.fromkeys(str(entry[4][0]) for entry in await found))


def _get_addresses(host: str, port: int) -> _Found:
    # No AI_ADDRCONFIG: an address counts as what it is, also where this machine could not reach it.
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except socket.gaierror as fault:
        if fault.errno == socket.EAI_MEMORY:
            raise OwnFault("no memory to look up a name") from fault
        # Without a free file handle the system can't ask a name server, and says "try again": a socket tells.
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
        raise
