"""The nodes of a board: a fixed pool, of which each caller gets the lowest that is free."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import contextmanager


class NoNodeFree(Exception):
    """Every node is taken."""


class Nodes:
    """Nodes 1 to `count`."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"a board has at least one node, not {count}")
        self.count = count
        self._free = list(range(1, count + 1))

    @property
    def free(self) -> int:
        """How many are free."""
        return len(self._free)

    @contextmanager
    def taken(self) -> Iterator[int]:
        """The lowest free node, the caller's until the end of the block, however that ends. Raises NoNodeFree."""
        if not self._free:
            raise NoNodeFree(f"all {self.count} nodes are taken")
        node = heapq.heappop(self._free)
        try:
            yield node
        finally:
            heapq.heappush(self._free, node)
