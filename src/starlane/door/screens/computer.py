"""What the ship's computer shows: reports of ports, the rankings, the log, the charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from starlane.door.screens.sector import lane_text
from starlane.door.screens.wording import column, faint, figure, name, tenths, title
from starlane.door.styles import Line
from starlane.goods import TRADE_GOODS
from starlane.settings import MAX_NAME_CHARS
from starlane.views import LaneView, NoteView, PortLine, PortReport, RankLine


def port_table(reports: Sequence[tuple[int, PortReport]]) -> list[Line]:
    """Ports with their distance in turns: what each trades, units and fair price, as it was on the day it was seen."""
    heads = "".join(f"{good.capitalize():<18}" for good in TRADE_GOODS)
    lines: list[Line] = [f"{'Sector':>6} {'Way':>4} {'Day':>4}  {heads}".rstrip()]
    for distance, report in reports:
        cells = "".join(_cell(line).ljust(18) for line in report.port.lines)
        lines.append(f"{report.port.sector:>6} {distance:>4} {report.day:>4}  {cells}".rstrip())
    return lines


def _cell(line: PortLine) -> str:
    return f"{'sells' if line.sells else 'buys'} {figure(line.open_for)} @{tenths(line.unit_price)}"


MAX_RANKS: Final = 18
"""Pilots on the screen of the rankings: with its heads and the pilot's own line it fills 22 rows."""


def ranking_screen(lines: Sequence[RankLine], own: int) -> list[Line]:
    """The richest pilots, and the pilot itself wherever it stands; its line is marked."""
    screen: list[Line] = [
        title("Rankings, by all that a pilot owns"),
        f"{'Rank':>4}  {'Pilot':<{MAX_NAME_CHARS}} {'Worth':>13} {'Ships':>5} {'Thorns':>6} {'Deaths':>6} {'Seen':>5}",
    ]
    shown = [*lines[:MAX_RANKS], *(line for line in lines[MAX_RANKS:] if line.pilot == own)]
    for line in shown:
        counts = f"{figure(line.kills):>5} {figure(line.thorns):>6} {figure(line.deaths):>6} {line.sectors_seen:>5}"
        mark = "*" if line.pilot == own else " "
        screen.append(
            (
                f"{line.rank:>4} {mark}",
                name(column(line.name, MAX_NAME_CHARS)),
                f" {figure(line.net_worth):>13} {counts}",
            )
        )
    if len(shown) < len(lines):
        screen.append(f"{'':>6}and {figure(len(lines) - len(shown))} more pilots")
    screen.append(faint("* you; Ships and Thorns: shot down; Seen: sectors visited"))
    return screen


def log_screen(notes: Sequence[NoteView]) -> list[Line]:
    """The pilot's log, the lines numbered."""
    if not notes:
        return ["Your log is empty. W writes a line into it; nobody else can read it."]
    numbered = [f"{number:>3}. day {note.day}: {note.text}" for number, note in enumerate(notes, 1)]
    return [title("Your log"), *numbered]


class ChartRow(msgspec.Struct, frozen=True):
    """A sector that the pilot knows."""

    sector: int
    turns: int
    """What it takes to fly there."""
    port: str
    """The letters of its port, or nothing."""
    lanes: tuple[LaneView, ...]


def chart_screen(rows: Sequence[ChartRow]) -> list[Line]:
    """Known sectors: how far, which port, and where lanes lead from there."""
    lines: list[Line] = [
        title("Sectors that you know, the nearest first"),
        f"{'Sector':>6} {'Way':>4}  {'Port':<5} Lanes",
    ]
    lines += [
        f"{row.sector:>6} {row.turns:>4}  {row.port or '-':<5} {', '.join(map(lane_text, row.lanes))}" for row in rows
    ]
    lines.append(faint("Way: turns from here; () not visited, > one-way"))
    return lines
