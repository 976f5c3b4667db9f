"""Ratings as SVG: the graph of an agent's page, and the small line of a row on a ladder.

Both scale with the page, so their lines are drawn in a square of `UNITS` that is stretched, and nothing in it has a
width of its own; the labels of the graph stand outside that square, at shares of the whole, and are never stretched.
Colours and sizes are the stylesheet's. A drawing is never the only place where something is said: the graph has a
title and a description, and the page has the figures as text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from tty_agent.terminal.inert import inert

UNITS: Final = 1000
"""Both sides of the square that lines are drawn in: finer than any screen shows them."""

MOST_POINTS: Final = 160
"""A graph has no more: one every three pixels on a wide screen."""

_STEPS: Final = (1, 2, 5)
"""What the ratings on the axis may lie apart, with noughts behind."""

_MOST_GAPS: Final = 4
"""Between the ratings on the axis."""

_LEFT_PERCENT: Final = 9
_TOP_PERCENT: Final = 5
_PLOT_PERCENT: Final = 83
"""Where the square begins, which goes to the right edge, and how much of the height it takes: room for four digits on a
narrow screen, and for the matches that are named below."""

_LEAST_SPAN: Final = 20
"""A rating that hardly moved is drawn as one: fewer points than this never fill the height."""

_SPARK: Final = Markup(
    '<svg class="spark" viewBox="0 0 {0} {0}" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
    '<polyline class="line" points="'
).format(UNITS)
_SPARK_END: Final = Markup('"/></svg>')

_GRAPH: Final = Markup(
    '<svg class="chart rating" role="img" aria-labelledby="rating-title rating-desc">'
    '<title id="rating-title">{title}</title><desc id="rating-desc">{says}</desc>{axis}'
    '<svg class="plot" x="{left}%" y="{top}%" width="{width}%" height="{height}%" viewBox="0 0 {units} {units}" '
    'preserveAspectRatio="none" aria-hidden="true"><polygon class="area" points="0,{units} {points} {right},{units}"/>'
    '<polyline class="line" points="{points}"/><path class="now" d="M{right} {last}h.01"/></svg>'
    '<text x="{left}%" y="99%">match {first_nth}</text>'
    '<text x="100%" y="99%" text-anchor="end">match {last_nth}</text></svg>'
)

_MARK: Final = Markup(
    '<line class="axis" x1="0" x2="100%" y1="{y}%" y2="{y}%"/><text x="0" y="{y}%" dy="-3">{rating}</text>'
)


def sparkline(ratings: Sequence[float]) -> Markup:
    """The way of the `ratings`, oldest first, without any label: it is hidden from those who are read to, who want
    `trend` beside it. Nothing for fewer than two."""
    if len(ratings) < 2:
        return Markup("")
    middle = (min(ratings) + max(ratings)) / 2
    half = max(max(ratings) - min(ratings), _LEAST_SPAN) / 2
    last = len(ratings) - 1
    scale = 0.42 * UNITS / half  # the line keeps off the edges, which would halve its width
    level = UNITS / 2 + middle * scale
    points = " ".join([f"{nth * UNITS // last},{int(level - rating * scale)}" for nth, rating in enumerate(ratings)])
    return _SPARK + points + _SPARK_END


def trend(ratings: Sequence[float]) -> str:
    """What the newest of the `ratings` is above the oldest, as ladders show it: `+32`, `-7`, `±0`; `` for none."""
    if not ratings:
        return ""
    gained = round(ratings[-1]) - round(ratings[0])
    return f"{gained:+d}" if gained else "±0"


def rating_graph(marks: Sequence[tuple[int, float]], *, title: str) -> Markup:
    """The rating (a finite number) after the nth match, for `marks` of (nth, rating) in order, at least one, at most
    `MOST_POINTS`. `title` says whose rating it is at what. The page may have one such graph."""
    ratings = [rating for _, rating in marks]
    axis = axis_ratings(min(ratings), max(ratings))
    low, high = axis[0], axis[-1]
    first, last = marks[0][0], marks[-1][0]
    width = max(last - first, 1)
    points = [
        (round((nth - first) / width * UNITS), round((high - rating) / (high - low) * UNITS)) for nth, rating in marks
    ]
    if len(points) == 1:  # one match is a level line, not a speck
        points = [(0, points[0][1]), (UNITS, points[0][1])]
    return _GRAPH.format(
        title=inert(title),
        says=said(marks),
        axis=Markup("").join(
            _MARK.format(y=f"{_TOP_PERCENT + (high - rating) / (high - low) * _PLOT_PERCENT:.4g}", rating=rating)
            for rating in axis
        ),
        left=_LEFT_PERCENT,
        width=100 - _LEFT_PERCENT,
        top=_TOP_PERCENT,
        height=_PLOT_PERCENT,
        units=UNITS,
        points=" ".join(f"{x},{y}" for x, y in points),
        right=points[-1][0],
        last=points[-1][1],
        first_nth=first,
        last_nth=last,
    )


def said(marks: Sequence[tuple[int, float]]) -> str:
    """The graph in a sentence."""
    lowest = min(marks, key=lambda mark: mark[1])
    highest = max(marks, key=lambda mark: mark[1])
    return (
        f"{marks[0][1]:.0f} after match {marks[0][0]}, {marks[-1][1]:.0f} after match {marks[-1][0]}. "
        f"Lowest {lowest[1]:.0f}, after match {lowest[0]}; highest {highest[1]:.0f}, after match {highest[0]}."
    )


def axis_ratings(low: float, high: float) -> tuple[int, ...]:
    """The round ratings, evenly apart and at most five, that stand at the axis: the first is not above `low`, the last
    not below `high`."""
    if high - low < _LEAST_SPAN:
        middle = (low + high) / 2
        low, high = min(low, middle - _LEAST_SPAN / 2), max(high, middle + _LEAST_SPAN / 2)
    tens = 1
    while True:
        for digit in _STEPS:
            step = digit * tens
            first, last = math.floor(low / step), math.ceil(high / step)
            if last - first <= _MOST_GAPS:
                return tuple(rating * step for rating in range(first, last + 1))
        tens *= 10


def thinned(marks: Sequence[tuple[int, float]], most: int) -> list[tuple[int, float]]:
    """At most `most` (at least 2) of the `marks`, evenly apart, the first and the last among them."""
    if len(marks) <= most:
        return list(marks)
    return [marks[round(place * (len(marks) - 1) / (most - 1))] for place in range(most)]
