"""Orders that make some sense, by chance: from pilots who know where they are, and from some who do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
from tests.starlane.worlds import enroll

from starlane import orders
from starlane.dice import Dice
from starlane.engine.ports import Sky
from starlane.engine.refusal import Refused, Superseded
from starlane.goods import Good
from starlane.orders import OPERATOR, OPERATOR_ORDERS, PILOT_ORDERS, Actor, Order
from starlane.records import HAVEN, Alliance, Bargain, Letter, Note, Pilot, Planet, Thornship
from starlane.universe.universe import Universe

_IN_SPACE = (orders.Move, orders.Move, orders.Dock, orders.Land, orders.Land, orders.Deploy)
_IN_FIGHTS = (orders.Force, orders.AttackShip, orders.AttackThorn, orders.AttackPlanet, orders.AttackPlanet)
_IN_PORT = (orders.Ask, orders.Ask, orders.Move)
_AT_HAVEN = (orders.Buy, orders.Buy, orders.Bank, orders.PostBounty, orders.Move, orders.Dock)
_ON_THE_GROUND = (orders.Claim, orders.Load, orders.Load, orders.Employ, orders.Build, orders.LiftOff)
_BY_THE_OPERATOR: tuple[type[Order], ...] = OPERATOR_ORDERS
_TOGETHER = (orders.Found, orders.Invite, orders.Join, orders.Expel)


_NUMBERED: dict[str, Any] = {
    "pilot": Pilot,
    "target": Pilot,
    "planet": Planet,
    "thornship": Thornship,
    "alliance": Alliance,
    "letter": Letter,
    "note": Note,
}


class Crowd:
    """A few pilots who order this and that. What they order follows from the seed and the world alone."""

    def __init__(self, universe: Universe, names: Sequence[str], seed: int) -> None:
        self.universe = universe
        self.carried_out: Counter[str] = Counter()
        """How many orders of each kind were."""
        self._dice = Dice(seed)
        self._names = names
        self._actors = [enroll(universe, name) for name in names]

    def order(self) -> None:
        """One order by one of them; it may be refused."""
        dice = self._dice
        if dice.below(60) == 0:
            self._perform(OPERATOR, self._filled(dice.choice(_BY_THE_OPERATOR)))
            return
        place = dice.below(len(self._actors))
        if dice.below(60) == 0:
            self._actors[place] = enroll(self.universe, self._names[place])
        actor = self._actors[place]
        self._perform(actor, self._filled(dice.choice(self._choice(actor)), actor))

    def _perform(self, actor: Actor, order: Order) -> None:
        try:
            self.universe.perform(actor, order)
            self.carried_out[type(order).__name__] += 1
        except (Refused, Superseded):
            pass  # what happens in a game all the time; the world is as it was

    def _choice(self, actor: Actor) -> Sequence[type[Order]]:
        """Orders of a kind that may be possible where the pilot is; any of all now and then."""
        with self.universe.look() as sky:
            pilot = sky.get(Pilot, actor.pilot)
            haggling = sky.get(Bargain, actor.pilot) is not None
        if pilot is None or not self._dice.below(5):
            return PILOT_ORDERS
        if not self._dice.below(8):
            return _TOGETHER
        if pilot.planet:
            return _ON_THE_GROUND
        if pilot.docked:
            return (orders.Offer,) if haggling else _IN_PORT
        if pilot.sector == HAVEN:
            return _AT_HAVEN
        return _IN_SPACE if self._dice.below(3) else _IN_FIGHTS

    def _filled(self, kind: type[Order], actor: Actor = OPERATOR) -> Order:
        with self.universe.look() as sky:
            pilot = sky.get(Pilot, actor.pilot)
            values = {field.name: self._value(field, sky, pilot) for field in msgspec.structs.fields(kind)}
            bargain = sky.get(Bargain, actor.pilot)
        if kind is orders.Offer and bargain:
            values["credits"] = bargain.ask * (90 + self._dice.below(25)) // 100
        if kind in {orders.Claim, orders.Found}:
            values["name"] = f"Astra {self._dice.below(10**6)}"
        if kind is orders.Load and pilot and values["good"] is not Good.HOLDS and self._dice.below(2):
            values["amount"] = pilot.amount(values["good"]) // 2
        return kind(**values)

    def _value(self, field: Any, sky: Sky, pilot: Pilot | None) -> Any:
        dice = self._dice
        here = self._around(field.name, sky, pilot) if pilot and dice.below(8) else []
        if here:
            return dice.choice(here)
        if field.name in {"to", *_NUMBERED}:
            return 1 + dice.below(5)
        if field.type is str:
            return dice.choice(("Astra", "Borealis", "a longer line of words", "", "\x1b[2J"))
        if field.type is int:
            bounds = (12, 12, 60, 60, 400, 10**6)
            return dice.below(dice.choice(bounds)) * dice.choice((1, 1, 1, -1))
        return dice.choice(tuple(field.type))

    def _around(self, name: str, sky: Sky, pilot: Pilot) -> Sequence[int]:
        """The numbers that make sense for the field of that name where `pilot` is."""
        if name == "to":
            return sky.lanes.out_of(pilot.sector)
        if name == "pilot":
            return [other.id for other in sky.find(Pilot, sector=pilot.sector)]
        kind = _NUMBERED.get(name)
        if kind in {Planet, Thornship}:
            return [record.id for record in sky.find(kind, sector=pilot.sector)]
        return [record.id for record in sky.find(kind)] if kind else []


def rich(universe: Universe, seed: int = 1) -> Crowd:
    """Three pilots, who can afford something at once if the settings are made for it."""
    return Crowd(universe, ("ada", "bob", "cat"), seed)


GENEROUS: dict[str, Any] = {"start_credits": 200_000, "start_fighters": 500, "protected_days": 0, "start_holds": 60}
"""Settings under which much can happen in few orders."""
