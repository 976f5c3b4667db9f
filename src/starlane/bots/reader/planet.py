"""The planet screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from starlane.bots.reader.text import fact, facts_of, last_screen, matched, number, numbers
from starlane.bots.shown import JOBLESS, OTHER, OWN
from starlane.records import NOBODY, Job, Kind
from starlane.views import PlanetView

_FACT: Final = re.compile(r"([\d,]+) (\w+)")


_PLANET_HEAD: Final = re.compile(r"(.+), (ocean|prairie|mountain|frost|ash) planet in sector ([\d,]+)")


def planet(lines: Sequence[str], own_name: str) -> PlanetView:
    """The planet screen."""
    screen = last_screen(lines, _PLANET_HEAD, "planet")
    head = matched(_PLANET_HEAD, screen[0], "the head of the planet screen")
    facts = facts_of(screen[1:])
    owner_name = fact(facts, "Owner", "planet")
    stores = _stores(fact(facts, "Stores", "planet"))
    if owner_name == "nobody":
        owner_name, owner = "", NOBODY
        people, room, job, makes, works, build_credits, build_tools, garrison = 0, 0, JOBLESS, 0, 0, 0, 0, 0
    else:
        owner = OWN if owner_name == f"{own_name} (you)" else OTHER
        owner_name = owner_name.removesuffix(" (you)") if owner == OWN else owner_name
        people, room = numbers(fact(facts, "People", "planet"), 2)
        word, _, rest = fact(facts, "Makes", "planet").partition(", ")
        job, makes = Job(word), numbers(rest, 1)[0]
        level = [number(each) for each in re.findall(r"\d[\d,]*(?<!,)", fact(facts, "Works", "planet"))]
        works, build_credits, build_tools = [*level, 0, 0][:3]
        garrison = numbers(fact(facts, "Garrison", "planet"), 1)[0]
    return PlanetView(
        planet=0,
        name=head[1],
        kind=Kind(head[2]),
        owner=owner,
        owner_name=owner_name,
        job=job,
        works=works,
        credits=stores.get("credits", 0),
        ice=stores.get("ice", 0),
        grain=stores.get("grain", 0),
        tools=stores.get("tools", 0),
        colonists=people,
        max_colonists=room,
        fighters=garrison,
        makes_per_day=makes,
        build_credits=build_credits,
        build_tools=build_tools,
    )


def _stores(text: str) -> dict[str, int]:
    if text == "nothing":
        return {}
    plural = {"credit": "credits", "tool": "tools"}
    return {plural.get(word, word): number(units) for units, word in _FACT.findall(text)}
