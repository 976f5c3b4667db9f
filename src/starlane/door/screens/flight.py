"""What a scanner shows, what a way is, and who bars one."""

from __future__ import annotations

from collections.abc import Sequence

from starlane.door.screens.wording import counted, danger, figure, name, title
from starlane.door.styles import Line
from starlane.records import Stance
from starlane.reports import Sight, Stopped


def scan_screen(sights: Sequence[Sight]) -> list[Line]:
    """The neighbour sectors, a line each."""
    lines: list[Line] = [title("The scanner shows the next sectors:")]
    return lines + [_sight(sight) for sight in sights]


def _sight(sight: Sight) -> Line:
    facts = [f"port {sight.port}"] if sight.port else []
    facts += [counted(sight.planets, "planets")] if sight.planets else []
    facts += [counted(sight.ships, "ships")] if sight.ships else []
    facts += [f"a picket of {counted(sight.picket, 'fighters')}"] if sight.picket else []
    facts += [f"thornships with {counted(sight.thorns, 'fighters')}"] if sight.thorns else []
    return f"{sight.sector:>6}  {sight.region}: {', '.join(facts) or 'empty'}"


def path_line(source: int, way: Sequence[int]) -> Line:
    """`Path: 5 > 12 > 40 (2 turns)`."""
    return f"Path: {' > '.join(map(str, (source, *way)))} ({counted(len(way), 'turns')})"


def stopped_lines(stopped: Stopped) -> list[Line]:
    """Who bars the way, and what that has cost already."""
    lines: list[Line] = [
        (
            f"The way into sector {stopped.to} is barred by {counted(stopped.fighters, 'fighters')} of ",
            name(stopped.owner),
            f"; they {_demand(stopped)}.",
        )
    ]
    if stopped.lost:
        lines.append(danger(f"They shot at you: {counted(stopped.lost, 'fighters')} of yours lost."))
    if stopped.destroyed:
        lines.append(danger("Your ship is destroyed. You start afresh at Haven."))
    return lines


def _demand(stopped: Stopped) -> str:
    if stopped.stance is Stance.TOLL:
        return f"let in whoever pays {figure(stopped.toll)} credits"
    return "hunt strangers" if stopped.stance is Stance.HUNT else "let nobody in"
