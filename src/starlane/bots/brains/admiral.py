"""The level `admiral`: plans over all of the map that it knows, listens when it haggles, invests, fights if it pays."""

from __future__ import annotations

from math import isqrt
from typing import Final

from starlane.bots.brains.colonies import Colonies
from starlane.bots.brains.haggler import Judge
from starlane.bots.brains.merchant import Habits, Merchant
from starlane.bots.brains.ship import Course, Ship
from starlane.orders import AttackPlanet, AttackShip, AttackThorn, Order
from starlane.records import HAVEN
from starlane.reports import Fought
from starlane.rules.combat import DEFENDERS_EDGE_PERMILLE
from starlane.rules.thorn import reward

HABITS: Final = Habits(
    to_source=5,
    between=6,
    curious_below=2_500,
    curious_within=8,
    least_holds=8,
    most_holds=60,
    yard_within=8,
)
_FIGHTER_VALUE: Final = 40
"""Credits that a fighter lost counts for: between what it costs and what the yard gives for one."""
_LEAST_LEFT: Final = 12
"""Fighters that must be left after a fight as it is expected."""
_PREY_RATIO: Final = 4
"""So many times the force of a pilot's ship or planet, before it is attacked: works can't be seen from space."""
_POOR_TRADE: Final = 300
"""Thousandths of a credit a turn and hold: below that there is time for planets."""
_SETTLER_CREDITS: Final = 2_000
"""Beyond what trade needs, for a load of settlers and their garrison."""
_SCANNER_CREDITS: Final = 9_000
"""Beyond what trade needs, for a scanner: it shows no more than flying there does, but costs no turns."""
_SCANNER_UNKNOWN: Final = 15
"""Sectors known by name alone, for a scanner to be of use."""


class Admiral(Merchant):
    """See the module; a `Brain`."""

    def __init__(self) -> None:
        super().__init__(HABITS, Judge)
        self._colonies = Colonies()

    def errand(self, ship: Ship) -> Course:
        """A fight that pays; a harvest; settlers where trade brings little."""
        strike = self._strike(ship)
        if strike is not None:  # what was seen may be gone
            ship.look_around()
            strike = self._strike(ship)
        if strike is not None:
            fought = ship.order(strike)
            ship.docked = False
            ship.look_around()
            yield
            return isinstance(fought, Fought)
        target = self._colonies.harvest_target(ship)
        if target is not None and not ship.cargo():
            return (yield from self._colonies.fetch(ship, *target))
        if self._is_idle(ship):
            return (yield from self._settle(ship))
        return False

    def at_yard(self, ship: Ship) -> None:
        """Holds; then a scanner, while there is much to see."""
        super().at_yard(ship)
        unknown = sum(1 for _ in self.atlas.unvisited(HAVEN))
        if not ship.me.scanner and self.spare(ship) > _SCANNER_CREDITS and unknown >= _SCANNER_UNKNOWN:
            ship.buy_scanner()

    def explore(self, ship: Ship, sector: int) -> Course:
        """With a scanner also look into the sectors beyond."""
        there = yield from super().explore(ship, sector)
        if there and ship.me.scanner:
            ship.scan()
        return there

    def _strike(self, ship: Ship) -> Order | None:
        """The attack to make here, if one pays."""
        view, fighters = ship.view, ship.me.fighters
        if view.safe or ship.me.turns < 1 or fighters <= _LEAST_LEFT:
            return None
        for thorn in view.thorns:
            left = survivors(fighters, thorn.fighters)
            if left >= _LEAST_LEFT and reward(thorn.fighters, destroyed=True) > _FIGHTER_VALUE * (fighters - left):
                return AttackThorn(thornship=thorn.thornship, fighters=fighters)
        if ship.me.protected_days:
            return None
        for planet in view.planets:
            hostile = bool(planet.owner_name) and not planet.friendly
            if hostile and fighters >= _PREY_RATIO * planet.fighters + _LEAST_LEFT:
                return AttackPlanet(planet=planet.planet, fighters=fighters)
        for prey in view.ships:
            open_to_attack = not (prey.protected or prey.ally)
            if open_to_attack and fighters >= _PREY_RATIO * max(prey.fighters, 1) + _LEAST_LEFT:
                return AttackShip(pilot=prey.pilot, fighters=fighters)
        return None

    def _is_idle(self, ship: Ship) -> bool:
        """Whether there is money for settlers and little to earn by trade."""
        if self.spare(ship) < _SETTLER_CREDITS or ship.cargo() or self._unknown(ship) is not None:
            return False
        trip = self.best(ship)
        return trip is None or trip.per_turn() < _POOR_TRADE * ship.me.holds

    def _settle(self, ship: Ship) -> Course:
        target = self._colonies.settle_target(ship)
        if target is None or ship.me.turns < self.atlas.turns(ship.here, HAVEN) + 2 * self.atlas.turns(
            HAVEN, target[0]
        ):
            return False
        if not (yield from ship.fly(HAVEN)):
            return False
        return (yield from self._colonies.settle(ship, *target, self.spare(ship)))


def survivors(fighters: int, foes: int) -> int:
    """What is left of an attack with so many fighters, as chance has it on the average; 0 if it fails.

    The law of `rules.combat`: s^1.5 = w^1.5 - l^1.5.
    """
    foes = -(-foes * (1000 + DEFENDERS_EDGE_PERMILLE) // 1000)
    if foes >= fighters:
        return 0
    kept = isqrt(10_000 * fighters**3) - isqrt(10_000 * foes**3)
    left = 0
    while left < fighters and isqrt(10_000 * (left + 1) ** 3) <= kept:
        left += 1
    return left
