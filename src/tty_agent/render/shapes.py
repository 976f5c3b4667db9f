"""Glyphs drawn by rule: the characters whose shape follows from their code or name.

A bitmap is 16 ints, a row of pixels each, the leftmost pixel the highest of 8 bits. Lines lie where the VGA
font has them (a light line is row 7, or columns 3 and 4), so that drawn characters join with those of the font.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

CELL_WIDTH: Final = 8
CELL_HEIGHT: Final = 16

Bitmap = tuple[int, ...]

_FULL: Final = 0xFF


def drawn(char: str) -> Bitmap | None:
    """The bitmap of one character; None where no rule knows it.

    Rules know block elements (without the shades, which the font has), sextants, Braille, the box drawing of light
    and heavy lines, and the scan lines of DEC's line drawing.
    """
    code = ord(char)
    for first, last, draw in _RULES:
        if first <= code <= last:
            return draw(code)
    return None


def hollow_box(cells: int) -> Bitmap:
    """What stands for a character that nobody can draw: an outline over one cell or two."""
    width = cells * CELL_WIDTH
    inside = (1 << width) - 1 & ~(0b11 << width - 2 | 0b11)  # a margin of a pixel, then the outline
    edge = (1 << width) - 1 & ~(1 << width - 1 | 1)
    side = edge & ~inside
    return (0, 0, edge, *[side] * 10, edge, 0, 0)


def _block(code: int) -> Bitmap | None:
    """U+2580-259F: halves, eighths and quadrants."""
    if 0x2581 <= code <= 0x2588:
        return _bars(2 * (code - 0x2580), from_below=True)
    if 0x2589 <= code <= 0x258F:
        width = 0x2590 - code
        return (_FULL << CELL_WIDTH - width & _FULL,) * CELL_HEIGHT
    if code >= 0x2596:
        return _halves(_QUADRANTS[code - 0x2596])
    known: dict[int, Bitmap] = {
        0x2580: _bars(8, from_below=False),
        0x2590: (0x0F,) * CELL_HEIGHT,
        0x2594: _bars(2, from_below=False),
        0x2595: (0x01,) * CELL_HEIGHT,
    }
    return known.get(code)


_QUADRANTS: Final = (0b0010, 0b0001, 0b1000, 0b1011, 0b1001, 0b1110, 0b1101, 0b0100, 0b0110, 0b0111)
"""U+2596-259F: upper left, upper right, lower left, lower right."""


def _scan_line(code: int) -> Bitmap:
    """U+23BA-23BD: a line at the top, above and below the middle, and at the foot."""
    at = (0, 3, 11, 15)[code - 0x23BA]
    return tuple(_FULL if y == at else 0 for y in range(CELL_HEIGHT))


def _bars(height: int, *, from_below: bool) -> Bitmap:
    empty = (0,) * (CELL_HEIGHT - height)
    full = (_FULL,) * height
    return empty + full if from_below else full + empty


def _halves(quadrants: int) -> Bitmap:
    nibbles = (0x00, 0x0F, 0xF0, 0xFF)
    return (nibbles[quadrants >> 2],) * 8 + (nibbles[quadrants & 0b11],) * 8


def _sextant(code: int) -> Bitmap:
    """U+1FB00-1FB3B: two by three blocks, counted in binary; empty, full and the halves are coded elsewhere."""
    pattern = code - 0x1FB00 + 1
    for elsewhere in (0b010101, 0b101010):
        pattern += pattern >= elsewhere
    rows: list[int] = []
    for third, height in enumerate((5, 6, 5)):
        left, right = pattern >> 2 * third & 1, pattern >> 2 * third + 1 & 1
        rows += [0xF0 * left | 0x0F * right] * height
    return tuple(rows)


_BRAILLE_DOTS: Final = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of the dots in the order of their bits."""


def _braille(code: int) -> Bitmap:
    """U+2800-28FF: a bit a dot; a dot is two pixels wide and high."""
    rows = [0] * CELL_HEIGHT
    for bit, (column, row) in enumerate(_BRAILLE_DOTS):
        if code >> bit & 1:
            for y in (4 * row + 1, 4 * row + 2):
                rows[y] |= 0b0110_0000 >> 4 * column
    return tuple(rows)


_DIRECTIONS: Final = {
    "UP": ("UP",), "DOWN": ("DOWN",), "LEFT": ("LEFT",), "RIGHT": ("RIGHT",),
    "VERTICAL": ("UP", "DOWN"), "HORIZONTAL": ("LEFT", "RIGHT"),
}  # fmt: skip
_WEIGHTS: Final = ("LIGHT", "HEAVY")
_NAME: Final = re.compile(r"BOX DRAWINGS (?P<shape>.*)")
_DASHES: Final = {"DOUBLE": 2, "TRIPLE": 3, "QUADRUPLE": 4}

_ARMS: Final = {
    # columns from, to; rows from, to (ends not in it), by weight
    ("LEFT", "LIGHT"): (0, 5, 7, 8), ("LEFT", "HEAVY"): (0, 6, 6, 9),
    ("RIGHT", "LIGHT"): (3, 8, 7, 8), ("RIGHT", "HEAVY"): (2, 8, 6, 9),
    ("UP", "LIGHT"): (3, 5, 0, 8), ("UP", "HEAVY"): (2, 6, 0, 9),
    ("DOWN", "LIGHT"): (3, 5, 7, 16), ("DOWN", "HEAVY"): (2, 6, 6, 16),
}  # fmt: skip
"""An arm reaches from the edge of the cell over the crossing, as thick as its weight."""


def _box_drawing(code: int) -> Bitmap | None:
    """U+2500-257F by name: `LIGHT DOWN AND RIGHT`, `DOWN HEAVY AND LEFT LIGHT`, `HEAVY TRIPLE DASH VERTICAL`."""
    shape = _NAME.sub(r"\g<shape>", unicodedata.name(chr(code)))
    if "DIAGONAL" in shape:
        return _diagonal(shape)
    if "ARC" in shape:
        return _arc(shape.split()[2:])
    words = shape.split()
    dashes = 1
    if "DASH" in words:
        at = words.index("DASH")
        dashes = _DASHES[words[at - 1]]
        del words[at - 1 : at + 1]
    arms = _arms(words)
    if arms is None:
        return None  # double lines: the font has all of them
    return _dashed(_strokes(arms), dashes, across="HORIZONTAL" in words)


def _arms(words: Sequence[str]) -> list[tuple[str, str]] | None:
    """Direction and weight of each arm. A part without a weight of its own has that of the other part."""
    parts = [part.split() for part in " ".join(words).split(" AND ")]
    weights = [next((word for word in part if word in _WEIGHTS), None) for part in parts]
    known = next((weight for weight in weights if weight), None)
    if known is None:
        return None
    return [
        (direction, weight or known)
        for part, weight in zip(parts, weights, strict=True)
        for word in part
        for direction in _DIRECTIONS.get(word, ())
    ]


def _strokes(arms: Sequence[tuple[str, str]]) -> Bitmap:
    rows = [0] * CELL_HEIGHT
    for arm in arms:
        left, right, top, bottom = _ARMS[arm]
        for y in range(top, bottom):
            rows[y] |= _FULL >> left & _FULL << CELL_WIDTH - right
    return tuple(rows)


def _dashed(bitmap: Bitmap, dashes: int, *, across: bool) -> Bitmap:
    """The line with a gap at the end of each of its `dashes` parts."""
    if dashes == 1:
        return bitmap
    if across:
        gaps = sum(1 << CELL_WIDTH - (part + 1) * CELL_WIDTH // dashes for part in range(dashes))
        return tuple(row & ~gaps for row in bitmap)
    ends = {(part + 1) * CELL_HEIGHT // dashes - 1 for part in range(dashes)}
    return tuple(0 if y in ends else row for y, row in enumerate(bitmap))


def _arc(words: Sequence[str]) -> Bitmap:
    """A light corner with its edge taken off."""
    rows = list(_strokes([(direction, "LIGHT") for direction in words if direction in _DIRECTIONS]))
    rows[7] &= 0x0F if "RIGHT" in words else 0xF0
    rows[7] &= ~0x18
    rows[8 if "DOWN" in words else 6] |= 0x0C if "RIGHT" in words else 0x30
    rows[7] |= 0x07 if "RIGHT" in words else 0xE0
    return tuple(rows)


def _diagonal(shape: str) -> Bitmap:
    """From corner to corner, two rows a pixel."""
    falling = tuple(0x80 >> y // 2 for y in range(CELL_HEIGHT))
    rising = falling[::-1]
    if "CROSS" in shape:
        return tuple(one | other for one, other in zip(falling, rising, strict=True))
    return rising if "UPPER RIGHT TO LOWER LEFT" in shape else falling


_RULES: Final[tuple[tuple[int, int, Callable[[int], Bitmap | None]], ...]] = (
    (0x23BA, 0x23BD, _scan_line),
    (0x2500, 0x257F, _box_drawing),
    (0x2580, 0x259F, _block),
    (0x2800, 0x28FF, _braille),
    (0x1FB00, 0x1FB3B, _sextant),
)
"""First code, last code, how to draw it."""
