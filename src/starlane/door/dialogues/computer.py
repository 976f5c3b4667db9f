"""The ship's computer: paths, ports, charts, rankings, the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from starlane.door.dialogues.cockpit import Cockpit
from starlane.door.dialogues.help import help_on
from starlane.door.screens.computer import ChartRow, chart_screen, log_screen, port_table, ranking_screen
from starlane.door.screens.flight import path_line
from starlane.engine import looking
from starlane.engine.ports import Sky
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import Jot, Strike
from starlane.records import Pilot, Port, Seen
from starlane.settings import MAX_TEXT_CHARS
from starlane.views import LaneView, PortReport

_PROMPT: Final = "Computer: Path, port Reports, Sectors, ranKings, Log, eXit (P/R/S/K/L/X) [X]? "


def computer(cockpit: Cockpit) -> None:
    """C: ask the computer until the pilot has enough of it. Costs no turn."""
    while True:
        chosen = cockpit.choose(_PROMPT, [*_PROGRAMS, "X", "Q", "?"], default="X")
        if chosen in {"X", "Q"}:
            return
        if chosen == "?":
            help_on(cockpit, "computer")
        else:
            _PROGRAMS[chosen](cockpit)


def _path(cockpit: Cockpit) -> None:
    to = cockpit.console.number("Path to sector", 1, cockpit.universe.settings.sectors)
    if to is None:
        return
    here, way = cockpit.look(lambda sky, pilot: (pilot.sector, looking.path(sky, pilot, to)))
    cockpit.console.show(path_line(here, way) if way else f"You are in sector {to}.")


def _ports(cockpit: Cockpit) -> None:
    known = cockpit.look(_known_ports)
    if not known:
        cockpit.console.show(
            "You know no port yet. A port is known once you, or your scanner, have been in its sector."
        )
        return
    cockpit.console.show("A all; I, G, T those that sell ice, grain, tools; B those that buy a good.")
    chosen = cockpit.choose("Which ports (A/I/G/T/B) [A]? ", ["A", "I", "G", "T", "B"], default="A")
    sells = chosen != "B"
    if chosen == "B":
        chosen = cockpit.choose("That buy what (I/G/T, Enter=nothing)? ", ["I", "G", "T"])
        if not chosen:
            return
    good = next((good for good in TRADE_GOODS if good[0].upper() == chosen), None)
    fitting = [entry for entry in known if good is None or _trades(entry[1], good, sells=sells)]
    if fitting:
        cockpit.console.show(*port_table(fitting))
    else:
        cockpit.console.show(f"You know no port that {'sells' if sells else 'buys'} {good}.")


def _trades(report: PortReport, good: Good, *, sells: bool) -> bool:
    return any(line.good is good and line.sells is sells for line in report.port.lines)


def _known_ports(sky: Sky, pilot: Pilot) -> list[tuple[int, PortReport]]:
    """The reports with their distance in turns, the nearest first."""
    far = [
        (len(sky.lanes.path(pilot.sector, report.port.sector)), report) for report in looking.port_reports(sky, pilot)
    ]
    return sorted(far, key=lambda entry: (entry[0], entry[1].port.sector))


def _chart(cockpit: Cockpit) -> None:
    cockpit.console.show(*chart_screen(cockpit.look(_known_sectors)))


def _known_sectors(sky: Sky, pilot: Pilot) -> list[ChartRow]:
    """The sectors where the pilot has been, the nearest first."""
    known = {seen.sector for seen in sky.find(Seen, pilot=pilot.id)}
    rows = []
    for sector in known:
        out = sky.lanes.out_of(sector)
        lanes = tuple(LaneView(to=to, seen=to in known, one_way=sector not in sky.lanes.out_of(to)) for to in out)
        port = sky.get(Port, sector)
        letters = port.letters() if port else ""
        rows.append(ChartRow(sector, len(sky.lanes.path(pilot.sector, sector)), letters, lanes))
    return sorted(rows, key=lambda row: (row.turns, row.sector))


def _rankings(cockpit: Cockpit) -> None:
    cockpit.console.show(*ranking_screen(cockpit.ranking(), cockpit.actor.pilot))


def _log(cockpit: Cockpit) -> None:
    while True:
        notes = cockpit.look(looking.notes)
        cockpit.console.show(*log_screen(notes))
        chosen = cockpit.choose("Log: Write, Strike out, Quit (W/S/Q) [Q]? ", ["W", "S", "Q"], default="Q")
        if chosen == "Q":
            return
        if chosen == "W":
            text = cockpit.console.text("Line for your log", MAX_TEXT_CHARS)
            if text:
                cockpit.done(Jot(body=text))
        elif notes:
            number = cockpit.console.number("Strike out which line, 0 for none", 0, len(notes), 0)
            if number:
                cockpit.done(Strike(note=notes[number - 1].note))


_PROGRAMS: Final[Mapping[str, Callable[[Cockpit], None]]] = {
    "P": _path,
    "R": _ports,
    "S": _chart,
    "K": _rankings,
    "L": _log,
}
