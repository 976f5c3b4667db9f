"""The yard and the bank at Haven."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.help import help_on
from starlane.door.screens.wording import figure
from starlane.door.screens.yard import yard_screen
from starlane.engine import looking
from starlane.goods import Good
from starlane.orders import Bank, Buy, BuyScanner, SellFighters, Work
from starlane.records import HAVEN
from starlane.rules.yard import WAGE, affordable_holds, holds_price
from starlane.settings import MAX_FIGHTERS
from starlane.views import PilotView, YardView

_PROMPT: Final = "Yard and bank (H/F/S/C/N/D/W/E, L=list, Q=leave, ?=help) [Q]? "


def yard(cockpit: Cockpit) -> None:
    """Y: buy and bank until the pilot has enough of it."""
    if cockpit.sector().number != HAVEN:
        cockpit.console.show("The yard and the bank are at Haven, sector 1. Type 1 to fly there.")
        return
    _list(cockpit)
    while True:
        chosen = cockpit.choose(_PROMPT, [*_COUNTERS, "L", "Q", "?"], default="Q")
        if chosen == "Q":
            return
        if chosen == "?":
            help_on(cockpit, "yard")
        elif chosen == "L":
            _list(cockpit)
        else:
            _COUNTERS[chosen](cockpit, cockpit.look(looking.yard_view), cockpit.pilot())


def _list(cockpit: Cockpit) -> None:
    cockpit.console.show(*yard_screen(cockpit.look(looking.yard_view), cockpit.pilot()))


def _holds(cockpit: Cockpit, shop: YardView, pilot: PilotView) -> None:
    if not shop.holds_for_sale:
        cockpit.console.show("Your ship has as many holds as it can take.")
        return
    most = affordable_holds(pilot.holds, pilot.credits, shop.holds_for_sale)
    if most < 1:
        cockpit.console.show(
            f"One more hold costs {figure(shop.hold_price)} credits; you have {figure(pilot.credits)}."
        )
        return
    cockpit.console.show(
        f"All {figure(most)} that you can pay for cost {figure(holds_price(pilot.holds, most))} together."
    )
    amount = cockpit.console.number("How many holds do you want", 0, most, 0)
    if amount:
        cockpit.done(Buy(good=Good.HOLDS, amount=amount))


def _fighters(cockpit: Cockpit, shop: YardView, pilot: PilotView) -> None:
    _buy(cockpit, Good.FIGHTERS, shop.fighter_price, pilot.credits, MAX_FIGHTERS - pilot.fighters)


def _colonists(cockpit: Cockpit, shop: YardView, pilot: PilotView) -> None:
    _buy(cockpit, Good.COLONISTS, shop.colonist_price, pilot.credits, pilot.free_holds)


def _buy(cockpit: Cockpit, good: Good, price: int, money: int, room: int) -> None:
    most = min(money // price, room)
    if most < 1:
        why = (
            "there is no room in your ship"
            if room < 1
            else f"one costs {figure(price)} credits; you have {figure(money)}"
        )
        cockpit.console.show(f"You can't buy {good}: {why}.")
        return
    amount = cockpit.console.number(f"How many {good} do you want, {figure(price)} each", 0, most, 0)
    if amount:
        cockpit.done(Buy(good=good, amount=amount))


def _sell_fighters(cockpit: Cockpit, _: YardView, pilot: PilotView) -> None:
    if not pilot.fighters:
        cockpit.console.show("You have no fighters aboard to sell.")
        return
    amount = cockpit.console.number("How many fighters do you want to sell", 0, pilot.fighters, 0)
    if amount:
        cockpit.done(SellFighters(amount=amount))


def _scanner(cockpit: Cockpit, shop: YardView, pilot: PilotView) -> None:
    if pilot.scanner:
        cockpit.console.show("You have a scanner; S at the command prompt uses it.")
    elif pilot.credits < shop.scanner_price:
        cockpit.console.show(f"It costs {figure(shop.scanner_price)} credits; you have {figure(pilot.credits)}.")
    elif cockpit.console.confirm(f"Buy a scanner for {figure(shop.scanner_price)} credits"):
        cockpit.done(BuyScanner())


def _deposit(cockpit: Cockpit, _: YardView, pilot: PilotView) -> None:
    if not pilot.credits:
        cockpit.console.show("You have no credits aboard.")
        return
    amount = cockpit.console.number("How many credits do you pay in", 0, pilot.credits, 0)
    if amount:
        cockpit.done(Bank(credits=amount))


def _withdraw(cockpit: Cockpit, _: YardView, pilot: PilotView) -> None:
    if not pilot.bank:
        cockpit.console.show("You have no credits in the bank.")
        return
    amount = cockpit.console.number("How many credits do you draw out", 0, pilot.bank, 0)
    if amount:
        cockpit.done(Bank(credits=-amount))


def _earn(cockpit: Cockpit, _: YardView, pilot: PilotView) -> None:
    if not pilot.turns:
        cockpit.console.show("You have no turns left today.")
        return
    turns = cockpit.console.number(f"How many turns do you work, for {WAGE} credits each", 0, pilot.turns, 0)
    if turns:
        cockpit.done(Work(turns=turns))


_Counter = Callable[[Cockpit, YardView, PilotView], None]
_COUNTERS: Final[Mapping[str, _Counter]] = {
    "H": _holds,
    "F": _fighters,
    "S": _sell_fighters,
    "C": _colonists,
    "N": _scanner,
    "D": _deposit,
    "W": _withdraw,
    "E": _earn,
}
