"""A row of a picture as runs of equal attributes, its text made harmless for whoever shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from tty_agent.terminal.inert import inert
from tty_agent.terminal.picture import Picture

_REPLACEMENT: Final = "\ufffd"
_BRAILLE_BLANK: Final = "\u2800"


def runs(picture: Picture, row: int, start: int = 0, end: int | None = None) -> Iterator[tuple[int, str]]:
    """Attributes and text of the cells `start` to `end` (not in it) of a row, equal neighbours as one.

    No character of the text acts or hides: a terminal or a page shows one for one what the picture shows.
    """
    last = picture.columns if end is None else end
    cells = shown(picture.characters[row][start:last])
    place = 0
    for attributes, group in groupby(picture.attributes[row][start:last]):
        length = sum(1 for _ in group)
        yield attributes, "".join(cells[place : place + length])
        place += length


def shown(cells: Sequence[str]) -> Sequence[str]:
    """The cells, each without characters that act or hide; what is nothing else becomes U+FFFD."""
    text = "".join(cells)
    return cells if inert(text) == text else [_shown(cell) for cell in cells]


def _shown(cell: str) -> str:
    if cell in {"", _BRAILLE_BLANK}:
        return cell and " "
    return "".join(char for char in cell if inert(char) == char) or _REPLACEMENT
