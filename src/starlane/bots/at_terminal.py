"""A helm at the game's own terminal: it reads the screens and presses the keys that a person would."""

from __future__ import annotations

from starlane.bots import reader
from starlane.bots.conversation import Conversation
from starlane.bots.helm import Charted, HelmLost
from starlane.bots.keyboard import Keyboard
from starlane.bots.keys_of_orders import KeysOfOrders
from starlane.bots.line import Line
from starlane.bots.prompts import At
from starlane.engine.refusal import Refused
from starlane.orders import Order
from starlane.reports import Report
from starlane.views import PilotView, PlanetView, PortReport, PortView, SectorView, YardView


class AtTerminal:
    """A `Helm`. Everything raises HelmLost when the game can't be understood."""

    def __init__(self, line: Line, *, pause_s: float = 0.0) -> None:
        """Come aboard the game that starts on the line, and get to its command prompt. `pause_s` is waited before each
        key, for who wants to watch."""
        self._talk = Conversation(line)
        self._keys = Keyboard(self._talk, pause_s=pause_s)
        self._orders = KeysOfOrders(self._keys)
        self._talk.begin()
        while self._keys.at is At.CONFIRM:  # a newcomer is offered instructions
            self._keys.press("N")
        self._name = self.me().name

    def leave(self) -> None:
        """Q: leave the game, and wait for its end."""
        self._keys.to(At.COMMAND)
        self._keys.press("Q")
        self._talk.last_words("Y")

    def sector(self) -> SectorView:
        """See `Helm`."""
        self._keys.to(At.COMMAND)
        self._keys.press("D")
        return self._keys.read(lambda: reader.sector(self._keys.shown, self._name))

    def me(self) -> PilotView:
        """See `Helm`."""
        self._keys.to(At.COMMAND)
        self._keys.press("I")
        return self._keys.read(lambda: reader.pilot(self._keys.shown))

    def board(self) -> PortView:
        """See `Helm`."""
        self._menu(At.PORT, "P", "B")
        return self._keys.read(lambda: reader.board(self._keys.shown))

    def yard(self) -> YardView:
        """See `Helm`."""
        self._menu(At.YARD, "Y", "L")
        return self._keys.read(lambda: reader.yard(self._keys.shown))

    def planet(self) -> PlanetView:
        """See `Helm`."""
        self._menu(At.GROUND, "L", "S")
        return self._keys.read(lambda: reader.planet(self._keys.shown, self._name))

    def path(self, to: int) -> tuple[int, ...]:
        """See `Helm`."""
        self._computer("P")
        self._keys.amount(to)
        return self._keys.read(lambda: reader.path(self._keys.shown))

    def known_ports(self) -> tuple[PortReport, ...]:
        """See `Helm`."""
        self._computer("R")
        if self._keys.at is not At.KEY:  # none is known yet
            return ()
        self._keys.press("A")
        return self._keys.read(lambda: reader.port_reports(self._keys.shown))

    def chart(self) -> tuple[Charted, ...]:
        """See `Helm`."""
        self._computer("S")
        return self._keys.read(lambda: reader.chart(self._keys.shown))

    def notes(self) -> tuple[str, ...]:
        """See `Helm`."""
        self._computer("L")
        return self._keys.read(lambda: reader.notes(self._keys.shown))

    def worth(self) -> int:
        """See `Helm`."""
        return self._orders.worth

    def do(self, order: Order) -> Report:
        """See `Helm`."""
        return self._orders.do(order)

    def _menu(self, menu: At, opening: str, showing: str) -> None:
        """Have a menu show what it shows when it is opened."""
        try:
            if not self._keys.open(menu, opening):
                self._keys.press(showing)
        except Refused as refused:
            raise HelmLost(str(refused)) from refused

    def _computer(self, key: str) -> None:
        self._keys.open(At.COMPUTER, "C")
        self._keys.press(key)
