"""All glyphs that pictures have needed so far, as one array, so that a frame is one look-up in numpy."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Final

from tty_agent.render.extra import render_extra
from tty_agent.render.font import bitmap
from tty_agent.render.shapes import CELL_HEIGHT, CELL_WIDTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

FIRST_GLYPHS: Final = 512
"""Room at the start; it doubles when it is full."""
MAX_GLYPHS: Final = 8192
"""1 MiB of pixels. A screen of 200x50 has at most 10,000 cells; real ones show some dozens of characters. When
more are wanted, all are forgotten and drawn anew."""


class Atlas:
    """Slots of 16x8 pixels. A wide character has two, one after the other. Any thread may ask.

    Raises MissingExtra.
    """

    def __init__(self) -> None:
        with render_extra():
            import numpy as np  # noqa: PLC0415 - belongs to the extra
        self._numpy = np
        self._pixels = np.zeros((FIRST_GLYPHS, CELL_HEIGHT, CELL_WIDTH), np.bool_)
        self._slots: dict[tuple[str, int], int] = {}
        self._narrow = _Narrow(self)
        self._used = 0
        self._lock = Lock()

    def masks(self, rows: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
        """Row, column, pixel row, pixel column of all cells of a picture: whether the pixel is in the foreground.

        The right half of a wide character is an empty string.
        """
        with self._lock:
            wanted = len({cell for row in rows for cell in row})
            if self._used + 2 * wanted > MAX_GLYPHS:
                self._forget()
            slots = [self._row(row) for row in rows]
            return self._pixels[self._numpy.array(slots, self._numpy.intp)]

    def _row(self, row: Sequence[str]) -> list[int]:
        narrow = self._narrow
        if "" not in row:
            return [narrow[cell] for cell in row]
        slots: list[int] = []
        for column, cell in enumerate(row):
            if cell == "":
                slots.append(slots[-1] + 1 if slots and row[column - 1] else narrow[" "])
            elif column + 1 < len(row) and row[column + 1] == "":
                slots.append(self.draw(cell, 2))
            else:
                slots.append(narrow[cell])
        return slots

    def draw(self, cell: str, cells: int) -> int:
        """The (first) slot of a cell's text, drawn now if it is new."""
        known = self._slots.get((cell, cells))
        if known is not None:
            return known
        first = self._used
        if first + cells > len(self._pixels):
            self._pixels = self._numpy.concatenate([self._pixels, self._numpy.zeros_like(self._pixels)])
        packed = [list(row.to_bytes(cells, "big")) for row in bitmap(cell, cells)]
        bits = self._numpy.unpackbits(self._numpy.array(packed, self._numpy.uint8), axis=1)
        for half in range(cells):
            self._pixels[first + half] = bits[:, half * CELL_WIDTH : (half + 1) * CELL_WIDTH]
        self._used += cells
        self._slots[cell, cells] = first
        return first

    def _forget(self) -> None:
        self._slots.clear()
        self._narrow.clear()
        self._used = 0


class _Narrow(dict[str, int]):
    """Slots of cells of one column, filled as they are asked for: a plain dict look-up once they are known."""

    def __init__(self, atlas: Atlas) -> None:
        super().__init__()
        self._atlas = atlas

    def __missing__(self, cell: str) -> int:
        slot = self[cell] = self._atlas.draw(cell, 1)
        return slot


@lru_cache(1)
def shared_atlas() -> Atlas:
    """The one atlas of the process."""
    return Atlas()
