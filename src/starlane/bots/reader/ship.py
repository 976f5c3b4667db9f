"""The ship screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from starlane.bots.reader.text import Unreadable, fact, facts_of, last_screen, matched, number, numbers
from starlane.bots.shown import OWN
from starlane.goods import CARGO, Good
from starlane.views import PilotView

_HOLDS: Final = re.compile(r"(?:holds )?([\d,]+): (.*?)(?:, )?([\d,]+) free")


_SHIP_HEAD: Final = re.compile(r"The ship of (.+)")


def pilot(lines: Sequence[str]) -> PilotView:
    """The ship screen."""
    screen = last_screen(lines, _SHIP_HEAD, "ship")
    name = matched(_SHIP_HEAD, screen[0], "the head of the ship screen")[1]
    facts = facts_of(screen[1:])
    day, turns = numbers(fact(facts, "Day", "ship"), 2)
    aboard, bank = numbers(fact(facts, "Money", "ship"), 2)
    holds = matched(_HOLDS, fact(facts, "Holds", "ship"), "the holds of the ship")
    cargo = _cargo(holds[2])
    kills, thorns, deaths = numbers(fact(facts, "Record", "ship"), 3)
    shield = facts.get("Shield")
    return PilotView(
        pilot=OWN,
        name=name,
        alliance=facts.get("Alliance", [""])[0],
        sector=int(fact(facts, "Sector", "ship")),
        day=day,
        turns=turns,
        credits=aboard,
        bank=bank,
        holds=number(holds[1]),
        free_holds=number(holds[3]),
        ice=cargo.get(Good.ICE, 0),
        grain=cargo.get(Good.GRAIN, 0),
        tools=cargo.get(Good.TOOLS, 0),
        colonists=cargo.get(Good.COLONISTS, 0),
        fighters=numbers(fact(facts, "Fighters", "ship"), 1)[0],
        scanner=fact(facts, "Scanner", "ship").startswith("fitted"),
        planet=facts["Landed"][0].removeprefix("on ") if "Landed" in facts else "",
        docked=False,
        protected_days=numbers(shield[0], 1)[0] if shield else 0,
        kills=kills,
        deaths=deaths,
        thorns=thorns,
        sectors_seen=numbers(fact(facts, "Charted", "ship"), 1)[0],
        net_worth=numbers(fact(facts, "Worth", "ship"), 1)[0],
    )


def _cargo(text: str) -> dict[Good, int]:
    cargo: dict[Good, int] = {}
    for each in filter(None, text.split(", ")):
        word, _, units = each.partition(" ")
        if word not in CARGO:
            raise Unreadable(f"cargo in the holds: {each!r}")
        cargo[Good(word)] = number(units)
    return cargo
