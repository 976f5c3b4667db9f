"""The screen as text for a model.

The rows of the screen, top to bottom, without the blanks at their ends and without the empty rows at the foot.
Colours are gone; the one thing they say that a model needs, which item of a menu is marked, is written as
`>>[item]<<` around it. Programs seldom write these pairs of brackets, and never around a whole item of a menu;
they shift what follows in that row by three columns on each side, so a column is looked up in the screen, not here.

Characters that act or hide (controls, zero-width characters, bidirectional overrides: those that `inert` would
escape) are left out; a cell that holds nothing else becomes a blank, so that rows stay aligned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tty_agent.observation.observation import Highlight
from tty_agent.terminal.inert import inert
from tty_agent.terminal.picture import Picture

MARK_BEGIN: Final = ">>["
MARK_END: Final = "]<<"


def model_text(picture: Picture, highlight: Highlight | None, lines: Iterable[str] | None = None) -> str:
    """The rows joined by LF; "" for an empty screen. `highlight` is the marked item of the same picture, `lines` its
    rows as a screen has them already, blanks at their ends removed."""
    lines = map(picture.line, range(picture.rows)) if lines is None else lines
    rows = [
        line if line.isascii() and line.isprintable() else _visible(cells)
        for line, cells in zip(lines, picture.characters, strict=True)
    ]
    if highlight is not None:
        rows[highlight.row] = _marked(picture.characters[highlight.row], highlight)
    while rows and not rows[-1]:
        rows.pop()
    return "\n".join(rows)


def _marked(cells: Sequence[str], mark: Highlight) -> str:
    end, length = mark.column, 0
    while end < len(cells) and length < len(mark.text):
        length += len(cells[end])
        end += 1
    before = _visible(cells[: mark.column], keep_blanks=True)
    item, after = _visible(cells[mark.column : end]), _visible(cells[end:])
    return f"{before}{MARK_BEGIN}{item}{MARK_END}{after}"


def _visible(cells: Sequence[str], *, keep_blanks: bool = False) -> str:
    text = "".join(cells)
    if inert(text) != text:
        text = "".join(map(_visible_cell, cells))
    return text if keep_blanks else text.rstrip()


def _visible_cell(cell: str) -> str:
    kept = "".join(char for char in cell if inert(char) == char)
    return kept or (" " if cell else "")
