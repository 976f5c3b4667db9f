"""A planet as its visitor sees it."""

from __future__ import annotations

from starlane.door.screens.wording import amounts, counted, figure, label, labelled, name, title
from starlane.door.styles import Line
from starlane.goods import TRADE_GOODS, Good
from starlane.records import NOBODY
from starlane.views import PilotView, PlanetView


def planet_screen(planet: PlanetView, pilot: PilotView) -> list[Line]:
    """What lies on the planet, what it makes, and what the ship could add."""
    lines: list[Line] = [title(f"{planet.name}, {planet.kind} planet in sector {pilot.sector}")]
    if planet.owner == NOBODY:
        lines.append(labelled("Owner", "nobody"))
    else:
        whose = " (you)" if planet.owner == pilot.pilot else ""
        lines.append((label("Owner"), name(planet.owner_name), whose))
        lines.append(
            labelled("People", f"{figure(planet.colonists)} colonists of at most {figure(planet.max_colonists)}")
        )
        lines.append(labelled("Makes", f"{planet.job}, {figure(planet.makes_per_day)} the coming day"))
        lines.append(labelled("Works", f"level {planet.works}", _next_level(planet)))
        lines.append(labelled("Garrison", counted(planet.fighters, "fighters")))
    stores = {good: getattr(planet, good) for good in (Good.CREDITS, *TRADE_GOODS)}
    lines.append(labelled("Stores", amounts(stores)))
    aboard = {good: getattr(pilot, good) for good in _LOADABLE}
    lines.append(labelled("Aboard", amounts(aboard), f"{figure(pilot.free_holds)} holds free"))
    return lines


_LOADABLE = (Good.CREDITS, *TRADE_GOODS, Good.COLONISTS, Good.FIGHTERS)


def _next_level(planet: PlanetView) -> str:
    if not planet.build_credits:
        return "the highest"
    return f"the next for {counted(planet.build_credits, 'credits')} aboard and {planet.build_tools} tools here"
