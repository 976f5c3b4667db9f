"""What a pilot remembers of the world: lanes, ports with their stocks, planets, and who bars which way."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from starlane.bots.helm import Charted
from starlane.goods import TRADE_GOODS, Good
from starlane.rules.prices import fair_total
from starlane.rules.worth import BASE
from starlane.views import PlanetLine, PortLine, PortReport, PortView, SectorView

UNREACHED: Final = 10_000
"""Turns to a sector that no known lane leads to: more than any way has."""
_SPAN: Final = 400
"""Thousandths of the base value between the prices of a full and of an empty port: the help pages say so."""
_SELLS_EMPTY: Final = 1100
_BUYS_FULL: Final = 900
_STEP: Final = 10
"""Sizes of ports are multiples of it."""


class Stall(msgspec.Struct, frozen=True, kw_only=True):
    """One good at a port, as far as it is known."""

    good: Good
    sells: bool
    open_for: int
    size: int
    """A guess out of price and units."""
    tenths: int = 0
    """The price of the next unit, in tenths of a credit."""

    def total(self, quantity: int) -> int:
        """What so many units are worth by the board, `open_for` of them at most."""
        stock = self.open_for if self.sells else self.size - self.open_for
        return fair_total(self.good, sells=self.sells, stock=stock, size=self.size, quantity=quantity)


class Berth(msgspec.Struct, frozen=True, kw_only=True):
    """A port and when it was seen."""

    sector: int
    day: int
    stalls: Mapping[Good, Stall]


class Atlas:
    """See the module. Sectors are known by name once a lane to them has been seen, and visited once `note` had them."""

    def __init__(self) -> None:
        self.ports: dict[int, Berth] = {}
        self.planets: dict[int, tuple[PlanetLine, ...]] = {}
        self.barred: set[int] = set()
        """Sectors that a picket keeps shut, or that something keeps the pilot from."""
        self.safe: set[int] = set()
        self._lanes: dict[int, tuple[int, ...]] = {}
        self._visited: set[int] = set()
        self._far: dict[int, dict[int, int]] = {}

    def note(self, view: SectorView) -> None:
        """Remember a sector that the ship is in."""
        lanes = tuple(lane.to for lane in view.lanes)
        if self._lanes.get(view.number) != lanes:
            self._lanes[view.number] = lanes
            self._far.clear()
        self._visited.add(view.number)
        self.planets[view.number] = view.planets
        if view.safe:
            self.safe.add(view.number)

    def study(self, chart: Iterable[Charted]) -> None:
        """Remember what the computer has on its chart."""
        for row in chart:
            self._lanes[row.sector] = tuple(lane.to for lane in row.lanes)
            self._visited.add(row.sector)
            self._visited.update(lane.to for lane in row.lanes if lane.seen)
        self._far.clear()

    def board(self, port: PortView, day: int) -> None:
        """Remember a port's board."""
        self.ports[port.sector] = Berth(
            sector=port.sector, day=day, stalls={line.good: _stall(line) for line in port.lines}
        )

    def report(self, reports: Iterable[PortReport]) -> None:
        """Remember the computer's reports of ports."""
        for each in reports:
            self.board(each.port, each.day)

    def bar(self, sector: int) -> None:
        """Fly there no more."""
        self.barred.add(sector)
        self._far.clear()

    def open_again(self) -> None:
        """Try all ways anew."""
        self.barred.clear()
        self._far.clear()

    def lanes(self, sector: int) -> tuple[int, ...]:
        """The lanes out of a sector, as far as they are known."""
        return self._lanes.get(sector, ())

    def visited(self, sector: int) -> bool:
        """Whether the ship has been there."""
        return sector in self._visited

    def turns(self, source: int, target: int) -> int:
        """Turns to fly from one sector to another by known lanes; UNREACHED if there is no way."""
        if source not in self._far:
            self._far[source] = self._reach(source)
        return self._far[source].get(target, UNREACHED)

    def reach(self, source: int) -> Mapping[int, int]:
        """Every sector that can be reached, with the turns to it, the nearest first."""
        self.turns(source, source)
        return self._far[source]

    def way(self, source: int, target: int) -> tuple[int, ...]:
        """A shortest way by known lanes, through sectors not visited yet where there is a choice; empty if none is."""
        best: dict[int, int] = {source: source}
        strange: dict[int, int] = {source: 0}
        level = [source]
        while level and target not in best:
            found: dict[int, int] = {}
            for here in level:
                for to in self._open(here):
                    news = strange[here] + (to not in self._visited)
                    if to not in best and (to not in found or news > strange[to]):
                        found[to], strange[to] = here, news
            best.update(found)
            level = sorted(found)
        if target not in best:
            return ()
        way = [target]
        while best[way[-1]] != source:
            way.append(best[way[-1]])
        return tuple(reversed(way)) if target != source else ()

    def unvisited(self, source: int) -> Iterator[tuple[int, int]]:
        """Known sectors where the ship has not been, with the turns to them, the nearest first."""
        return ((sector, turns) for sector, turns in self.reach(source).items() if sector not in self._visited)

    def _reach(self, source: int) -> dict[int, int]:
        far = {source: 0}
        edge = deque([source])
        while edge:
            here = edge.popleft()
            for to in self._open(here):
                if to not in far:
                    far[to] = far[here] + 1
                    edge.append(to)
        return far

    def _open(self, sector: int) -> Iterator[int]:
        return (to for to in self._lanes.get(sector, ()) if to not in self.barred)


def _stall(line: PortLine) -> Stall:
    return Stall(
        good=line.good, sells=line.sells, open_for=line.open_for, size=guessed_size(line), tenths=line.unit_price
    )


def guessed_size(line: PortLine) -> int:
    """How much of a good the port can hold, out of its price and its units: the price goes along a straight line."""
    permille = 100 * line.unit_price - (50 if line.sells else -50)
    base = BASE[line.good]
    from_end = _SELLS_EMPTY * base - permille if line.sells else permille - _BUYS_FULL * base
    if from_end <= 0 or not line.open_for:
        return max(line.open_for, _STEP)
    guess = _SPAN * line.open_for * base // from_end
    return max(line.open_for, (guess + _STEP // 2) // _STEP * _STEP, _STEP)


def goods_by_value() -> tuple[Good, ...]:
    """Trade goods, the dearest first."""
    return tuple(reversed(TRADE_GOODS))
