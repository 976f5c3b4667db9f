"""What the screens show of a view. In process the rest is taken out, so that no bot knows more than a player.

Numbers that no screen has are 0, names that none has are empty; what stands in a list is numbered by its place.
"""

from __future__ import annotations

from typing import Final

import msgspec

from starlane.records import NOBODY, Job, Stance
from starlane.reports import Fought, Moved, Report, Stopped
from starlane.views import PilotView, PlanetView, PortReport, PortView, SectorView

MAX_PLANETS: Final = 4
MAX_SHIPS: Final = 5
MAX_THORNS: Final = 3
"""Lines of each on the sector screen."""
OWN: Final = 1
"""Stands for the pilot itself where an owner is numbered."""
OTHER: Final = 2
"""Stands for anybody else."""
JOBLESS: Final = Job.GRAIN
"""Stands where nobody works."""

_replaced = msgspec.structs.replace


def owner_number(owner_name: str, own_name: str) -> int:
    """Screens name owners and number none."""
    if not owner_name:
        return NOBODY
    return OWN if owner_name == own_name else OTHER


def shown_sector(view: SectorView, own_name: str) -> SectorView:
    """The sector screen."""
    planets = tuple(
        _replaced(
            planet,
            planet=place,
            owner=owner_number(planet.owner_name, own_name),
            friendly=planet.owner_name == own_name,
        )
        for place, planet in enumerate(view.planets[:MAX_PLANETS], 1)
    )
    ships = tuple(_replaced(ship, pilot=place) for place, ship in enumerate(view.ships[:MAX_SHIPS], 1))
    thorns = tuple(_replaced(thorn, thornship=place) for place, thorn in enumerate(view.thorns[:MAX_THORNS], 1))
    picket = view.picket
    if picket is not None:
        ally = picket.friendly and picket.owner_name != own_name
        picket = _replaced(
            picket,
            owner=owner_number(picket.owner_name, own_name),
            stance=Stance.GUARD if ally else picket.stance,  # an ally's stance is not shown
        )
    return _replaced(view, planets=planets, ships=ships, thorns=thorns, picket=picket)


def shown_pilot(view: PilotView) -> PilotView:
    """The ship screen."""
    return _replaced(view, pilot=OWN, docked=False)


def shown_board(view: PortView) -> PortView:
    """A port's board: how much a port can hold at most is for the pilot to guess."""
    return _replaced(view, lines=tuple(_replaced(line, size=0) for line in view.lines))


def shown_report(view: PortReport) -> PortReport:
    """A line of the computer's reports of ports."""
    port = shown_board(view.port)
    return _replaced(view, port=_replaced(port, name=""))


def shown_planet(view: PlanetView, own_name: str) -> PlanetView:
    """The planet screen, which says no more of a planet than its stores while nobody owns it."""
    owner = owner_number(view.owner_name, own_name)
    if owner == NOBODY:
        return _replaced(
            view,
            planet=0,
            owner=NOBODY,
            job=JOBLESS,
            works=0,
            colonists=0,
            max_colonists=0,
            fighters=0,
            makes_per_day=0,
            build_credits=0,
            build_tools=0,
        )
    return _replaced(view, planet=0, owner=owner)


def shown_outcome(report: Report) -> Report:
    """What came of an order, as far as it is shown everywhere."""
    if isinstance(report, Moved):
        return _replaced(report, first_time=False)
    if isinstance(report, Fought):
        return _replaced(report, foe="", foe_left=0, salvage={}, bounty=0)
    return _replaced(report, lost=0) if isinstance(report, Stopped) else report
