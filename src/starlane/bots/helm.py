"""The controls of a ship as a bot has them: the little that a player sees and does, whoever the player is.

There are two: `in_process` gives orders to a universe, `at_terminal` reads the screens of the game and presses its
keys. A brain must not be able to tell one from the other, so that both hand out what the screens show and nothing
more: `shown` says what that is.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from starlane.orders import Order
from starlane.reports import Report
from starlane.views import LaneView, PilotView, PlanetView, PortReport, PortView, SectorView, YardView


class HelmLost(Exception):
    """The game can't be played on; the text is one sentence that says where it stood."""


class Charted(msgspec.Struct, frozen=True, kw_only=True):
    """A sector on the computer's chart: the pilot has been there, or its scanner has."""

    sector: int
    port_letters: str
    """The class of its port, or nothing."""
    lanes: tuple[LaneView, ...]


class Helm(Protocol):
    """See the module. Everything may raise HelmLost."""

    def sector(self) -> SectorView:
        """Where the ship is. Planets, ships and thornships are numbered from 1 in the order in which they are shown;
        an order names them by that number, and it holds in this sector alone."""

    def me(self) -> PilotView:
        """The pilot and its ship."""

    def board(self) -> PortView:
        """The board of the port that the ship is docked in."""

    def yard(self) -> YardView:
        """The price list; at Haven."""

    def planet(self) -> PlanetView:
        """The planet that the ship stands on."""

    def path(self, to: int) -> tuple[int, ...]:
        """The computer's way to a sector: the target included, this sector not."""

    def known_ports(self) -> tuple[PortReport, ...]:
        """The computer's reports of ports, in the order of their sectors."""

    def chart(self) -> tuple[Charted, ...]:
        """The computer's chart, in the order of the sectors."""

    def notes(self) -> tuple[str, ...]:
        """The lines of the pilot's log, the oldest first."""

    def worth(self) -> int:
        """What the goods of the bargain that was opened last were worth by the port's board then, in credits."""

    def do(self, order: Order) -> Report:
        """Give an order. Raises Refused if it can't be done.

        Where the game asks in its own way, this follows: `Dock` in port does nothing; `Ask` is cut to what the port's
        prompt allows; after `Haggle.FINAL` there is only an `Offer` of the port's own price, or `Walk`; `Force`, and
        `Move` with a toll, answer the `Stopped` just before them. A bargain must be ended before anything else is done.
        """
