"""What every trading pilot does at the helm: fly a way, dock, haggle, deal with the yard and the bank."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Final, TypeAlias

from starlane.bots.brains.atlas import Atlas
from starlane.bots.brains.haggler import Haggler
from starlane.bots.helm import Helm
from starlane.engine.refusal import Refused
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import Ask, Bank, Buy, BuyScanner, Dock, Move, Offer, Order, Scan
from starlane.records import HAVEN
from starlane.reports import Haggle, Haggled, Moved, Report, Stopped
from starlane.rules.yard import affordable_holds
from starlane.views import PilotView, SectorView

Course: TypeAlias = Generator[None, None, bool]
"""Something that takes turns, with a pause after each; whether it came to its end."""

_MAX_OFFERS: Final = 12
"""In one bargain: no port hears so many, so that no misunderstanding can go on for ever."""


class Ship:
    """A helm, what its pilot remembers, and how it haggles."""

    def __init__(self, helm: Helm, atlas: Atlas, haggler: Callable[[], Haggler]) -> None:
        self.helm = helm
        self.atlas = atlas
        self.docked = False
        self.halted = False
        """The last flight ended early, and nothing that was planned holds any more."""
        self._haggler = haggler
        self._me: PilotView | None = None
        self.view: SectorView = helm.sector()
        atlas.note(self.view)

    @property
    def me(self) -> PilotView:
        """The pilot as it is now."""
        if self._me is None:
            self._me = self.helm.me()
        return self._me

    @property
    def here(self) -> int:
        """The sector that the ship is in."""
        return self.view.number

    def order(self, order: Order) -> Report | None:
        """Give an order; None if it was refused."""
        self._me = None
        try:
            return self.helm.do(order)
        except Refused:
            return None

    def look_around(self) -> None:
        """Take in the sector, and the computer's report of a port that is not known as it is today."""
        self.view = self.helm.sector()
        self.atlas.note(self.view)
        known = self.atlas.ports.get(self.here)
        if self.view.port and (known is None or known.day != self.me.day):
            self.atlas.report(self.helm.known_ports())

    # Flying

    def fly(self, to: int) -> Course:
        """Fly to a sector by known lanes, around those who bar the way."""
        while self.here != to:
            way = self.atlas.way(self.here, to)
            if not way or self.me.turns < 1:
                return False
            if not (yield from self.hop(way[0])) and self.halted:
                return False
        return True

    def hop(self, to: int) -> Course:
        """Fly along one lane."""
        self.halted = False
        report = self.order(Move(to=to))
        if isinstance(report, Moved):
            self.docked = False
            self.look_around()
            yield
            return True
        if isinstance(report, Stopped) and not report.destroyed:
            self.atlas.bar(to)
            return False
        self.docked = False
        self.halted = True
        self.look_around()
        return False

    def scan(self) -> None:
        """Look into the next sectors, and take in what their ports have."""
        if self.order(Scan()) is not None:
            self.atlas.report(self.helm.known_ports())

    # Trade

    def dock(self) -> Course:
        """Into the port of the sector."""
        if not self.docked:
            if self.order(Dock()) is None:
                return False
            self.docked = True
            self._read_board()
            yield
        return True

    def _read_board(self) -> None:
        self.atlas.board(self.helm.board(), self.me.day)

    def trade(self, good: Good, quantity: int) -> bool:
        """Buy or sell so much at the port, as the port wants it; whether it came to a deal."""
        said = self.order(Ask(good=good, quantity=quantity))
        if not isinstance(said, Haggled):
            return False
        haggler, worth = self._haggler(), self.helm.worth()
        for _ in range(_MAX_OFFERS):
            if said.state in {Haggle.DEAL, Haggle.BROKEN}:
                break
            price = said.ask if said.state is Haggle.FINAL else haggler.offer(said, worth)
            answered = self.order(Offer(credits=price))
            if not isinstance(answered, Haggled):
                return False
            said = answered
        self._read_board()
        return said.state is Haggle.DEAL

    def sell_all(self) -> bool:
        """Sell what the port here takes of the cargo; whether anything was."""
        sold = False
        for good in TRADE_GOODS:
            stall = self.atlas.ports[self.here].stalls[good]
            units = min(int(getattr(self.me, good)), stall.open_for)
            if units and not stall.sells:
                sold = self.trade(good, units) or sold
        return sold

    def cargo(self) -> dict[Good, int]:
        """The trade goods aboard."""
        return {good: units for good in TRADE_GOODS if (units := int(getattr(self.me, good)))}

    # At Haven

    def draw(self, amount: int) -> None:
        """Draw so much out of the bank, or all there is."""
        amount = min(amount, self.me.bank)
        if self.here == HAVEN and amount > 0:
            self.order(Bank(credits=-amount))

    def pay_in(self, amount: int) -> None:
        """Pay so much into the bank."""
        if self.here == HAVEN and amount > 0:
            self.order(Bank(credits=amount))

    def buy_holds(self, most: int, purse: int) -> None:
        """Buy up to `most` holds for `purse` credits."""
        more = affordable_holds(self.me.holds, purse, min(most, self.helm.yard().holds_for_sale))
        if more > 0:
            self.order(Buy(good=Good.HOLDS, amount=more))

    def buy(self, good: Good, amount: int) -> None:
        """Buy fighters or colonists."""
        if amount > 0:
            self.order(Buy(good=good, amount=amount))

    def buy_scanner(self) -> None:
        """Have a scanner built in."""
        self.order(BuyScanner())
