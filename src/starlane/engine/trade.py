"""Trade in ports: docking, and bargains over a quantity of one good."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from starlane.engine.patter import opening, price, reply
from starlane.engine.ports import Sky, World
from starlane.engine.refusal import Refused
from starlane.engine.turns import spend_turn
from starlane.flows import Flow
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import Ask, Dock, Offer, Walk
from starlane.records import NOBODY, Bargain, Pilot, Port, Seen
from starlane.reports import Docked, Done, Haggle, Haggled
from starlane.rules.haggling import MAX_SPOILT, answer, best_reserve, open_bargain, repriced, worst_opening
from starlane.rules.prices import fair_at
from starlane.settings import MAX_AMOUNT

_DRIFT_PERMILLE = 10
"""How far others may move a price against a pilot who haggles before the port names a new one: a busy port must not
stop every bargain, and friends must not share one cheap price."""


def dock(world: World, pilot: Pilot, _order: Dock) -> Docked:
    """Into the sector's port, for a turn. Docking once more makes the port forget the bargains that were spoilt."""
    port = world.get(Port, pilot.sector)
    if port is None:
        raise Refused("There is no port in this sector.")
    if pilot.docked and not pilot.spoilt:
        raise Refused(f"You are docked at {port.name} already.")
    pilot = spend_turn(world, pilot)
    world.put(msgspec.structs.replace(pilot, docked=True, planet=NOBODY, spoilt=0))
    _end_bargain(world, pilot)
    _note_stock(world, pilot, port)
    return Docked(port=port.name)


def ask(world: World, pilot: Pilot, order: Ask) -> Haggled:
    """Have the port name its first price. It is a bargain spoilt until it has become a deal."""
    port = _port_of(world, pilot)
    good, quantity = order.good, order.quantity
    if good not in TRADE_GOODS:
        raise Refused("Ports trade ice, grain and tools only; the rest is for the yard at Haven.")
    if pilot.spoilt >= MAX_SPOILT:
        raise Refused("The traders here are tired of you: dock once more, for a turn, or go elsewhere.")
    _check_quantity(pilot, port, good, quantity)
    fair, buying = fair_at(port, good, quantity), port.sells(good)
    first = open_bargain(world.dice, fair, buying=buying, spoilt=pilot.spoilt)
    bargain = Bargain(
        pilot=pilot.id,
        sector=port.sector,
        good=good,
        buying=buying,
        quantity=quantity,
        fair=fair,
        ask=first.ask,
        reserve=first.reserve,
        patience=first.patience,
    )
    world.put(bargain)
    world.put(pilot.with_more(spoilt=1))
    return _haggled(Haggle.OPEN, bargain, opening(world.dice, bargain, pilot.spoilt))


def offer(world: World, pilot: Pilot, order: Offer) -> Haggled:
    """Name a total price. A deal is struck if goods, room and money are still there; the purse is looked at first."""
    port = _port_of(world, pilot)
    bargain = world.get(Bargain, pilot.id)
    if bargain is None or bargain.sector != pilot.sector:
        raise Refused("You are in no bargain; ask for a price first.")
    _check_offer(pilot, bargain, order.credits)
    lacking = _lacking(pilot, port, bargain)
    if lacking:
        world.drop(bargain)
        world.put(pilot.with_more(spoilt=-1))
        return _haggled(Haggle.BROKEN, bargain, f"{lacking} No deal, and no offence taken.")
    moved = _drifted(port, bargain)
    if moved is not None:
        world.put(moved)
        state = Haggle.OPEN if moved.patience else Haggle.FINAL
        return _haggled(state, moved, f"Others have traded here, and the price has moved. {price(moved)}")
    said = answer(world.dice, bargain, order.credits)
    if said.state is Haggle.DEAL:
        _strike(world, pilot, port, said.bargain)
    elif said.state is Haggle.BROKEN:
        world.drop(bargain)
    else:
        world.put(said.bargain)
    return _haggled(said.state, said.bargain, reply(world.dice, said))


def walk(world: World, pilot: Pilot, _order: Walk) -> Done:
    """Out of the bargain; the ship stays docked."""
    if not _end_bargain(world, pilot):
        raise Refused("You are in no bargain.")
    return Done(text="You walk away; no deal.")


def max_quantity(sky: Sky, pilot: Pilot, good: Good) -> int:
    """How many units of `good` the pilot can trade in this sector's port: what a prompt offers; 0 for none.

    A purchase of so many can be paid at whatever price the port opens with.
    """
    port = sky.get(Port, pilot.sector)
    if port is None or good not in TRADE_GOODS:
        return 0
    most = _tradable(pilot, port, good)
    if not port.sells(good):
        return most

    def dearest(units: int) -> int:
        return worst_opening(fair_at(port, good, units), buying=True, spoilt=pilot.spoilt)

    return _most_payable(most, dearest, pilot)


def _port_of(world: World, pilot: Pilot) -> Port:
    port = world.get(Port, pilot.sector)
    if port is None or not pilot.docked:
        raise Refused("You are not in a port; dock first.")
    return port


def _end_bargain(world: World, pilot: Pilot) -> bool:
    bargain = world.get(Bargain, pilot.id)
    if bargain is None:
        return False
    world.drop(bargain)
    return True


def _tradable(pilot: Pilot, port: Port, good: Good) -> int:
    """Units that stock or room, and holds or cargo, allow."""
    return min(port.open_for(good), pilot.free_holds() if port.sells(good) else pilot.amount(good))


def _check_quantity(pilot: Pilot, port: Port, good: Good, quantity: int) -> None:
    most = _tradable(pilot, port, good)
    if most < 1:
        raise Refused(_nothing_to_trade(port, good))
    if not 1 <= quantity <= most:
        verb = "buy" if port.sells(good) else "sell"
        raise Refused(f"You can {verb} 1 to {most:,} {good} here.")
    if not port.sells(good):
        return

    def cheapest(units: int) -> int:
        return best_reserve(fair_at(port, good, units), buying=True, spoilt=pilot.spoilt)

    if cheapest(quantity) > pilot.credits:
        payable = _most_payable(most, cheapest, pilot)
        least = f"{quantity:,} {good} cost {cheapest(quantity):,} credits at the very least; you have {pilot.credits:,}"
        raise Refused(f"{least}, enough for {payable:,} at most." if payable else f"{least}.")


def _nothing_to_trade(port: Port, good: Good) -> str:
    if port.open_for(good) < 1:
        state = "sold out of" if port.sells(good) else "full of"
        return f"{port.name} is {state} {good}; that changes with the days."
    return "You have no free holds." if port.sells(good) else f"You have no {good} aboard; this port buys it."


def _most_payable(most: int, cost: Callable[[int], int], pilot: Pilot) -> int:
    """The most units, up to `most`, whose `cost` (never less for more units) the purse can pay."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= pilot.credits else (low, middle - 1)
    return low


def _check_offer(pilot: Pilot, bargain: Bargain, named: int) -> None:
    if not 1 <= named <= MAX_AMOUNT:
        raise Refused(f"Name a price from 1 to {MAX_AMOUNT:,}, or walk away.")
    if bargain.buying and min(named, bargain.ask) > pilot.credits:
        raise Refused(f"You have only {pilot.credits:,} credits; offer what you can pay, or walk away.")
    if not bargain.buying and pilot.credits + max(named, bargain.ask) > MAX_AMOUNT:
        raise Refused(f"A ship can't carry more than {MAX_AMOUNT:,} credits; bring some to the bank first.")


def _lacking(pilot: Pilot, port: Port, bargain: Bargain) -> str:
    """What has gone since the bargain was opened, as a sentence; empty if nothing has."""
    good, quantity = bargain.good, bargain.quantity
    if port.open_for(good) < quantity:
        left = f"{port.open_for(good):,} {good}"
        return f"Somebody was faster: the port {f'has only {left} left' if bargain.buying else f'takes only {left}'}."
    if _tradable(pilot, port, good) < quantity:
        return "Your holds have not the room any more." if bargain.buying else f"You have not so much {good} any more."
    return ""


def _drifted(port: Port, bargain: Bargain) -> Bargain | None:
    """The bargain at new prices, if others have moved them against the pilot; else None."""
    fair = fair_at(port, bargain.good, bargain.quantity)
    against = fair - bargain.fair if bargain.buying else bargain.fair - fair
    return repriced(bargain, fair) if against * 1000 > bargain.fair * _DRIFT_PERMILLE else None


def _strike(world: World, pilot: Pilot, port: Port, bargain: Bargain) -> None:
    """Goods and money change hands at the bargain's `ask`."""
    good, sign = bargain.good, 1 if bargain.buying else -1
    pilot = pilot.with_more(**{good.value: sign * bargain.quantity, "credits": -sign * bargain.ask, "spoilt": -1})
    port = port.traded(good, -sign * bargain.quantity)
    world.put(pilot)
    world.put(port)
    world.flow(Flow.PORT_TILL, Good.CREDITS, -sign * bargain.ask)
    world.drop(bargain)
    _note_stock(world, pilot, port)


def _note_stock(world: World, pilot: Pilot, port: Port) -> None:
    """The pilot has seen the port's stock as it is now; whoever got here has a record of the sector."""
    for seen in world.find(Seen, pilot=pilot.id, sector=port.sector):
        stocks = {f"{good}_stock": port.stock(good) for good in TRADE_GOODS}
        world.put(msgspec.structs.replace(seen, day=world.today, **stocks))


def _haggled(state: Haggle, bargain: Bargain, text: str) -> Haggled:
    good, buying, quantity = bargain.good, bargain.buying, bargain.quantity
    return Haggled(state=state, good=good, buying=buying, quantity=quantity, ask=bargain.ask, text=text)
