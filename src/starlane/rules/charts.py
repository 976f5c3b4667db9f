"""The map: which lanes lead where, and the shortest way. It is made once from a world's lanes and never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from starlane.records import Lane

MAX_KEPT_TREES: Final = 32
"""Search trees, one a source, that are kept for the next question: callers ask many ways from the same place. One of
the greatest world takes about a megabyte."""


class Charts:
    """The lanes of a world, as `engine.ports.Lanes`."""

    __slots__ = ("_out", "_trees")

    def __init__(self, lanes: Iterable[Lane]) -> None:
        """Take `lanes` in any order."""
        out: dict[int, list[int]] = {}
        for lane in lanes:
            out.setdefault(lane.source, []).append(lane.target)
        self._out: Mapping[int, tuple[int, ...]] = {source: tuple(sorted(targets)) for source, targets in out.items()}
        self._trees: dict[int, dict[int, int]] = {}

    def out_of(self, sector: int) -> tuple[int, ...]:
        """The sectors that lanes lead to, in order of number; none where there is no such sector."""
        return self._out.get(sector, ())

    def path(self, source: int, target: int) -> tuple[int, ...]:
        """A shortest way, the target included and the source not; empty where they are the same. Of several the one
        whose sectors come first in number. Raises LookupError where no lanes lead from `source` to `target`.
        """
        tree = self._tree(source)
        if target not in tree:
            raise LookupError(f"no way leads from sector {source} to sector {target}")
        way = []
        while target != source:
            way.append(target)
            target = tree[target]
        return tuple(reversed(way))

    def hops(self, source: int) -> dict[int, int]:
        """How many lanes a shortest way has from `source` to each sector that can be reached, the nearest first."""
        away = {source: 0}
        for sector, before in self._tree(source).items():
            if sector != source:
                away[sector] = away[before] + 1
        return away

    def _tree(self, source: int) -> dict[int, int]:
        """For each sector the one before it on its way from `source`, the nearest first.

        Breadth first, neighbours by number: then each step's sectors are found in the order of their best ways, so that
        the first to find a sector is the one before it on the way that comes first in number.
        """
        tree = self._trees.get(source)
        if tree is None:
            if len(self._trees) >= MAX_KEPT_TREES:
                self._trees.pop(next(iter(self._trees)), None)
            tree = {source: source}
            edge = [source]
            while edge:
                found = []
                for sector in edge:
                    for target in self.out_of(sector):
                        if target not in tree:
                            tree[target] = sector
                            found.append(target)
                edge = found
            self._trees[source] = tree
        return tree
