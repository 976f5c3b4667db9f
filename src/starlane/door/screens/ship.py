"""The ship screen: everything about the pilot and what it flies."""

from __future__ import annotations

from starlane.door.screens.sector import holds_text, shield_text
from starlane.door.screens.wording import counted, figure, label, labelled, name, title
from starlane.door.styles import Line
from starlane.views import PilotView


def ship_screen(pilot: PilotView) -> list[Line]:
    """The pilot's own facts, those that others don't see included."""
    lines: list[Line] = [
        title(f"The ship of {pilot.name}"),
        labelled("Day", figure(pilot.day), f"{counted(pilot.turns, 'turns')} left today"),
        labelled("Sector", str(pilot.sector)),
        labelled("Money", f"{counted(pilot.credits, 'credits')} aboard", f"{figure(pilot.bank)} in the Haven bank"),
        labelled("Holds", holds_text(pilot).removeprefix("holds ")),
        labelled("Fighters", f"{figure(pilot.fighters)} aboard"),
        labelled("Scanner", "fitted" if pilot.scanner else "none (the yard at Haven sells one)"),
    ]
    if pilot.alliance:
        lines.append((label("Alliance"), name(pilot.alliance)))
    if pilot.protected_days:
        lines.append(labelled("Shield", shield_text(pilot), counted(pilot.protected_days, "days")))
    if pilot.planet:
        lines.append((label("Landed"), "on ", name(pilot.planet)))
    lines += [
        labelled(
            "Record",
            f"{counted(pilot.kills, 'ships')} destroyed",
            f"{counted(pilot.thorns, 'thornships')} shot down",
            f"{counted(pilot.deaths, 'ships')} lost",
        ),
        labelled("Charted", counted(pilot.sectors_seen, "sectors")),
        labelled("Worth", f"{counted(pilot.net_worth, 'credits')}, all that you own together (the rankings go by it)"),
    ]
    return lines
