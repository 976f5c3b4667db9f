"""Trading at a port: the board, and a bargain for each good."""

from __future__ import annotations

from typing import Final

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.help import help_on
from starlane.door.screens.port import port_board, worth_line
from starlane.door.screens.wording import danger, figure, gain
from starlane.door.styles import Line
from starlane.engine import looking
from starlane.engine.trade import max_quantity
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import Ask, Dock, Offer, Walk
from starlane.reports import Docked, Haggle, Haggled
from starlane.rules.prices import fair_total
from starlane.views import PilotView, PortLine, PortView

_PROMPT: Final = "Port: Ice, Grain, Tools, Board, Dock anew, Quit (I/G/T/B/D/Q) [Q]? "

_MAX_OFFER_TIMES: Final = 10
"""No offer is higher than so many times the port's price: that would be a slip of the finger."""


def port(cockpit: Cockpit) -> None:
    """P: dock, and trade until the pilot has enough of it."""
    if not cockpit.sector().port:
        cockpit.console.show("There is no port in this sector. C, then R, lists the ports that you know.")
        return
    if not cockpit.pilot().docked and cockpit.order(Dock(), Docked) is None:
        return
    _board(cockpit)
    while True:
        chosen = cockpit.choose(_PROMPT, ["I", "G", "T", "B", "D", "Q", "?"], default="Q")
        if chosen == "Q":
            return
        if chosen == "?":
            help_on(cockpit, "trade")
        elif chosen == "B" or (chosen == "D" and cockpit.order(Dock(), Docked)):
            _board(cockpit)
        elif chosen == "D":
            continue
        else:
            _trade(cockpit, next(good for good in TRADE_GOODS if good[0].upper() == chosen))


def _port(cockpit: Cockpit) -> PortView:
    view = cockpit.look(lambda sky, pilot: looking.port_view(sky, pilot.sector))
    if view is None:
        raise LookupError("a ship is docked where there is no port")
    return view


def _board(cockpit: Cockpit) -> None:
    cockpit.console.show(*port_board(_port(cockpit), cockpit.pilot()))


def _trade(cockpit: Cockpit, good: Good) -> None:
    line = next(line for line in _port(cockpit).lines if line.good is good)
    most = cockpit.look(lambda sky, pilot: max_quantity(sky, pilot, good))
    if most < 1:
        cockpit.console.show(_obstacle(line, cockpit.pilot()))
        return
    verb = "buy" if line.sells else "sell"
    quantity = cockpit.console.number(f"How many units of {good} do you want to {verb}", 0, most, most)
    if not quantity:
        return
    opened = cockpit.order(Ask(good=good, quantity=quantity), Haggled)
    if opened is not None:
        cockpit.console.show(worth_line(opened, _fair(line, quantity)), opened.text)
        _haggle(cockpit, opened)


def _obstacle(line: PortLine, pilot: PilotView) -> str:
    """Why not a single unit can be traded."""
    good = line.good
    if not line.open_for:
        return f"The port has {'sold all its' if line.sells else 'no more room for'} {good}; that recovers day by day."
    if not line.sells:
        return f"The port buys {good}, and you carry none."
    if not pilot.free_holds:
        return f"The port sells {good}, and your holds are full."
    return f"You have {figure(pilot.credits)} credits; that does not pay for one unit of {good}."


def _fair(line: PortLine, quantity: int) -> int:
    stock = line.open_for if line.sells else line.size - line.open_for
    return fair_total(line.good, sells=line.sells, stock=stock, size=line.size, quantity=quantity)


def _haggle(cockpit: Cockpit, bargain: Haggled) -> None:
    while bargain.state is Haggle.OPEN:
        offer = cockpit.console.number("Your offer, 0 walks away", 0, bargain.ask * _MAX_OFFER_TIMES, bargain.ask)
        if not offer:
            cockpit.done(Walk())
            return
        answered = cockpit.order(Offer(credits=offer), Haggled)
        if answered is None:
            return
        bargain = answered
        cockpit.console.show(_said(bargain))
    if bargain.state is Haggle.FINAL:
        _last_word(cockpit, bargain)


def _last_word(cockpit: Cockpit, bargain: Haggled) -> None:
    verb = "Pay" if bargain.buying else "Take"
    if not cockpit.console.confirm(f"{verb} {figure(bargain.ask)}, the port's last word", default=True):
        cockpit.done(Walk())
        return
    answered = cockpit.order(Offer(credits=bargain.ask), Haggled)
    if answered is not None:
        cockpit.console.show(_said(answered))


def _said(bargain: Haggled) -> Line:
    if bargain.state is Haggle.DEAL:
        return gain(bargain.text)
    return danger(bargain.text) if bargain.state is Haggle.BROKEN else bargain.text
