"""What every dialogue works with: the caller's terminal, the universe, and who sits at the controls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from starlane.door.console import Console
from starlane.door.screens.sector import sector_screen
from starlane.door.screens.wording import danger, prompt, told
from starlane.door.styles import Line
from starlane.engine import looking
from starlane.engine.ports import Sky
from starlane.engine.refusal import Refused, Superseded
from starlane.orders import Actor, Hear, Order
from starlane.records import Notice, Pilot
from starlane.reports import Done, Heard, Report
from starlane.universe.universe import Universe
from starlane.views import PilotView, RankLine, SectorView

T = TypeVar("T")
R = TypeVar("R", bound=Report)


class Cockpit:
    """One visit of a pilot. Its methods raise Superseded as soon as the pilot has entered from elsewhere."""

    def __init__(self, console: Console, universe: Universe, actor: Actor) -> None:
        self.console = console
        self.universe = universe
        self.actor = actor
        self._changes = -1

    def order(self, order: Order, kind: type[R]) -> R | None:
        """Give an order whose report is of `kind`. None if it was refused: the reason has been shown then."""
        report = self.attempt(order)
        if report is not None and not isinstance(report, kind):
            raise TypeError(f"{type(order).__name__} was answered by {type(report).__name__}, not {kind.__name__}")
        return report

    def attempt(self, order: Order) -> Report | None:
        """As `order`, for orders with more than one kind of report."""
        try:
            return self.universe.perform(self.actor, order)
        except Refused as refused:
            self.console.show(danger(str(refused)))
            return None

    def done(self, order: Order) -> bool:
        """Give an order that is answered by one line, and show it. False if it was refused."""
        report = self.order(order, Done)
        if report is None:
            return False
        self.console.show(report.text)
        return True

    def silently(self, order: Order) -> None:
        """Give an order of which only a refusal is worth a line."""
        self.order(order, Done)

    def choose(self, question: str, keys: Sequence[str], *, default: str = "") -> str:
        """One of `keys`, as `Console.key`."""
        return self.console.key(prompt(question), keys, default=default)

    def look(self, build: Callable[[Sky, Pilot], T]) -> T:
        """What `build` makes of the universe as it is now, for this pilot."""
        with self.universe.look() as sky:
            pilot = sky.get(Pilot, self.actor.pilot)
            if pilot is None or pilot.session != self.actor.session:
                raise Superseded("You have come aboard from elsewhere; this session is over.")
            return build(sky, pilot)

    def pilot(self) -> PilotView:
        """The pilot and its ship."""
        return self.look(looking.pilot_view)

    def sector(self) -> SectorView:
        """The sector that the ship is in."""
        return self.look(looking.sector_view)

    def others(self) -> list[RankLine]:
        """All other pilots."""
        return [line for line in self.ranking() if line.pilot != self.actor.pilot]

    def ranking(self) -> list[RankLine]:
        """All pilots, the richest first."""
        return list(self.look(lambda sky, _: looking.ranking(sky)))

    def show_sector(self) -> None:
        """The sector screen."""
        view, pilot = self.look(lambda sky, pilot: (looking.sector_view(sky, pilot), looking.pilot_view(sky, pilot)))
        self.console.show("", *sector_screen(view, pilot))

    def overheard(self) -> list[Line]:
        """What happened to the pilot since the last time: takes the notices that wait. Asks for no more than a number
        while nobody has changed anything, so it may be called often."""
        changes = self.universe.changes()
        if changes == self._changes:
            return []
        self._changes = changes
        if not self.look(lambda sky, pilot: sky.count(Notice, pilot=pilot.id)):
            return []
        heard = self.universe.perform(self.actor, Hear())
        return [told(text) for text in heard.texts] if isinstance(heard, Heard) else []
