"""Orders as keys: what a person presses to have something done, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from starlane.bots import reader
from starlane.bots.keyboard import Keyboard
from starlane.bots.prompts import At, highest
from starlane.engine.refusal import Refused
from starlane.goods import Good
from starlane.orders import (
    Ask,
    AttackPlanet,
    AttackShip,
    AttackThorn,
    Bank,
    Build,
    Buy,
    BuyScanner,
    Claim,
    Deploy,
    Dock,
    Employ,
    Force,
    Jettison,
    Jot,
    Land,
    LiftOff,
    Load,
    Move,
    Offer,
    Order,
    Scan,
    SellFighters,
    Waive,
    Walk,
)
from starlane.reports import Docked, Done, Fought, Haggled, Moved, Report, Scanned, Stopped

_LETTERS: Final = {good: "M" if good is Good.CREDITS else good[0].upper() for good in Good}
"""The key of each good wherever one is chosen."""
_SHOPS: Final = {Good.HOLDS: "H", Good.FIGHTERS: "F", Good.COLONISTS: "C"}
"""The key of each good in the yard."""


class KeysOfOrders:
    """Gives orders at a keyboard. `worth` is what the goods of the last bargain were worth by the port's board."""

    def __init__(self, keys: Keyboard) -> None:
        self._keys = keys
        self._bargain: Ask | None = None
        self._buying = False
        self.worth = 0

    def do(self, order: Order) -> Report:
        """See `Helm`. Raises Refused and HelmLost."""
        give = _WAYS.get(type(order))
        if give is None:
            raise Refused(f"This bot knows no keys for {type(order).__name__}.")
        return self._keys.read(lambda: give(self, order))

    # Flight

    def move(self, order: Move) -> Report:
        """A number, or P before a picket that asks a toll."""
        keys = self._keys
        if order.pay:
            keys.expect(At.BARRED)
            keys.press("P")
        else:
            keys.to(At.COMMAND)
            keys.type(order.to)
            if keys.at is At.CONFIRM:  # it is not next door
                keys.press("N")
                raise Refused(f"No lane leads from here to sector {order.to}.")
        return self._flown(order.to)

    def _flown(self, to: int) -> Report:
        stopped = reader.barred(self._keys.shown)
        if stopped is not None and stopped[0] == to:
            destroyed = any("Your ship is destroyed" in line for line in self._keys.shown)
            _, owner, fighters, stance, toll = stopped
            return Stopped(to=to, owner=owner, fighters=fighters, stance=stance, toll=toll, destroyed=destroyed)
        if not any(line.startswith(f"Sector {to},") for line in self._keys.shown):
            raise Refused(" ".join(self._keys.shown))
        paid = next((re.match(r"You pay ([\d,]+) credits? of toll", line) for line in self._keys.shown), None)
        return Moved(sector=to, first_time=False, toll=reader.number(paid[1]) if paid else 0)

    def force(self, order: Force) -> Report:
        """F before a picket that was just flown at, else A where it stands."""
        keys = self._keys
        if keys.at is not At.BARRED:
            return self._attack(r"the picket of .*", order.fighters)
        keys.press("F")
        keys.amount(order.fighters)
        return self._fought()

    def scan(self, _order: Scan) -> Report:
        """S."""
        self._keys.to(At.COMMAND)
        self._keys.press("S")
        sights = reader.sights(self._keys.shown)
        if not sights:
            raise Refused(" ".join(self._keys.shown))
        return Scanned(sights=sights)

    def jettison(self, order: Jettison) -> Report:
        """J, the good, how much."""
        keys = self._keys
        keys.to(At.COMMAND)
        keys.press("J")
        self._choose(_LETTERS[order.good])
        keys.amount(order.amount)
        return self._done()

    def waive(self, _order: Waive) -> Report:
        """W."""
        self._keys.to(At.COMMAND)
        self._keys.press("W")
        return self._confirmed()

    # Trade

    def dock(self, _order: Dock) -> Report:
        """P: the game docks a ship that is not docked."""
        self._keys.open(At.PORT, "P")
        if not any("the port of sector" in line for line in self._keys.shown):
            self._keys.press("B")
        return Docked(port=reader.board(self._keys.shown).name)

    def ask(self, order: Ask) -> Report:
        """The good, the quantity."""
        keys = self._keys
        keys.open(At.PORT, "P")
        keys.press(_LETTERS[order.good])
        keys.expect(At.NUMBER)
        self._buying = " want to buy " in keys.talk.prompt.text
        quantity = min(order.quantity, highest(keys.talk.prompt))
        keys.type(quantity)
        keys.expect(At.NUMBER)
        self._bargain = Ask(good=order.good, quantity=quantity)
        self.worth = reader.worth(keys.shown)
        return self._haggled()

    def offer(self, order: Offer) -> Report:
        """A number, or Y to the port's last word."""
        keys = self._keys
        if keys.at is At.CONFIRM:
            keys.press("Y")
        else:
            keys.amount(order.credits)
        return self._haggled()

    def _haggled(self) -> Haggled:
        if self._bargain is None:
            raise Refused("There is no bargain.")
        good, quantity = self._bargain.good, self._bargain.quantity
        return reader.haggled(self._keys.shown, good, quantity, buying=self._buying)

    def walk(self, _order: Walk) -> Report:
        """0, or N to the port's last word."""
        if self._keys.at is At.CONFIRM:
            self._keys.press("N")
        else:
            self._keys.type(0)
        return self._done()

    # War

    def attack_thorn(self, order: AttackThorn) -> Report:
        """A, the thornship, how many fighters."""
        return self._attack(r"the thornship .*", order.fighters, order.thornship)

    def attack_ship(self, order: AttackShip) -> Report:
        """The same of a ship: those under protection are not in the list."""
        return self._attack_named("ship of", order.pilot, order.fighters)

    def attack_planet(self, order: AttackPlanet) -> Report:
        """The same of a planet: one's own is not in the list."""
        return self._attack_named("planet", order.planet, order.fighters)

    def _attack_named(self, what: str, place: int, fighters: int) -> Report:
        """Which of the list it is, the sector screen says."""
        keys = self._keys
        keys.to(At.COMMAND)
        keys.press("D")
        view = reader.sector(keys.shown, "")
        named = view.ships if what == "ship of" else view.planets
        if not 1 <= place <= len(named):
            raise Refused("There is no such thing here any more.")
        return self._attack(rf"the {what} {re.escape(named[place - 1].name)}, .*", fighters)

    def _attack(self, pattern: str, fighters: int, which: int = 1) -> Report:
        keys = self._keys
        keys.to(At.COMMAND)
        keys.press("A")
        keys.expect(At.NUMBER)
        listed = [re.fullmatch(rf" *(\d+)\. {pattern}", line) for line in keys.shown]
        fitting = [found[1] for found in listed if found is not None]
        if len(fitting) < which:
            keys.type(0)
            raise Refused("There is no such thing to attack here.")
        keys.type(fitting[which - 1])
        keys.amount(fighters)
        return self._fought()

    def _fought(self) -> Fought:
        fought = reader.fought(self._keys.shown)
        if fought is None:
            raise Refused(" ".join(self._keys.shown))
        return fought

    def deploy(self, order: Deploy) -> Report:
        """F, how many, what they do."""
        keys = self._keys
        keys.to(At.COMMAND)
        keys.press("F")
        keys.amount(order.fighters)
        if order.fighters:
            keys.expect(At.KEY)
            keys.press(order.stance[0].upper())
        return self._done()

    # Planets

    def land(self, order: Land) -> Report:
        """L; where there are several planets, which."""
        keys = self._keys
        keys.to(At.COMMAND)
        keys.press("L")
        if keys.at is At.NUMBER:
            keys.amount(order.planet)
        keys.expect(At.GROUND)
        return self._done()

    def lift_off(self, _order: LiftOff) -> Report:
        """L, L."""
        self._ground()
        self._keys.press("L")
        return self._done()

    def claim(self, order: Claim) -> Report:
        """C, Y, the name."""
        self._ground()
        self._keys.press("C")
        self._keys.expect(At.CONFIRM)
        self._keys.press("Y")
        self._keys.type(order.name)
        return self._done()

    def load(self, order: Load) -> Report:
        """B or T, the good, how much."""
        self._ground()
        self._keys.press("B" if order.amount > 0 else "T")
        self._choose(_LETTERS[order.good])
        self._keys.amount(abs(order.amount))
        return self._done()

    def employ(self, order: Employ) -> Report:
        """J, the job."""
        self._ground()
        self._keys.press("J")
        self._keys.expect(At.KEY)
        self._keys.press(order.job[0].upper())
        return self._done()

    def build(self, _order: Build) -> Report:
        """W, Y."""
        self._ground()
        self._keys.press("W")
        return self._confirmed()

    def _ground(self) -> None:
        self._keys.open(At.GROUND, "L")

    # The yard and the log

    def buy(self, order: Buy) -> Report:
        """Y, the good, how many."""
        if order.good not in _SHOPS:
            raise Refused(f"The yard sells no {order.good}.")
        return self._at_counter(_SHOPS[order.good], order.amount)

    def sell_fighters(self, order: SellFighters) -> Report:
        """Y, S, how many."""
        return self._at_counter("S", order.amount)

    def bank(self, order: Bank) -> Report:
        """Y, D or W, how much."""
        return self._at_counter("D" if order.credits > 0 else "W", abs(order.credits))

    def _at_counter(self, key: str, amount: int) -> Report:
        self._yard()
        self._keys.press(key)
        self._keys.amount(amount)
        return self._done()

    def buy_scanner(self, _order: BuyScanner) -> Report:
        """Y, N, Y."""
        self._yard()
        self._keys.press("N")
        return self._confirmed()

    def _yard(self) -> None:
        self._keys.open(At.YARD, "Y")

    def jot(self, order: Jot) -> Report:
        """C, L, W, the line."""
        keys = self._keys
        keys.open(At.COMPUTER, "C")
        keys.press("L")
        keys.press("W")
        keys.type(order.body)
        keys.press("Q")
        return Done(text="Noted.")

    # What all have in common

    def _choose(self, letter: str) -> None:
        """Press the key of a good, if the prompt has it."""
        self._keys.expect(At.KEY)
        if f"{letter}=" not in self._keys.talk.prompt.text:
            self._keys.type("")
            raise Refused("There is none of that.")
        self._keys.press(letter)

    def _confirmed(self) -> Report:
        self._keys.expect(At.CONFIRM)
        self._keys.press("Y")
        return self._done()

    def _done(self) -> Done:
        """The line that the game has answered with; whether that is a refusal nobody can tell by it."""
        return Done(text=self._keys.shown[0] if self._keys.shown else "")


_WAYS: Final[Mapping[type[Order], Callable[[KeysOfOrders, Any], Report]]] = {
    Move: KeysOfOrders.move,
    Force: KeysOfOrders.force,
    Scan: KeysOfOrders.scan,
    Jettison: KeysOfOrders.jettison,
    Waive: KeysOfOrders.waive,
    Dock: KeysOfOrders.dock,
    Ask: KeysOfOrders.ask,
    Offer: KeysOfOrders.offer,
    Walk: KeysOfOrders.walk,
    AttackThorn: KeysOfOrders.attack_thorn,
    AttackShip: KeysOfOrders.attack_ship,
    AttackPlanet: KeysOfOrders.attack_planet,
    Deploy: KeysOfOrders.deploy,
    Land: KeysOfOrders.land,
    LiftOff: KeysOfOrders.lift_off,
    Claim: KeysOfOrders.claim,
    Load: KeysOfOrders.load,
    Employ: KeysOfOrders.employ,
    Build: KeysOfOrders.build,
    Buy: KeysOfOrders.buy,
    SellFighters: KeysOfOrders.sell_fighters,
    Bank: KeysOfOrders.bank,
    BuyScanner: KeysOfOrders.buy_scanner,
    Jot: KeysOfOrders.jot,
}
"""How each order is given."""
