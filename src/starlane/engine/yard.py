"""The shipyard and the bank at Haven."""

from __future__ import annotations

import msgspec

from starlane.engine.ports import World
from starlane.engine.refusal import Refused
from starlane.engine.texts import counted
from starlane.engine.turns import require_turn
from starlane.flows import Flow
from starlane.goods import Good
from starlane.orders import Bank, Buy, BuyScanner, SellFighters, Work
from starlane.records import HAVEN, Pilot
from starlane.reports import Done
from starlane.rules.yard import (
    COLONIST_PRICE,
    FIGHTER_PRICE,
    FIGHTER_RESALE,
    SCANNER_PRICE,
    WAGE,
    affordable_holds,
    holds_price,
)
from starlane.settings import MAX_AMOUNT, MAX_FIGHTERS, MAX_HOLDS


def buy(world: World, pilot: Pilot, order: Buy) -> Done:
    """Holds, fighters or colonists from the yard."""
    _check_haven(pilot)
    good, amount = order.good, order.amount
    room = _room(pilot, good)
    payable = _payable(pilot, good, room)
    if room < 1:
        raise Refused(_no_room(good))
    if payable < 1:
        raise Refused(f"You can't pay for any {good}: one costs {_price(pilot, good, 1):,} credits.")
    if not 1 <= amount <= payable:
        limit = "your ship has room for no more" if payable == room else "your credits pay for no more"
        raise Refused(f"You can buy 1 to {payable:,} {good}: {limit}.")
    cost = _price(pilot, good, amount)
    world.put(pilot.with_more(**{good.value: amount, "credits": -cost}))
    world.flow(Flow.YARD, good, amount)
    world.flow(Flow.YARD, Good.CREDITS, -cost)
    return Done(text=f"You have bought {counted(amount, good)} for {counted(cost, Good.CREDITS)}.")


def buy_scanner(world: World, pilot: Pilot, _order: BuyScanner) -> Done:
    """A scanner; a ship has use for one."""
    _check_haven(pilot)
    if pilot.scanner:
        raise Refused("Your ship has a scanner already.")
    if pilot.credits < SCANNER_PRICE:
        raise Refused(f"A scanner costs {SCANNER_PRICE:,} credits; you have {pilot.credits:,}.")
    world.put(msgspec.structs.replace(pilot, scanner=True, credits=pilot.credits - SCANNER_PRICE))
    world.flow(Flow.YARD, Good.CREDITS, -SCANNER_PRICE)
    return Done(text=f"The yard has built a scanner into your ship for {SCANNER_PRICE:,} credits.")


def sell_fighters(world: World, pilot: Pilot, order: SellFighters) -> Done:
    """Fighters aboard back to the yard, at half their price."""
    _check_haven(pilot)
    if pilot.fighters < 1:
        raise Refused("You have no fighters aboard.")
    if not 1 <= order.amount <= pilot.fighters:
        raise Refused(f"You can sell 1 to {pilot.fighters:,} fighters.")
    paid = order.amount * FIGHTER_RESALE
    if pilot.credits + paid > MAX_AMOUNT:
        raise Refused(f"A ship can't carry more than {MAX_AMOUNT:,} credits; bring some to the bank first.")
    world.put(pilot.with_more(fighters=-order.amount, credits=paid))
    world.flow(Flow.YARD, Good.FIGHTERS, -order.amount)
    world.flow(Flow.YARD, Good.CREDITS, paid)
    return Done(text=f"The yard has taken {counted(order.amount, Good.FIGHTERS)} for {paid:,} credits.")


def bank(world: World, pilot: Pilot, order: Bank) -> Done:
    """Credits from the ship to the bank, or (negative) back."""
    _check_haven(pilot)
    amount = abs(order.credits)
    paying = order.credits > 0
    source, target = (pilot.credits, pilot.bank) if paying else (pilot.bank, pilot.credits)
    verb = "pay in" if paying else "draw"
    most = min(source, MAX_AMOUNT - target)
    if source < 1:
        raise Refused("You have no credits aboard." if paying else "You have no credits in the bank.")
    if most < 1:
        holder = "The bank keeps" if paying else "A ship carries"
        raise Refused(f"{holder} no more than {MAX_AMOUNT:,} credits.")
    if not 1 <= amount <= most:
        raise Refused(f"You can {verb} 1 to {most:,} credits.")
    pilot = pilot.with_more(credits=-order.credits, bank=order.credits)
    world.put(pilot)
    done = f"paid in {amount:,}" if paying else f"drawn {amount:,}"
    return Done(text=f"You have {done} credits: {pilot.bank:,} in the bank, {pilot.credits:,} aboard.")


def work(world: World, pilot: Pilot, order: Work) -> Done:
    """Turns for credits, at a wage that any trade beats."""
    _check_haven(pilot)
    require_turn(pilot)
    if not 1 <= order.turns <= pilot.turns:
        raise Refused(f"You can work 1 to {pilot.turns:,} turns.")
    paid = order.turns * WAGE
    if pilot.credits + paid > MAX_AMOUNT:
        raise Refused(f"A ship can't carry more than {MAX_AMOUNT:,} credits; bring some to the bank first.")
    world.put(pilot.with_more(turns=-order.turns, credits=paid))
    world.flow(Flow.WAGE, Good.CREDITS, paid)
    turns = "turn" if order.turns == 1 else "turns"
    return Done(text=f"You have worked {order.turns:,} {turns} in the yard for {paid:,} credits.")


def _check_haven(pilot: Pilot) -> None:
    if pilot.sector != HAVEN:
        raise Refused("The yard and the bank are at Haven, sector 1.")


def _room(pilot: Pilot, good: Good) -> int:
    """How many more the ship can have."""
    match good:
        case Good.HOLDS:
            return MAX_HOLDS - pilot.holds
        case Good.FIGHTERS:
            return MAX_FIGHTERS - pilot.fighters
        case Good.COLONISTS:
            return pilot.free_holds()
        case _:
            raise Refused("The yard sells holds, fighters and colonists; trade goods are for ports.")


def _no_room(good: Good) -> str:
    match good:
        case Good.HOLDS:
            return f"Your ship has {MAX_HOLDS:,} holds, the most that there can be."
        case Good.FIGHTERS:
            return f"Your ship carries {MAX_FIGHTERS:,} fighters, the most that it can; deploy some."
        case _:
            return "You have no free holds for colonists."


def _price(pilot: Pilot, good: Good, amount: int) -> int:
    if good is Good.HOLDS:
        return holds_price(pilot.holds, amount)
    return amount * (FIGHTER_PRICE if good is Good.FIGHTERS else COLONIST_PRICE)


def _payable(pilot: Pilot, good: Good, room: int) -> int:
    if good is Good.HOLDS:
        return affordable_holds(pilot.holds, pilot.credits, room)
    return min(room, pilot.credits // _price(pilot, good, 1))
