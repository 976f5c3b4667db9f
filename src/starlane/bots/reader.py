"""Screens to views: what the game shows in lines of text, read as a person would. Pure.

The lines are whole: the terminal must be wide enough that none is broken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from starlane.bots.helm import Charted
from starlane.bots.shown import JOBLESS, OTHER, OWN, owner_number
from starlane.goods import CARGO, TRADE_GOODS, Good
from starlane.records import NOBODY, Job, Kind, Stance
from starlane.reports import Fought, Haggle, Haggled, Sight
from starlane.rules.yard import COLONIST_PRICE, FIGHTER_PRICE, SCANNER_PRICE
from starlane.views import (
    LaneView,
    PicketView,
    PilotView,
    PlanetLine,
    PlanetView,
    PortLine,
    PortReport,
    PortView,
    SectorView,
    ShipView,
    ThornView,
    YardView,
)


class Unreadable(Exception):
    """A screen is not what it should be; the text names it and what is missing."""


_LABEL_COLUMNS: Final = 9
_HEAD: Final = re.compile(r"Sector ([\d,]+), (.+?)(, safe)?")
_PORT: Final = re.compile(r"(.+) \(([SB]{3})\): .+")
_PLANET: Final = re.compile(
    r"(.+?), (ocean|prairie|mountain|frost|ash), (?:of (.+?)|nobody's)(?:, ([\d,]+) fighters?)?"
)
_SHIP: Final = re.compile(r"(.+?), ([\d,]+) fighters?((?:, .+)?)")
_THORN: Final = re.compile(r"the thornship (.+), ([\d,]+) fighters?")
_OWN_PICKET: Final = re.compile(r"([\d,]+) fighters? of yours, (toll|guard|hunt)")
_PICKET: Final = re.compile(r"([\d,]+) fighters? of (.+), (asks a toll|lets nobody in|hunts strangers|your ally)")
_STANCES: Final = {"asks a toll": Stance.TOLL, "lets nobody in": Stance.GUARD, "hunts strangers": Stance.HUNT}
_LANE: Final = re.compile(r"(\()?(\d+)\)?(>)?")
_HOLDS: Final = re.compile(r"(?:holds )?([\d,]+): (.*?)(?:, )?([\d,]+) free")
_CELL: Final = re.compile(r"(sells|buys) ([\d,]+) @([\d,]+)\.(\d)")
_FACT: Final = re.compile(r"([\d,]+) (\w+)")
_SIGHT: Final = re.compile(r" *(\d+)  (.+?): (.+)")


def number(text: str) -> int:
    """A whole number with commas."""
    return int(text.replace(",", ""))


def facts_of(lines: Sequence[str]) -> dict[str, list[str]]:
    """The facts of a screen by their labels; a label may come more than once."""
    facts: dict[str, list[str]] = {}
    for line in lines:
        facts.setdefault(line[:_LABEL_COLUMNS].rstrip(), []).append(line[_LABEL_COLUMNS:])
    return facts


def last_screen(lines: Sequence[str], head: re.Pattern[str], name: str) -> list[str]:
    """The last part of `lines` that begins with a line like `head`. Raises Unreadable if there is none."""
    for place in range(len(lines) - 1, -1, -1):
        if head.fullmatch(lines[place]):
            return list(lines[place:])
    raise Unreadable(f"the {name} screen: no line begins it")


def _matched(pattern: re.Pattern[str], text: str, what: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise Unreadable(f"{what}: {text!r}")
    return found


def _fact(facts: dict[str, list[str]], label: str, screen: str) -> str:
    if label not in facts:
        raise Unreadable(f"the {screen} screen: no line {label}")
    return facts[label][0]


# The sector


def sector(lines: Sequence[str], own_name: str) -> SectorView:
    """The last sector screen among the lines."""
    screen = last_screen(lines, _HEAD, "sector")
    head = _matched(_HEAD, screen[0], "the head of the sector screen")
    facts = facts_of(screen[1:])
    port = _matched(_PORT, facts["Port"][0], "a port in the sector") if "Port" in facts else None
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
        lanes=tuple(map(_lane, _fact(facts, "Lanes", "sector").partition("    ")[0].split(", "))),
    )


def _things(facts: dict[str, list[str]], label: str) -> list[str]:
    return [text for text in facts.get(label, []) if not re.fullmatch(r"and [\d,]+ more", text)]


def _planet_line(text: str, place: int, own_name: str) -> PlanetLine:
    found = _matched(_PLANET, text, "a planet in the sector")
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
    found = _matched(_SHIP, text, "a ship in the sector")
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
    found = _matched(_THORN, text, "a thornship in the sector")
    return ThornView(thornship=place, name=found[1], fighters=number(found[2]))


def _picket(text: str, own_name: str) -> PicketView:
    own = _OWN_PICKET.fullmatch(text)
    if own is not None:
        return PicketView(owner=OWN, owner_name=own_name, fighters=number(own[1]), stance=Stance(own[2]), friendly=True)
    found = _matched(_PICKET, text, "a picket in the sector")
    stance = _STANCES.get(found[3], Stance.GUARD)
    return PicketView(
        owner=OTHER, owner_name=found[2], fighters=number(found[1]), stance=stance, friendly=found[3] == "your ally"
    )


def _lane(text: str) -> LaneView:
    found = _matched(_LANE, text, "a lane")
    return LaneView(to=int(found[2]), seen=not found[1], one_way=bool(found[3]))


# The ship


_SHIP_HEAD: Final = re.compile(r"The ship of (.+)")


def pilot(lines: Sequence[str]) -> PilotView:
    """The ship screen."""
    screen = last_screen(lines, _SHIP_HEAD, "ship")
    name = _matched(_SHIP_HEAD, screen[0], "the head of the ship screen")[1]
    facts = facts_of(screen[1:])
    day, turns = _numbers(_fact(facts, "Day", "ship"), 2)
    aboard, bank = _numbers(_fact(facts, "Money", "ship"), 2)
    holds = _matched(_HOLDS, _fact(facts, "Holds", "ship"), "the holds of the ship")
    cargo = _cargo(holds[2])
    kills, thorns, deaths = _numbers(_fact(facts, "Record", "ship"), 3)
    shield = facts.get("Shield")
    return PilotView(
        pilot=OWN,
        name=name,
        alliance=facts.get("Alliance", [""])[0],
        sector=int(_fact(facts, "Sector", "ship")),
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
        fighters=_numbers(_fact(facts, "Fighters", "ship"), 1)[0],
        scanner=_fact(facts, "Scanner", "ship").startswith("fitted"),
        planet=facts["Landed"][0].removeprefix("on ") if "Landed" in facts else "",
        docked=False,
        protected_days=_numbers(shield[0], 1)[0] if shield else 0,
        kills=kills,
        deaths=deaths,
        thorns=thorns,
        sectors_seen=_numbers(_fact(facts, "Charted", "ship"), 1)[0],
        net_worth=_numbers(_fact(facts, "Worth", "ship"), 1)[0],
    )


def _numbers(text: str, count: int) -> list[int]:
    found = [number(each) for each in re.findall(r"\d[\d,]*(?<!,)", text)]
    if len(found) != count:
        raise Unreadable(f"a line with {count} numbers: {text!r}")
    return found


def _cargo(text: str) -> dict[Good, int]:
    cargo: dict[Good, int] = {}
    for each in filter(None, text.split(", ")):
        word, _, units = each.partition(" ")
        if word not in CARGO:
            raise Unreadable(f"cargo in the holds: {each!r}")
        cargo[Good(word)] = number(units)
    return cargo


# Ports


_BOARD_HEAD: Final = re.compile(r"(.+) \(([SB]{3})\), the port of sector ([\d,]+)")
_BOARD_LINE: Final = re.compile(r"(\w+) +(sells|buys) +([\d,]+) +([\d,]+)\.(\d) +[\d,]+")


def board(lines: Sequence[str]) -> PortView:
    """The board of a port."""
    screen = last_screen(lines, _BOARD_HEAD, "port")
    head = _matched(_BOARD_HEAD, screen[0], "the head of the port's board")
    goods = []
    for good, text in zip(TRADE_GOODS, screen[2:], strict=False):
        found = _matched(_BOARD_LINE, text, f"the port's line of {good}")
        goods.append(
            PortLine(
                good=good,
                sells=found[2] == "sells",
                open_for=number(found[3]),
                size=0,
                unit_price=10 * number(found[4]) + int(found[5]),
            )
        )
    return PortView(sector=number(head[3]), name=head[1], letters=head[2], lines=tuple(goods))


_REPORT: Final = re.compile(r" *(\d+) +(\d+) +(\d+)  ((?:sells|buys).*)")


def port_reports(lines: Sequence[str]) -> tuple[PortReport, ...]:
    """The computer's reports of ports, in the order of the sectors."""
    reports = []
    for text in lines:
        found = _REPORT.fullmatch(text)
        if found is None:
            continue
        cells = list(_CELL.finditer(found[4]))
        if len(cells) != len(TRADE_GOODS):
            raise Unreadable(f"a report of a port: {text!r}")
        goods = tuple(
            PortLine(
                good=good,
                sells=cell[1] == "sells",
                open_for=number(cell[2]),
                size=0,
                unit_price=10 * number(cell[3]) + int(cell[4]),
            )
            for good, cell in zip(TRADE_GOODS, cells, strict=True)
        )
        letters = "".join("S" if line.sells else "B" for line in goods)
        port = PortView(sector=int(found[1]), name="", letters=letters, lines=goods)
        reports.append(PortReport(day=int(found[3]), port=port))
    return tuple(sorted(reports, key=lambda report: report.port.sector))


_SAID: Final = re.compile(
    r".*(?:We'll (sell) them for|We'll (pay)|Our (last) word:|You have (bought|sold) [\d,]+ \w+ for)"
    r" ([\d,]+)(?:\.| credits\.)"
)
_BROKEN: Final = ("This talk is over; no deal.", "No deal, and no offence taken.")
_WORTH: Final = re.compile(r"By the board .+ come to ([\d,]+) credits?\.")


def haggled(lines: Sequence[str], good: Good, quantity: int, *, buying: bool) -> Haggled:
    """What the port said last."""
    for text in reversed(lines):
        if any(words in text for words in _BROKEN):
            return Haggled(state=Haggle.BROKEN, good=good, buying=buying, quantity=quantity, ask=0, text=text)
        found = _SAID.fullmatch(text)
        if found is not None:
            state = Haggle.FINAL if found[3] else Haggle.DEAL if found[4] else Haggle.OPEN
            ask = number(found[5])
            return Haggled(state=state, good=good, buying=buying, quantity=quantity, ask=ask, text=text)
    raise Unreadable("what the port says of a price")


def worth(lines: Sequence[str]) -> int:
    """What the goods of a bargain that was just opened are worth by the board."""
    for text in lines:
        found = _WORTH.fullmatch(text)
        if found is not None:
            return number(found[1])
    raise Unreadable("a bargain: no line says what it is worth by the board")


# The yard, planets


def yard(lines: Sequence[str]) -> YardView:
    """The yard's price list; what has one price for everybody is known."""
    for text in lines:
        found = re.fullmatch(r"H  Holds    the next ([\d,]+), dearer each; the ship takes ([\d,]+) more", text)
        if found is not None:
            price, room = number(found[1]), number(found[2])
            break
        if text.startswith("H  Holds    the ship has as many"):
            price, room = 0, 0
            break
    else:
        raise Unreadable("the yard's list: no line of holds")
    return YardView(
        hold_price=price,
        holds_for_sale=room,
        fighter_price=FIGHTER_PRICE,
        colonist_price=COLONIST_PRICE,
        scanner_price=SCANNER_PRICE,
    )


_PLANET_HEAD: Final = re.compile(r"(.+), (ocean|prairie|mountain|frost|ash) planet in sector ([\d,]+)")


def planet(lines: Sequence[str], own_name: str) -> PlanetView:
    """The planet screen."""
    screen = last_screen(lines, _PLANET_HEAD, "planet")
    head = _matched(_PLANET_HEAD, screen[0], "the head of the planet screen")
    facts = facts_of(screen[1:])
    owner_name = _fact(facts, "Owner", "planet")
    stores = _stores(_fact(facts, "Stores", "planet"))
    if owner_name == "nobody":
        owner_name, owner = "", NOBODY
        people, room, job, makes, works, build_credits, build_tools, garrison = 0, 0, JOBLESS, 0, 0, 0, 0, 0
    else:
        owner = OWN if owner_name == f"{own_name} (you)" else OTHER
        owner_name = owner_name.removesuffix(" (you)") if owner == OWN else owner_name
        people, room = _numbers(_fact(facts, "People", "planet"), 2)
        word, _, rest = _fact(facts, "Makes", "planet").partition(", ")
        job, makes = Job(word), _numbers(rest, 1)[0]
        level = [number(each) for each in re.findall(r"\d[\d,]*(?<!,)", _fact(facts, "Works", "planet"))]
        works, build_credits, build_tools = (level + [0, 0])[:3]
        garrison = _numbers(_fact(facts, "Garrison", "planet"), 1)[0]
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


# Ways, scans, fights


def path(lines: Sequence[str]) -> tuple[int, ...]:
    """The computer's way, without the sector that it begins in."""
    for text in lines:
        found = re.fullmatch(r"Path: (\d+(?: > \d+)+) \(\d+ turns?\)", text)
        if found is not None:
            return tuple(map(int, found[1].split(" > ")))[1:]
        if text.startswith("You are in sector "):
            return ()
    raise Unreadable("the computer's path: no line begins with Path")


_CHART: Final = re.compile(r" *(\d+) +(\d+)  ([SB]{3}|-) +(.+)")


def chart(lines: Sequence[str]) -> tuple[Charted, ...]:
    """The computer's chart, in the order of the sectors."""
    rows = []
    for text in lines:
        found = _CHART.fullmatch(text)
        if found is not None:
            lanes = tuple(map(_lane, found[4].split(", ")))
            rows.append(Charted(sector=int(found[1]), port_letters=found[3].strip("-"), lanes=lanes))
    if not rows:
        raise Unreadable("the computer's chart: no line of a sector")
    return tuple(sorted(rows, key=lambda row: row.sector))


def notes(lines: Sequence[str]) -> tuple[str, ...]:
    """The pilot's log."""
    found = (re.fullmatch(r" *\d+\. day \d+: (.*)", text) for text in lines)
    return tuple(each[1] for each in found if each is not None)


def sights(lines: Sequence[str]) -> tuple[Sight, ...]:
    """What the scanner shows."""
    return tuple(_sight(found) for text in lines if (found := _SIGHT.fullmatch(text)) is not None)


def _sight(found: re.Match[str]) -> Sight:
    facts = found[3]
    return Sight(
        sector=int(found[1]),
        region=found[2],
        port=_in(facts, r"port ([SB]{3})") or "",
        planets=number(_in(facts, r"([\d,]+) planets?") or "0"),
        ships=number(_in(facts, r"([\d,]+) ships?") or "0"),
        picket=number(_in(facts, r"a picket of ([\d,]+) fighters?") or "0"),
        thorns=number(_in(facts, r"thornships with ([\d,]+) fighters?") or "0"),
    )


def _in(text: str, pattern: str) -> str | None:
    found = re.search(rf"(?:^|, ){pattern}(?:,|$)", text)
    return found[1] if found else None


_LOSSES: Final = re.compile(r"You sent ([\d,]+) fighters? against .+ and lost ([\d,]+); the other side lost ([\d,]+)\.")


def fought(lines: Sequence[str]) -> Fought | None:
    """How a fight went; None if there was none."""
    for text in lines:
        found = _LOSSES.fullmatch(text)
        if found is not None:
            return Fought(
                foe="",
                sent=number(found[1]),
                lost=number(found[2]),
                foe_lost=number(found[3]),
                foe_left=0,
                won=any(line.startswith("You won:") for line in lines),
                destroyed=any("your ship is destroyed" in line for line in lines),
            )
    return None


_BARRED: Final = re.compile(
    r"The way into sector (\d+) is barred by ([\d,]+) fighters? of (.+);"
    r" they (?:(let in whoever pays) ([\d,]+) credits|(hunt strangers)|let nobody in)\."
)


def barred(lines: Sequence[str]) -> tuple[int, str, int, Stance, int] | None:
    """Who bars the way: sector, owner, fighters, stance and toll; None if nobody does."""
    for text in lines:
        found = _BARRED.fullmatch(text)
        if found is not None:
            stance = Stance.TOLL if found[4] else Stance.HUNT if found[6] else Stance.GUARD
            return int(found[1]), found[3], number(found[2]), stance, number(found[5] or "0")
    return None
