"""What a run used up, as SVG: a line an agent over its decisions, and bars for scores.

The lines are drawn in a square of `UNITS` that is stretched to the page; the labels stand outside of it and are not.
Agents differ by colour and by the dashes of their lines; both are the stylesheet's (`s0` to `s5`), and the page has a
key with the names. A drawing is never the only place where something is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from markupsafe import Markup

from tty_agent.terminal.inert import inert

UNITS: Final = 1000
"""Both sides of the square."""

STYLES: Final = 6
"""Looks of lines; a seventh agent has the first one's again."""

_MOST_GAPS: Final = 4
_TOP_PERCENT: Final = 6
_PLOT_PERCENT: Final = 80
_LEFT_PERCENT: Final = 14

_CHART: Final = Markup(
    '<svg class="chart course" role="img" aria-label="{title}: {says}">{axis}'
    '<svg x="{left}%" y="{top}%" width="{width}%" height="{height}%" viewBox="0 0 {units} {units}" '
    'preserveAspectRatio="none" aria-hidden="true">{lines}</svg>'
    '<text x="{left}%" y="98%">1</text><text x="100%" y="98%" text-anchor="end">decision {last}</text></svg>'
)
_MARK: Final = Markup(
    '<line class="axis" x1="{left}%" x2="100%" y1="{y}%" y2="{y}%"/>'
    '<text x="{labels}%" y="{y}%" dy="4" text-anchor="end">{value}</text>'
)
_LINE: Final = Markup('<polyline class="line s{style}" points="{points}"/>')
_BAR: Final = Markup(
    '<svg class="bar" viewBox="0 0 {0} 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
    '<rect class="ground" width="{0}" height="10"/><rect class="full" x="{1}" width="{2}" height="10"/></svg>'
).format
_WHISKER: Final = Markup(
    '<svg class="bar" viewBox="0 0 {0} 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
    '<rect class="ground" width="{0}" height="10"/><rect class="range" x="{1}" width="{2}" y="3" height="4"/>'
    '<path class="mean" d="M{3} 0v10"/></svg>'
).format


class Series:
    """An agent's points: decision and value, both ascending."""

    def __init__(self, name: str, points: Sequence[tuple[int, float]]) -> None:
        self.name: Final = name
        self.points: Final = tuple((step, value) for step, value in points if math.isfinite(value))


def course(title: str, series: Sequence[Series], say: Callable[[float], str]) -> Markup:
    """What was used up by which decision; nothing where no agent has two points, or all is 0. `say` writes a value."""
    last = max((step for one in series for step, _ in one.points), default=0)
    most = max((value for one in series for _, value in one.points), default=0.0)
    if last < 2 or most <= 0:
        return Markup("")
    step = _round_step(most)
    top = math.ceil(most / step) * step
    marks = [nth * step for nth in range(round(top / step) + 1)]
    says = "; ".join(f"{inert(one.name)} {say(one.points[-1][1])}" for one in series if one.points)
    return _CHART.format(
        title=title,
        says=says,
        left=_LEFT_PERCENT,
        top=_TOP_PERCENT,
        width=100 - _LEFT_PERCENT,
        height=_PLOT_PERCENT,
        units=UNITS,
        last=f"{last:,}",
        axis=Markup("").join(
            _MARK.format(
                y=f"{_TOP_PERCENT + _PLOT_PERCENT * (1 - value / top):.1f}",
                left=_LEFT_PERCENT,
                labels=_LEFT_PERCENT - 1,
                value=say(value),
            )
            for value in marks
        ),
        lines=Markup("").join(
            _LINE.format(style=nth % STYLES, points=_points(one, last, top))
            for nth, one in enumerate(series)
            if len(one.points) > 1
        ),
    )


def bar(value: float, low: float, high: float) -> Markup:
    """A bar from 0 to `value` on a scale from `low` (at most 0) to `high`; nothing where there is no scale."""
    scale = _scale(low, high)
    if scale is None or not math.isfinite(value):
        return Markup("")
    start, end = sorted((scale(0.0), scale(value)))
    return _BAR(UNITS, f"{start:.0f}", f"{end - start:.0f}")


def whisker(low: float, mean: float, high: float, bounds: tuple[float, float]) -> Markup:
    """An interval with its mean, on a scale."""
    scale = _scale(*bounds)
    if scale is None or not all(map(math.isfinite, (low, mean, high))):
        return Markup("")
    start, end = sorted((scale(low), scale(high)))
    return _WHISKER(UNITS, f"{start:.0f}", f"{max(end - start, 6):.0f}", f"{scale(mean):.0f}")


def _scale(low: float, high: float) -> Callable[[float], float] | None:
    span = high - low
    if not math.isfinite(span) or span <= 0:
        return None
    return lambda value: UNITS * (min(max(value, low), high) - low) / span


def _round_step(most: float) -> float:
    """The distance of the marks on the axis: 1, 2 or 5 with noughts."""
    rough = most / _MOST_GAPS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))


def _points(series: Series, last: int, top: float) -> str:
    return " ".join(
        f"{UNITS * (step - 1) / max(last - 1, 1):.0f},{UNITS * (1 - value / top):.0f}" for step, value in series.points
    )
