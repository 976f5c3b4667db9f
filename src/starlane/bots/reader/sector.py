"""The sector screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from starlane.bots.reader.text import fact, facts_of, last_screen, matched, number
from starlane.bots.shown import OTHER, OWN, owner_number
from starlane.records import Kind, Stance
from starlane.views import LaneView, PicketView, PlanetLine, SectorView, ShipView, ThornView

_HEAD: Final = re.compile(r"Sector ([\d,]+), (.+?)(, safe)?")
_PORT: Final = re.compile(r"(.+) \(([SB]{3})\): .+")
_PLANET: Final = re.compile(
    r"(.+?), (ocean|prairie|mountain|frost|ash), (?:of (.+?)|nobody's)(?:, ([\d,]+) fighters?)?"
)
_SHIP: Final = re.compile(r"(.+?), ([\d,]+) fighters?((?:, .+)?)")
_THORN: Final = re.compile(r"the thornship (.+), ([\d,]+) fighters?")
_OWN_PICKET: Final = re.compile(r"([\d,]+) fighters? of yours, (toll|guard|hunt)")
_PICKET: Final = re.compile(r"([\d,]+) fighters? of (.+), (?:(toll) [\d,]+|(guard|hunt)|your ally)")
_LANE: Final = re.compile(r"(\()?(\d+)\)?(>)?")


def sector(lines: Sequence[str], own_name: str) -> SectorView:
    """The last sector screen among the lines."""
    screen = last_screen(lines, _HEAD, "sector")
    head = matched(_HEAD, screen[0], "the head of the sector screen")
    facts = facts_of(screen[1:])
    port = matched(_PORT, facts["Port"][0], "a port in the sector") if "Port" in facts else None
    return SectorView(
        number=number(head[1]),
        region=head[2],
        safe=bool(head[3]),
        port=port[1] if port else "",
        port_letters=port[2] if port else "",
        planets=tuple(_planet_line(text, place, own_name) for place, text in enumerate(_things(facts, "Planet"), 1)),
        ships=tuple(_ship(text, place) for place, text in enumerate(_things(facts, "Ship"), 1)),
        thorns=tuple(_thorn(text, place) for place, text in enumerate(_things(facts, "Thorn"), 1)),
        picket=_picket(facts["Picket"][0], own_name) if "Picket" in facts else None,
        lanes=tuple(map(lane, fact(facts, "Lanes", "sector").partition("    ")[0].split(", "))),
    )


def _things(facts: dict[str, list[str]], label: str) -> list[str]:
    return [text for text in facts.get(label, []) if not re.fullmatch(r"and [\d,]+ more", text)]


def _planet_line(text: str, place: int, own_name: str) -> PlanetLine:
    found = matched(_PLANET, text, "a planet in the sector")
    owner = found[3] or ""
    return PlanetLine(
        planet=place,
        name=found[1],
        kind=Kind(found[2]),
        owner=owner_number(owner, own_name),
        owner_name=owner,
        fighters=number(found[4] or "0"),
        friendly=owner == own_name,
    )


def _ship(text: str, place: int) -> ShipView:
    found = matched(_SHIP, text, "a ship in the sector")
    marks = found[3].split(", ")[1:]
    awake = "asleep" not in marks[-1:]
    marks = marks if awake else marks[:-1]
    ally = "your ally" in marks[-1:]
    marks = marks[:-1] if ally else marks
    protected = "protected" in marks[-1:]
    marks = marks[:-1] if protected else marks
    return ShipView(
        pilot=place,
        name=found[1],
        fighters=number(found[2]),
        alliance=", ".join(marks),
        protected=protected,
        ally=ally,
        aboard=awake,
    )


def _thorn(text: str, place: int) -> ThornView:
    found = matched(_THORN, text, "a thornship in the sector")
    return ThornView(thornship=place, name=found[1], fighters=number(found[2]))


def _picket(text: str, own_name: str) -> PicketView:
    own = _OWN_PICKET.fullmatch(text)
    if own is not None:
        return PicketView(owner=OWN, owner_name=own_name, fighters=number(own[1]), stance=Stance(own[2]), friendly=True)
    found = matched(_PICKET, text, "a picket in the sector")
    shown = found[3] or found[4]
    stance = Stance(shown) if shown else Stance.GUARD
    return PicketView(owner=OTHER, owner_name=found[2], fighters=number(found[1]), stance=stance, friendly=not shown)


def lane(text: str) -> LaneView:
    """A lane, such as `(19)>`."""
    found = matched(_LANE, text, "a lane")
    return LaneView(to=int(found[2]), seen=not found[1], one_way=bool(found[3]))
