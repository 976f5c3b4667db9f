"""The board of a port, and a bargain there."""

from __future__ import annotations

from starlane.door.screens.wording import counted, figure, label, name, tenths, title
from starlane.door.styles import Line
from starlane.reports import Haggled
from starlane.views import PilotView, PortView


def port_board(port: PortView, pilot: PilotView) -> list[Line]:
    """What the port trades at which price, and what the pilot carries of it."""
    lines: list[Line] = [
        (title(f"{port.name} ({port.letters}), the port of sector {port.sector}"),),
        f"{'Good':<9}{'Port':<7}{'Units':>7}{'Fair price':>12}{'You carry':>11}",
    ]
    for line in port.lines:
        verb = "sells" if line.sells else "buys"
        carried = figure(getattr(pilot, line.good))
        lines.append(
            (
                name(line.good.capitalize().ljust(9)),
                f"{verb:<7}{figure(line.open_for):>7}{tenths(line.unit_price):>12}{carried:>11}",
            )
        )
    money = counted(pilot.credits, "credits")
    lines.append((label("You"), f"{counted(pilot.turns, 'turns')}, {money}, {counted(pilot.free_holds, 'free holds')}"))
    return lines


def worth_line(opened: Haggled, fair: int) -> Line:
    """What the whole quantity is worth on the port's board: the measure of all offers."""
    return f"By the board {counted(opened.quantity, opened.good.value)} come to {counted(fair, 'credits')}."
