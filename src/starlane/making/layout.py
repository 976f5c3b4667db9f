"""The shape of a world: places on a grid, grown outwards from Haven, and the lanes between them.

Places are counted from 0, which is Haven, to the last, which is Thornhold. Each new place gets a two-way lane to one
beside it, so that these lanes alone connect the world both ways; what is added to them can only shorten ways. A part of
the grid stays void, so that there are dead ends and gulfs to fly around; a few gates lead far away. Thornhold lies at
the end of a lane of its own, farther from Haven than any other place.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from starlane.dice import Dice

MAX_LANES_OUT: Final = 6
"""Out of one sector: they are shown on one line, and each is a place for a picket."""
MIN_HAVEN_LANES: Final = 4
"""One for each side of the grid: whoever leaves Haven has a choice that nobody can bar."""

_LANES_PER_PLACE: Final = 3
"""Lanes out of a sector on average: fewer make ways long, more make all places alike."""
_ONE_WAY_PERMILLE: Final = 130
"""Of all lanes."""
_DEAD_END_PERMILLE: Final = 120
"""Places that get no lane beyond those that connect the world."""
_VOID_PERMILLE: Final = 200
"""Cells of the grid without a place."""
_PLACES_PER_GATE: Final = 30
"""A gate is a two-way lane between any two places: without them the greatest world would be 200 lanes across."""

_Cell: TypeAlias = tuple[int, int]
_HAVEN: Final = 0
_SIDES: Final = ((0, -1), (-1, 0), (1, 0), (0, 1))
_CORNERS: Final = ((-1, -1), (1, -1), (-1, 1), (1, 1))
_LATER: Final = ((1, 0), (-1, 1), (0, 1), (1, 1))
"""Half of the eight cells around one, so that each pair of neighbours comes up once."""


class Layout:
    """Lanes between so many `places`, laid when it is made."""

    def __init__(self, dice: Dice, places: int) -> None:
        self._dice = dice
        self._index: dict[_Cell, int] = {(0, 0): _HAVEN}
        self._out: list[set[int]] = [set()]
        self._count = 0
        self._grow(places - 1)
        self._lay_gates(places // _PLACES_PER_GATE)
        self._lay_more(places - 1)
        self._end_at(places - 1)

    def out(self) -> list[tuple[int, ...]]:
        """For each place where its lanes lead."""
        return [tuple(sorted(targets)) for targets in self._out]

    def _grow(self, places: int) -> None:
        """Place by place, at a cell by chance beside those that are there."""
        dice = self._dice
        corners = dice.shuffled(_CORNERS)[: dice.below(MAX_LANES_OUT - MIN_HAVEN_LANES + 1)]
        for cell in (*_SIDES, *corners):
            self._settle(cell, _HAVEN)
        known = set(self._index)
        edge: list[_Cell] = []
        voids: list[_Cell] = []
        for cell in list(self._index):
            self._discover(cell, known, edge)
        while len(self._out) < places:
            if not edge:
                edge, voids = voids, []
            pick = dice.below(len(edge))
            edge[pick], edge[-1] = edge[-1], edge[pick]
            cell = edge.pop()
            if edge and dice.permille(_VOID_PERMILLE):
                voids.append(cell)
                continue
            beside = [self._index[other] for other in _around(cell, _SIDES) if self._index.get(other, _HAVEN) != _HAVEN]
            self._settle(cell, dice.choice(beside))
            self._discover(cell, known, edge)

    def _settle(self, cell: _Cell, beside: int) -> None:
        self._index[cell] = len(self._out)
        self._out.append(set())
        self._lay(beside, self._index[cell])
        self._lay(self._index[cell], beside)

    @staticmethod
    def _discover(cell: _Cell, known: set[_Cell], edge: list[_Cell]) -> None:
        """Add the cells beside `cell` that nobody looked at yet to the edge."""
        for other in _around(cell, _SIDES):
            if other not in known:
                known.add(other)
                edge.append(other)

    def _lay_gates(self, gates: int) -> None:
        for _ in range(gates):
            one, other = self._dice.below(len(self._out)), self._dice.below(len(self._out))
            if one != other and not self._at_haven(one) and not self._at_haven(other):
                self._lay_two_way(one, other)

    def _at_haven(self, place: int) -> bool:
        return place == _HAVEN or place in self._out[_HAVEN]

    def _lay_more(self, places: int) -> None:
        """Link neighbours by chance until there are lanes enough: first one way, then both ways."""
        dice = self._dice
        closed = {place for place in range(places) if dice.permille(_DEAD_END_PERMILLE)} | {_HAVEN}
        pairs = [
            (place, self._index[other])
            for cell, place in self._index.items()
            for other in _around(cell, _LATER)
            if place not in closed and self._index.get(other, _HAVEN) not in closed
        ]
        wanted = _LANES_PER_PLACE * places
        one_ways = wanted * _ONE_WAY_PERMILLE // 1000
        for one, other in dice.shuffled(pairs):
            if self._count >= wanted:
                break
            if other in self._out[one]:
                continue
            if one_ways > 0:
                source, target = (one, other) if dice.permille(500) else (other, one)
                one_ways -= self._lay(source, target)
            else:
                self._lay_two_way(one, other)

    def _end_at(self, place: int) -> None:
        """Lay a lane to the last place from the farthest that has room for one."""
        beside = next(far for far in reversed(reached(self.out(), [_HAVEN])) if len(self._out[far]) < MAX_LANES_OUT)
        self._out.append(set())
        self._lay_two_way(beside, place)

    def _lay_two_way(self, one: int, other: int) -> None:
        if max(len(self._out[one]), len(self._out[other])) < MAX_LANES_OUT:
            self._lay(one, other)
            self._lay(other, one)

    def _lay(self, source: int, target: int) -> bool:
        """Whether there was room for one more lane out of `source`, which must not lead to `target` yet."""
        if len(self._out[source]) >= MAX_LANES_OUT or target in self._out[source]:
            return False
        self._out[source].add(target)
        self._count += 1
        return True


def _around(cell: _Cell, steps: tuple[_Cell, ...]) -> list[_Cell]:
    return [(cell[0] + right, cell[1] + down) for right, down in steps]


def reached(out: list[tuple[int, ...]], centres: list[int]) -> dict[int, int]:
    """For each place the one of `centres` from which it is fewest lanes away; places in the order of being reached.

    `out` says for each place where its lanes lead.
    """
    centre_of = {centre: centre for centre in centres}
    edge = list(centres)
    while edge:
        found = []
        for place in edge:
            for target in out[place]:
                if target not in centre_of:
                    centre_of[target] = centre_of[place]
                    found.append(target)
        edge = found
    return centre_of
