"""A helm over a universe in this process: the same engine, without a terminal between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from starlane.bots.helm import Charted, HelmLost
from starlane.bots.shown import (
    shown_board,
    shown_outcome,
    shown_pilot,
    shown_planet,
    shown_report,
    shown_sector,
)
from starlane.engine import looking
from starlane.engine.ports import Sky
from starlane.engine.refusal import Refused, Superseded
from starlane.engine.trade import max_quantity
from starlane.goods import TRADE_GOODS
from starlane.orders import (
    OPERATOR,
    Actor,
    Ask,
    AttackPlanet,
    AttackShip,
    AttackThorn,
    Dock,
    Enter,
    Land,
    Leave,
    Order,
)
from starlane.records import HAVEN, Bargain, Pilot, Port, Seen
from starlane.reports import Docked, Entered, Report
from starlane.universe.universe import Universe
from starlane.views import LaneView, PilotView, PlanetView, PortReport, PortView, SectorView, YardView

T = TypeVar("T")


class InProcess:
    """A `Helm`. The pilot is aboard from the beginning; call `leave` at the end."""

    def __init__(self, universe: Universe, name: str) -> None:
        self._universe = universe
        entered = universe.perform(OPERATOR, Enter(key=f"name:{name}", name=name))
        if not isinstance(entered, Entered):
            raise TypeError(f"Enter was answered by {type(entered).__name__}")
        self._actor = Actor(entered.pilot, entered.session)
        self._name = entered.name

    def leave(self) -> None:
        """Go ashore."""
        self._universe.perform(self._actor, Leave())

    def sector(self) -> SectorView:
        """See `Helm`."""
        return shown_sector(self._look(looking.sector_view), self._name)

    def me(self) -> PilotView:
        """See `Helm`."""
        return shown_pilot(self._look(looking.pilot_view))

    def board(self) -> PortView:
        """See `Helm`."""
        view = self._look(lambda sky, pilot: looking.port_view(sky, pilot.sector))
        if view is None:
            raise HelmLost("The ship is in no port.")
        return shown_board(view)

    def yard(self) -> YardView:
        """See `Helm`."""
        if self._look(lambda _, pilot: pilot.sector) != HAVEN:
            raise HelmLost("The yard is at Haven.")
        return self._look(looking.yard_view)

    def planet(self) -> PlanetView:
        """See `Helm`."""
        view = self._look(lambda sky, pilot: looking.planet_view(sky, pilot.planet) if pilot.planet else None)
        if view is None:
            raise HelmLost("The ship stands on no planet.")
        return shown_planet(view, self._name)

    def path(self, to: int) -> tuple[int, ...]:
        """See `Helm`."""
        return self._look(lambda sky, pilot: looking.path(sky, pilot, to))

    def known_ports(self) -> tuple[PortReport, ...]:
        """See `Helm`."""
        reports = self._look(looking.port_reports)
        return tuple(sorted(map(shown_report, reports), key=lambda report: report.port.sector))

    def chart(self) -> tuple[Charted, ...]:
        """See `Helm`."""
        return self._look(_charted)

    def notes(self) -> tuple[str, ...]:
        """See `Helm`."""
        return tuple(note.text for note in self._look(looking.notes))

    def worth(self) -> int:
        """See `Helm`."""
        return self._worth

    def do(self, order: Order) -> Report:
        """See `Helm`."""
        if isinstance(order, Dock) and self._look(lambda _, pilot: pilot.docked):
            return Docked(port=self.board().name)
        report = self._perform(self._as_meant(order))
        if isinstance(order, Ask):
            self._worth = self._look(_fair)
        return shown_outcome(report)

    def _perform(self, order: Order) -> Report:
        try:
            return self._universe.perform(self._actor, order)
        except Superseded as elsewhere:
            raise HelmLost(str(elsewhere)) from elsewhere

    def _as_meant(self, order: Order) -> Order:
        """The order with numbers of records for those of a list, and a quantity as the prompt allows it."""
        match order:
            case Ask():
                most = self._look(lambda sky, pilot: max_quantity(sky, pilot, order.good))
                if most < 1:
                    raise Refused(f"Not a single unit of {order.good} can be traded here.")
                return msgspec.structs.replace(order, quantity=min(order.quantity, most))
            case Land() | AttackPlanet():
                planet = _nth(self._real().planets, order.planet)
                return msgspec.structs.replace(order, planet=planet.planet)
            case AttackShip():
                return msgspec.structs.replace(order, pilot=_nth(self._real().ships, order.pilot).pilot)
            case AttackThorn():
                thorn = _nth(self._real().thorns, order.thornship)
                return msgspec.structs.replace(order, thornship=thorn.thornship)
            case _:
                return order

    def _real(self) -> SectorView:
        return self._look(looking.sector_view)

    def _look(self, build: Callable[[Sky, Pilot], T]) -> T:
        with self._universe.look() as sky:
            pilot = sky.get(Pilot, self._actor.pilot)
            if pilot is None or pilot.session != self._actor.session:
                raise HelmLost("The pilot has come aboard from elsewhere.")
            return build(sky, pilot)

    _worth = 0


def _nth(listed: Sequence[T], place: int) -> T:
    """What stands at a place, from 1, in a list of the sector."""
    if not 1 <= place <= len(listed):
        raise Refused("There is no such thing here any more.")
    return listed[place - 1]


def _fair(sky: Sky, pilot: Pilot) -> int:
    bargain = sky.get(Bargain, pilot.id)
    return 0 if bargain is None else bargain.fair


def _charted(sky: Sky, pilot: Pilot) -> tuple[Charted, ...]:
    known = {seen.sector for seen in sky.find(Seen, pilot=pilot.id)}
    rows = []
    for sector in sorted(known):
        lanes = tuple(
            LaneView(to=to, seen=to in known, one_way=sector not in sky.lanes.out_of(to))
            for to in sky.lanes.out_of(sector)
        )
        port = sky.get(Port, sector)
        letters = "".join("S" if port.sells(good) else "B" for good in TRADE_GOODS) if port else ""
        rows.append(Charted(sector=sector, port_letters=letters, lanes=lanes))
    return tuple(rows)
