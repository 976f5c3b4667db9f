"""A board as SVG. `static/board.js` draws the same into it when a reader steps.

    <svg class="board board-grid" viewBox="…" data-columns="3" data-left="0" data-cell="100">
      <title>, <desc>                 what it is, and what stands where
      <g class="ground">              the empty cells and the labels, which never change
      <g class="marks">               what stands in them

A cell is `CELL` units wide. Shapes carry classes alone (`cell`, `hole`, `label`, `mark-x`, `disc-o`, `letter`, `last`,
`fresh`, `won`): the stylesheet has the colours. Both seats' marks differ in shape, not in colour alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from markupsafe import Markup

from agentbbs.play.scene import Scene, Style

CELL: Final = 100
"""The side of a cell."""

LABELS: Final = 44
"""The room beside and below a board for its labels."""

_SEATS: Final = {"X": "x", "O": "o"}
"""The marks of the games of the house, which have shapes and colours; others are letters."""

_LABEL_SIZE: Final = 28

_KEPT_GROUNDS: Final = 32
"""One for each kind of board; a drawing is made of them in a tenth of the time."""

_KEPT_CELLS: Final = 2048
"""More than a board of each game of the house takes."""


def board(scene: Scene, title: str, *, name: str = "board") -> Markup:
    """The drawing. `title` is what a screen reader calls it; `name` begins the ids in it, of which a page has one
    each."""
    left = LABELS if scene.row_labels else 0
    below = LABELS if scene.column_labels else 0
    return Markup(
        '<svg class="board board-{style}" id="{name}" viewBox="0 0 {width} {height}" role="img" '
        'aria-labelledby="{name}-title {name}-desc" data-columns="{columns}" data-left="{left}" data-cell="{cell}">'
        '<title id="{name}-title">{title}</title><desc id="{name}-desc">{said}</desc>'
        '<g class="ground">{ground}</g><g class="marks">{marks}</g></svg>'
    ).format(
        style=scene.style,
        name=name,
        width=left + scene.columns * CELL,
        height=scene.rows * CELL + below,
        columns=scene.columns,
        left=left,
        cell=CELL,
        title=title,
        said=described(scene),
        ground=_ground(scene.columns, scene.rows, scene.column_labels, scene.row_labels, scene.style),
        marks=_marks(scene, left),
    )


def described(scene: Scene) -> str:
    """The board in words, row by row from the top."""
    rows = []
    for row in range(scene.rows):
        marks = scene.cells[row * scene.columns : (row + 1) * scene.columns]
        label = scene.row_labels[row] if scene.row_labels else str(row + 1)
        rows.append(f"Row {label}: {' '.join(mark or 'empty' for mark in marks) if any(marks) else 'empty'}.")
    return " ".join(rows)


@lru_cache(maxsize=_KEPT_GROUNDS)
def _ground(
    columns: int, rows: int, column_labels: tuple[str, ...], row_labels: tuple[str, ...], style: Style
) -> Markup:
    left, half = LABELS if row_labels else 0, CELL // 2
    parts = []
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * CELL, row * CELL
            if style == "discs":
                parts.append(Markup('<circle class="hole" cx="{}" cy="{}" r="40"/>').format(x + half, y + half))
            else:
                parts.append(
                    Markup('<rect class="cell" x="{}" y="{}" width="{}" height="{}"/>').format(x, y, CELL, CELL)
                )
    parts += [
        _label(left + at * CELL + half, rows * CELL + LABELS // 2, label) for at, label in enumerate(column_labels)
    ]
    parts += [_label(LABELS // 2, at * CELL + half, label) for at, label in enumerate(row_labels)]
    return Markup("").join(parts)


def _marks(scene: Scene, left: int) -> Markup:
    fresh, won = frozenset(scene.fresh), frozenset(scene.won)
    return Markup("").join(
        _cell(
            left + at % scene.columns * CELL,
            at // scene.columns * CELL,
            scene.style,
            mark,
            name=scene.names[at] if scene.names else "",
            fresh=at in fresh,
            won=at in won,
        )
        for at, mark in enumerate(scene.cells)
        if mark or scene.names or at in fresh
    )


@lru_cache(maxsize=_KEPT_CELLS)
def _cell(x: int, y: int, style: Style, mark: str, *, name: str, fresh: bool, won: bool) -> Markup:
    """What stands in the cell whose corner is at (x, y): its ground, the mark or else the cell's name, a frame."""
    drawn = Markup("")
    if fresh:
        drawn += Markup('<rect class="last" x="{}" y="{}" width="94" height="94"/>').format(x + 3, y + 3)
    if mark:
        kind = "fresh" if fresh else "kept"
        shape = _shape(style, mark)
        drawn += Markup('<g class="{}" transform="translate({} {})">{}</g>').format(kind, x, y, shape)
    elif name:
        drawn += _label(x + CELL // 2, y + CELL // 2, name)
    if won:
        drawn += Markup('<rect class="won" x="{}" y="{}" width="90" height="90" rx="8"/>').format(x + 5, y + 5)
    return drawn


def _shape(style: Style, mark: str) -> Markup:
    """A mark in a cell whose corner is at 0, 0."""
    seat = _SEATS.get(mark)
    if seat is None:
        return Markup('<text class="letter" x="50" y="50" font-size="{}">{}</text>').format(64 - 12 * len(mark), mark)
    if style == "discs":
        sign = _CROSS if seat == "x" else _RING
        return Markup('<circle class="disc-{}" cx="50" cy="50" r="40"/>{}').format(seat, sign)
    return _MARK_X if seat == "x" else _MARK_O


_MARK_X: Final = Markup('<path class="mark-x" d="M26 26 74 74M74 26 26 74"/>')
_MARK_O: Final = Markup('<circle class="mark-o" cx="50" cy="50" r="26"/>')
_CROSS: Final = Markup('<path class="sign" d="M37 37 63 63M63 37 37 63"/>')
_RING: Final = Markup('<circle class="sign" cx="50" cy="50" r="15"/>')


def _label(x: int, y: int, text: str) -> Markup:
    return Markup('<text class="label" x="{}" y="{}" font-size="{}">{}</text>').format(x, y, _LABEL_SIZE, text)
