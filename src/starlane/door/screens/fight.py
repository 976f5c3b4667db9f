"""How a fight went."""

from __future__ import annotations

from starlane.door.screens.wording import amounts, counted, danger, figure, gain
from starlane.door.styles import Line
from starlane.reports import Fought


def fight_lines(fought: Fought) -> list[Line]:
    """The losses of both sides, who won, and what was salvaged."""
    losses = f"You sent {counted(fought.sent, 'fighters')} against {fought.foe} and lost {figure(fought.lost)}"
    lines: list[Line] = [f"{losses}; the other side lost {figure(fought.foe_lost)}."]
    if fought.won:
        lines.append(gain("You won: nothing is left of the other side."))
    else:
        lines.append(f"The other side holds out with {counted(fought.foe_left, 'fighters')}.")
    if any(fought.salvage.values()):
        of_it = f" ({figure(fought.bounty)} of the credits as bounty or reward)" if fought.bounty else ""
        lines.append(gain(f"You take {amounts(fought.salvage)}{of_it}."))
    if fought.destroyed:
        lines.append(danger("They shot back and your ship is destroyed. You start afresh at Haven."))
    return lines
