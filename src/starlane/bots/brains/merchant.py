"""A trading pilot: explores, remembers, trades where it pays best, and buys holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from starlane.bots.brains.atlas import UNREACHED, Atlas
from starlane.bots.brains.haggler import Haggler
from starlane.bots.brains.ship import Course, Ship
from starlane.bots.brains.trips import Means, Trip, best_trip
from starlane.bots.helm import Helm
from starlane.records import HAVEN
from starlane.rules.yard import affordable_holds
from starlane.settings import MAX_HOLDS
from starlane.views import PilotView

_CAPITAL_PER_HOLD: Final = 26
"""Credits to keep for each hold: what a mixed load costs."""
_MAX_IDLE: Final = 3
"""Plans in a row that came to nothing before the day is over."""


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """How a merchant decides."""

    to_source: int
    """Turns that it flies to where it buys."""
    between: int
    """Turns from there to where it sells."""
    curious_below: int
    """It explores rather than trade for less than so many credits a turn for each hold, in thousandths."""
    curious_within: int
    """Turns that it flies to a sector that it does not know."""
    least_holds: int
    """It goes to the yard for so many new holds, or more."""
    most_holds: int
    """Beyond so many it buys none."""
    yard_within: int
    """Turns that it flies to the yard for holds."""


class Merchant:
    """See the module; a `Brain`. Levels differ in habits, in how they haggle and in their errands."""

    def __init__(self, habits: Habits, haggler: Callable[[], Haggler]) -> None:
        self.habits = habits
        self.atlas = Atlas()
        self._haggler = haggler
        self._planned: tuple[PilotView, Means] | None = None
        """What the plan was made for."""
        self._plan: Trip | None = None

    def day(self, helm: Helm) -> Iterator[None]:
        """See `Brain`."""
        ship = Ship(helm, self.atlas, self._haggler)
        self.atlas.open_again()
        self.atlas.study(helm.chart())
        self.atlas.report(helm.known_ports())
        ship.draw(ship.me.bank)
        idle = 0
        while ship.me.turns > 0 and idle < _MAX_IDLE:
            before = ship.me.turns
            if (yield from self._step(ship)):
                break
            idle = 0 if ship.me.turns < before else idle + 1
        self.close(ship)

    def _step(self, ship: Ship) -> Course:
        """The next plan, carried out; whether the day is over."""
        if ship.cargo():
            yield from self._clear(ship)
            if ship.cargo() and not ship.me.free_holds:
                return True
        if not self._must_home(ship, 0) and (yield from self.errand(ship)):
            return False
        if self._yard_calls(ship):
            if (yield from ship.fly(HAVEN)):
                self.at_yard(ship)
            return False
        trip = self.best(ship)
        unknown = self._unknown(ship)
        if unknown is not None and (trip is None or trip.per_turn() < self.habits.curious_below * ship.me.holds):
            yield from self.explore(ship, unknown)
            return False
        if trip is None:
            return (yield from self.rest(ship))
        yield from self.carry_out(ship, trip)
        return False

    # What levels do their own way

    def errand(self, ship: Ship) -> Course:
        """Something other than trade; whether anything was done."""
        yield from ()
        return ship.me.turns < 1

    def best(self, ship: Ship) -> Trip | None:
        """The trip to make next."""
        me = ship.me
        means = Means(sector=ship.here, docked=ship.docked, holds=me.free_holds, credits=me.credits)
        planned = (me, means)
        if self._planned != planned:
            self._planned = planned
            self._plan = best_trip(
                self.atlas,
                means,
                to_source=self.habits.to_source,
                between=self.habits.between,
                fits=lambda turns, end: turns <= me.turns and not self._must_home(ship, turns, end),
            )
        return self._plan

    def at_yard(self, ship: Ship) -> None:
        """At Haven, with money."""
        ship.buy_holds(self.habits.most_holds - ship.me.holds, self.spare(ship))

    def close(self, ship: Ship) -> None:
        """The end of the day."""
        ship.pay_in(ship.me.credits)

    # Trade

    def carry_out(self, ship: Ship, trip: Trip) -> Course:
        """Fly, buy, fly, sell."""
        if not ((yield from ship.fly(trip.source)) and (yield from ship.dock())):
            return False
        ship.sell_all()
        for lot in trip.lots:
            ship.trade(lot.good, lot.units)
        if not ship.cargo():
            return False
        return (yield from self.deliver(ship, trip.target))

    def deliver(self, ship: Ship, target: int) -> Course:
        """Fly to a port and sell there."""
        if (yield from ship.fly(target)) and (yield from ship.dock()):
            return ship.sell_all()
        return False

    def _clear(self, ship: Ship) -> Course:
        """Sell cargo that belongs to no trip, where it brings most for a turn."""
        cargo = ship.cargo()
        best, most = 0, 0
        for sector, turns in self.atlas.reach(ship.here).items():
            berth = self.atlas.ports.get(sector)
            if berth is None or turns >= ship.me.turns:
                continue
            value = 0
            for good, units in cargo.items():
                stall = berth.stalls[good]
                if not stall.sells and stall.open_for:
                    value += stall.total(min(units, stall.open_for))
            if 1000 * value // (turns + 2) > most:
                best, most = sector, 1000 * value // (turns + 2)
        return bool(best) and (yield from self.deliver(ship, best))

    # Exploring

    def _unknown(self, ship: Ship) -> int | None:
        """The nearest sector to explore."""
        for sector, turns in self.atlas.unvisited(ship.here):
            if turns > self.habits.curious_within or turns > ship.me.turns:
                return None
            if not self._must_home(ship, turns + 1, sector):
                return sector
        return None

    def explore(self, ship: Ship, sector: int) -> Course:
        """Fly to a sector that is not known, and look."""
        return (yield from ship.fly(sector))

    # Home

    def spare(self, ship: Ship) -> int:
        """Credits that trade does not need."""
        return ship.me.credits - _CAPITAL_PER_HOLD * ship.me.holds

    def _yard_calls(self, ship: Ship) -> bool:
        """Whether there is money for holds, and the yard is near."""
        wanted = self.habits.most_holds - ship.me.holds
        if wanted < 1 or self.atlas.turns(ship.here, HAVEN) > min(self.habits.yard_within, ship.me.turns):
            return False
        least = min(wanted, self.habits.least_holds, MAX_HOLDS - ship.me.holds)
        return least > 0 and affordable_holds(ship.me.holds, self.spare(ship), least) >= least

    def _must_home(self, ship: Ship, turns: int, end: int = 0) -> bool:
        """Whether after so many turns more, in sector `end` or here, there would be too few to fly home before the
        night, and the ship is not under protection then."""
        if ship.me.protected_days > 1:
            return False
        home = self.atlas.turns(end or ship.here, HAVEN)
        if home == UNREACHED:
            return False
        return ship.me.turns - turns < home

    def rest(self, ship: Ship) -> Course:
        """Nothing is left to do but to fly home; True."""
        homeless = ship.me.protected_days <= 1 and ship.here != HAVEN
        if homeless and (yield from ship.fly(HAVEN)):
            self.at_yard(ship)
        return True
