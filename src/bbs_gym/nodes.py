"""Nodes of a BBS: the harness's own book of them, with leases and waiting. `node_record.py` tells what it is for."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterable
from types import TracebackType
from typing import Final, Self

from bbs_gym.node_record import NodeRecord, SeenBy

__all__ = ["LEASE_WAIT_S", "Lease", "NoNodeFree", "NodePool", "NodeRecord", "SeenBy"]

LEASE_WAIT_S: Final = 60.0
"""For a node: a BBS frees one within seconds, a whole game is not worth waiting for by default."""


class NoNodeFree(Exception):
    """No node could be had; the text says which, and what to do. Infrastructure, never an agent's fault."""


class Lease:
    """One node, until `release`; or use it as a context. Releasing twice is harmless."""

    def __init__(self, node: int, pool: NodePool) -> None:
        self.node: Final = node
        self._pool = pool
        self._held = True

    @property
    def held(self) -> bool:
        """Not released yet."""
        return self._held

    def release(self) -> None:
        """Give it back: who waits gets it."""
        if self._held:
            self._held = False
            self._pool._give_back(self.node)  # noqa: SLF001 - the two are one thing

    def __enter__(self) -> Self:
        """Hold it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give it back."""
        self.release()


class NodePool:
    """Nodes that the harness may use, for one event loop. The lowest free node is given first, as BBSes do.

    A node that is free is wanted by nobody who waits, so neither way to a lease passes by another.
    """

    def __init__(self, nodes: Iterable[int]) -> None:
        """Raises ValueError for no node, or one below 1."""
        self.nodes: Final = tuple(sorted(set(nodes)))
        if not self.nodes or self.nodes[0] < 1:
            raise ValueError("a pool has at least one node, and nodes count from 1")
        self._free = list(self.nodes)
        self._waiting: list[tuple[int | None, asyncio.Future[Lease]]] = []

    @property
    def free(self) -> tuple[int, ...]:
        """The nodes that nobody holds, in order."""
        return tuple(sorted(self._free))

    def lease(self, node: int | None = None) -> Lease:
        """That node, or the lowest that is free, at once. Raises NoNodeFree."""
        self._check(node)
        if node is None:
            if not self._free:
                raise NoNodeFree(f"all {len(self.nodes)} nodes of the pool are in use: wait, or give the pool more")
            return Lease(heapq.heappop(self._free), self)
        if node not in self._free:
            raise NoNodeFree(f"node {node} is in use: wait, or leave the node open")
        self._free.remove(node)
        heapq.heapify(self._free)
        return Lease(node, self)

    async def wait(self, node: int | None = None, *, timeout_s: float = LEASE_WAIT_S) -> Lease:
        """The same, after waiting for it, in the order of arrival. Raises NoNodeFree after `timeout_s`."""
        try:
            return self.lease(node)
        except NoNodeFree:
            self._check(node)
        future: asyncio.Future[Lease] = asyncio.get_running_loop().create_future()
        entry = (node, future)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(timeout_s):
                return await future
        except BaseException as fault:
            self._forget(entry)
            if isinstance(fault, TimeoutError):
                which = "no node" if node is None else f"node {node}"
                why = f"{which} became free within {timeout_s:g} s: end other sessions, or wait longer"
                raise NoNodeFree(why) from None
            raise

    def _forget(self, entry: tuple[int | None, asyncio.Future[Lease]]) -> None:
        """Whoever waited does so no more; a lease that it was given in the same moment goes back."""
        future = entry[1]
        if entry in self._waiting:
            self._waiting.remove(entry)
        if future.done() and not future.cancelled():
            future.result().release()

    def _check(self, node: int | None) -> None:
        if node is not None and node not in self.nodes:
            raise NoNodeFree(f"there is no node {node} in the pool: it has {_told(self.nodes)}")

    def _give_back(self, node: int) -> None:
        for entry in self._waiting:
            wanted, future = entry
            if wanted in {None, node} and not future.done():
                self._waiting.remove(entry)
                future.set_result(Lease(node, self))
                return
        heapq.heappush(self._free, node)


def _told(nodes: tuple[int, ...]) -> str:
    """`1 to 8`, or each of them."""
    if nodes == tuple(range(nodes[0], nodes[-1] + 1)) and len(nodes) > 1:
        return f"{nodes[0]} to {nodes[-1]}"
    return ", ".join(map(str, nodes))
