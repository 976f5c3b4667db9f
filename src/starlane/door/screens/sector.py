"""The sector screen: where the ship is, who else is there, where the lanes lead, and what the pilot has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from starlane.door.screens.wording import (
    counted,
    danger,
    faint,
    figure,
    label,
    labelled,
    listed,
    name,
    title,
)
from starlane.door.styles import Line, Span
from starlane.goods import CARGO, TRADE_GOODS
from starlane.records import Stance
from starlane.rules.tolls import toll
from starlane.views import LaneView, PicketView, PilotView, PlanetLine, SectorView, ShipView, ThornView

_MAX_PLANETS: Final = 4
_MAX_SHIPS: Final = 5
_MAX_THORNS: Final = 3
"""Lines of each on the screen: it stays within 22 lines. The rest is counted in one line more."""


def sector_screen(view: SectorView, pilot: PilotView) -> list[Line]:
    """Everything that the pilot sees from where it is. Lines come in a fixed order; those without content are left
    out."""
    lines = [_head(view)]
    if view.port:
        lines.append((label("Port"), name(view.port), f" ({view.port_letters}): {port_class(view.port_letters)}"))
    lines += _capped("Planet", [_planet(planet) for planet in view.planets], _MAX_PLANETS)
    lines += _capped("Ship", [_ship(ship) for ship in view.ships], _MAX_SHIPS)
    lines += _capped("Thorn", [_thorn(thorn) for thorn in view.thorns], _MAX_THORNS)
    if view.picket:
        lines.append((label("Picket"), *_picket(view.picket, pilot)))
    lines.append(_lanes(view.lanes))
    lines += _self(pilot)
    return lines


def passing_line(view: SectorView) -> Line:
    """One line about a sector that the ship flies through."""
    facts = [f"port {view.port_letters}"] if view.port else []
    for things, there in (("planets", view.planets), ("ships", view.ships), ("thornships", view.thorns)):
        if there:
            facts.append(counted(len(there), things))
    if view.picket:
        facts.append("a picket")
    return (f"Sector {figure(view.number)}, {_place(view)}", f": {', '.join(facts)}" if facts else "")


def port_class(letters: str) -> str:
    """What the letters of a port mean: `SBB` is `sells ice, buys grain and tools`."""
    sold = [good.value for good, letter in zip(TRADE_GOODS, letters, strict=True) if letter == "S"]
    bought = [good.value for good, letter in zip(TRADE_GOODS, letters, strict=True) if letter != "S"]
    parts = [f"{verb} {listed(goods)}" for verb, goods in (("sells", sold), ("buys", bought)) if goods]
    return ", ".join(parts)


def lane_text(lane: LaneView) -> str:
    """`3`, in brackets where the pilot has not been, with `>` where no lane leads straight back."""
    text = str(lane.to) if lane.seen else f"({lane.to})"
    return f"{text}>" if lane.one_way else text


def _place(view: SectorView) -> str:
    return f"{view.region}, safe" if view.safe else view.region


def _head(view: SectorView) -> Line:
    return title(f"Sector {view.number}, {_place(view)}")


def _capped(word: str, there: Sequence[Sequence[str | Span]], most: int) -> Iterator[Line]:
    for parts in there[:most]:
        yield (label(word), *parts)
    if len(there) > most:
        yield (label(word), f"and {figure(len(there) - most)} more")


def _planet(planet: PlanetLine) -> Sequence[str | Span]:
    owner: Sequence[str | Span] = (", of ", name(planet.owner_name)) if planet.owner_name else (", nobody's",)
    garrison = [f", {counted(planet.fighters, 'fighters')}"] if planet.fighters else []
    return (name(planet.name), f", {planet.kind}", *owner, *garrison)


def _ship(ship: ShipView) -> Sequence[str | Span]:
    facts = [counted(ship.fighters, "fighters")]
    facts += [ship.alliance] if ship.alliance else []
    facts += ["protected"] if ship.protected else []
    facts += ["your ally"] if ship.ally else []
    facts += ["asleep"] if not ship.aboard else []
    return (name(ship.name), f", {', '.join(facts)}")


def _thorn(thorn: ThornView) -> Sequence[str | Span]:
    return ("the thornship ", name(thorn.name), ", ", danger(counted(thorn.fighters, "fighters")))


def _picket(picket: PicketView, pilot: PilotView) -> Sequence[str | Span]:
    fighters = counted(picket.fighters, "fighters")
    if picket.owner == pilot.pilot:
        return (f"{fighters} of yours, {picket.stance}",)
    if picket.friendly:
        return (f"{fighters} of ", name(picket.owner_name), ", your ally")
    asks = f" {figure(toll(picket.fighters))}" if picket.stance is Stance.TOLL else ""
    return (f"{fighters} of ", name(picket.owner_name), f", {picket.stance}{asks}")


def _lanes(lanes: Sequence[LaneView]) -> Line:
    signs = ["() not visited"] if not all(lane.seen for lane in lanes) else []
    signs += ["> one-way"] if any(lane.one_way for lane in lanes) else []
    legend = [faint(f"    {', '.join(signs)}")] if signs else []
    return (label("Lanes"), ", ".join(map(lane_text, lanes)), *legend)


def _self(pilot: PilotView) -> Iterator[Line]:
    if pilot.protected_days:
        days = counted(pilot.protected_days, "days")
        yield labelled("Shield", f"{shield_text(pilot)}, {days}; W gives it up")
    if pilot.planet:
        yield (label("Landed"), "on ", name(pilot.planet))
    elif pilot.docked:
        yield labelled("Docked", "in the port")
    yield labelled(
        "You",
        counted(pilot.turns, "turns"),
        counted(pilot.credits, "credits"),
        counted(pilot.fighters, "fighters"),
        holds_text(pilot),
    )


def shield_text(pilot: PilotView) -> str:
    """Which protection it is: after a loss pickets stand in the way as ever."""
    return "protection after a loss" if pilot.deaths else "newcomer's protection"


def holds_text(pilot: PilotView) -> str:
    """What is in the holds: `holds 20: ice 10, 10 free`."""
    inside = [f"{good} {figure(getattr(pilot, good))}" for good in CARGO if getattr(pilot, good)]
    return f"holds {figure(pilot.holds)}: {', '.join([*inside, f'{figure(pilot.free_holds)} free'])}"
