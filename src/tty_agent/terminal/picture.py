"""What a screen shows at one moment, as a value: for renders, for finding a highlight, for comparing."""

from __future__ import annotations

import msgspec


class Picture(msgspec.Struct, frozen=True):
    """A grid of cells and a cursor. Rows and columns count from 0."""

    columns: int
    rows: int
    characters: tuple[tuple[str, ...], ...]
    """A tuple a row, each `columns` long. A cell is a character with its combining marks; the right half of
    a wide character is ""."""
    attributes: tuple[tuple[int, ...], ...]
    """The same shape: packed attributes (`style.py`)."""
    cursor: tuple[int, int]
    """Row, column."""
    cursor_visible: bool = True
    bright_backgrounds: bool = False
    """Blink is shown as a bright background (iCE colours)."""

    def line(self, row: int) -> str:
        """The text of a row without the blanks at its end."""
        return "".join(self.characters[row]).rstrip()

    @property
    def text(self) -> str:
        """All rows, joined by LF, each without the blanks at its end."""
        return "\n".join(self.line(row) for row in range(self.rows))
