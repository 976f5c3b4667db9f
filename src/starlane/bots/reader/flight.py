"""Ways, charts, scans, fights, and who bars a way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from starlane.bots.helm import Charted
from starlane.bots.reader.sector import lane
from starlane.bots.reader.text import Unreadable, number
from starlane.records import Stance
from starlane.reports import Fought, Sight

_SIGHT: Final = re.compile(r" *(\d+)  (.+?): (.+)")


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
            lanes = tuple(map(lane, found[4].split(", ")))
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
