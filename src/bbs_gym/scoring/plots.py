"""Plots as inline SVG: a row a name, its mean with the interval, and the single values behind it. Pure.

Colours are classes of the page's style, so that one picture serves light and dark; nothing in it is a script or comes
from elsewhere, and every text is made inert and escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Final

import msgspec

from bbs_gym.scoring.result import Interval
from tty_agent.terminal.inert import inert

WIDTH: Final = 760
ROW_HEIGHT: Final = 34
TOP: Final = 12
AXIS_HEIGHT: Final = 30
LABEL_WIDTH: Final = 200
RIGHT: Final = 24

MAX_LABEL_CHARS: Final = 28
"""What has room beside the plot; the whole name is the row's tooltip."""

MAX_POINTS: Final = 500
"""Of a row: more are a bar, and the page stays small."""

_TICKS: Final = 5
_SPREAD: Final = 7
"""How far points stand off their row's middle, in pixels, so that equal ones are seen."""


class PlotPoint(msgspec.Struct, frozen=True):
    """One value, with what its tooltip says."""

    value: float
    told: str
    marked: bool = False
    """Drawn hollow."""


class PlotRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a plot."""

    label: str
    interval: Interval | None
    points: tuple[PlotPoint, ...] = ()


def interval_plot(
    title: str, rows: Sequence[PlotRow], *, bounds: tuple[float, float] | None = None, zero: bool = False
) -> str:
    """A plot, or "" where no row has anything. `bounds` fix the axis, as 0 and 1 for shares; with `zero` it has 0."""
    rows = [row for row in rows if row.interval is not None or row.points]
    if not rows:
        return ""
    low, high = bounds or _bounds(rows, zero=zero)
    scale = _Scale(low, high)
    height = TOP + ROW_HEIGHT * len(rows) + AXIS_HEIGHT
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{_text(title)}">',
        f"<title>{_text(title)}</title>",
        *_axis(scale, height - AXIS_HEIGHT),
    ]
    for number, row in enumerate(rows):
        parts.append(_row(row, scale, TOP + ROW_HEIGHT * number + ROW_HEIGHT // 2))
    parts.append("</svg>")
    return "\n".join(parts)


def figure(value: float) -> str:
    """A number as people read it: three digits that count, thousands parted."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}" if value else "0"
    size = abs(value)
    if size >= 1_000:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(size)))
    text = f"{value:.{min(digits, 8)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class _Scale(msgspec.Struct, frozen=True):
    low: float
    high: float

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(LABEL_WIDTH + share * (WIDTH - LABEL_WIDTH - RIGHT), 1)


def _bounds(rows: Sequence[PlotRow], *, zero: bool) -> tuple[float, float]:
    values = [point.value for row in rows for point in row.points]
    values.extend(end for row in rows if row.interval for end in (row.interval.low, row.interval.high))
    if zero:
        values.append(0.0)
    low, high = min(values), max(values)
    if low == high:
        room = abs(low) / 10 or 1.0
        return low - room, high + room
    room = (high - low) / 20
    return (low if zero and low == 0 else low - room), high + room


def _axis(scale: _Scale, bottom: int) -> list[str]:
    parts = []
    for value in _ticks(scale.low, scale.high):
        x = scale.x(value)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<text class="tick" x="{x}" y="{bottom + 18}" text-anchor="middle">{_text(figure(value))}</text>')
    return parts


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers within, some five of them."""
    rough = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step) + 1)]


def _row(row: PlotRow, scale: _Scale, y: int) -> str:
    shown = _text(row.label, MAX_LABEL_CHARS)
    parts = [
        f"<g><title>{_text(_told(row))}</title>",
        f'<text class="label" x="{LABEL_WIDTH - 12}" y="{y + 4}" text-anchor="end">{shown}</text>',
    ]
    for number, point in enumerate(row.points[:MAX_POINTS]):
        at = y + (number % 3 - 1) * _SPREAD
        kind, tip = "point marked" if point.marked else "point", _text(point.told)
        x = scale.x(point.value)
        parts.append(f'<circle class="{kind}" cx="{x}" cy="{at}" r="3"><title>{tip}</title></circle>')
    if row.interval is not None:
        low, mean, high = (scale.x(value) for value in (row.interval.low, row.interval.mean, row.interval.high))
        if row.interval.level:
            parts.append(f'<line class="range" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>')
            parts.extend(f'<line class="range" x1="{x}" x2="{x}" y1="{y - 5}" y2="{y + 5}"/>' for x in (low, high))
        parts.append(f'<circle class="mean" cx="{mean}" cy="{y}" r="5"/>')
    parts.append("</g>")
    return "".join(parts)


def _told(row: PlotRow) -> str:
    if row.interval is None:
        return row.label
    return f"{row.label}: {told(row.interval)}"


def told(interval: Interval | None) -> str:
    """`12.3 (10.1 to 14.2, n 8)`; of one value no interval is told."""
    if interval is None:
        return "\u2013"
    if not interval.level:
        return f"{figure(interval.mean)} (n 1)"
    return f"{figure(interval.mean)} ({figure(interval.low)} to {figure(interval.high)}, n {interval.n})"


def _text(text: str, max_chars: int | None = None) -> str:
    return html.escape(inert(text, max_chars=max_chars))
