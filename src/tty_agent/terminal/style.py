"""The attributes of a cell, packed into one int so that a row of them is cheap to fill, compare and slice.

A colour is an int too: `DEFAULT` (-1), an index into the palette of 256 (0-255), or `0x1000000 | 0xRRGGBB`.
"""

from __future__ import annotations

from typing import Final

import msgspec

DEFAULT: Final = -1
"""The terminal's own foreground or background."""

TRUE_COLOUR: Final = 0x1000000
"""The bit that tells a colour given as RGB from an index."""

BOLD: Final = 1 << 0
FAINT: Final = 1 << 1
ITALIC: Final = 1 << 2
UNDERLINE: Final = 1 << 3
BLINK: Final = 1 << 4
REVERSE: Final = 1 << 5
CONCEAL: Final = 1 << 6
STRIKE: Final = 1 << 7
FLAGS: Final = 0xFF

_COLOUR_BITS: Final = 26
_COLOUR_MASK: Final = (1 << _COLOUR_BITS) - 1
_FOREGROUND_SHIFT: Final = 8
_BACKGROUND_SHIFT: Final = _FOREGROUND_SHIFT + _COLOUR_BITS

PLAIN: Final = 0
"""Default colours, no flag. Colours are packed with 1 added, so that `DEFAULT` packs to 0."""


def pack(foreground: int = DEFAULT, background: int = DEFAULT, flags: int = 0) -> int:
    """One int for a cell's attributes."""
    return flags | (foreground + 1) << _FOREGROUND_SHIFT | (background + 1) << _BACKGROUND_SHIFT


def foreground(attributes: int) -> int:
    """The foreground colour of packed attributes."""
    return ((attributes >> _FOREGROUND_SHIFT) & _COLOUR_MASK) - 1


def background(attributes: int) -> int:
    """The background colour of packed attributes."""
    return (attributes >> _BACKGROUND_SHIFT) - 1


class Style(msgspec.Struct, frozen=True):
    """Packed attributes, spelled out."""

    foreground: int
    background: int
    bold: bool
    faint: bool
    italic: bool
    underline: bool
    blink: bool
    reverse: bool
    conceal: bool
    strike: bool


def unpack(attributes: int) -> Style:
    """The attributes as a value with names."""
    return Style(
        foreground(attributes),
        background(attributes),
        *(bool(attributes & flag) for flag in (BOLD, FAINT, ITALIC, UNDERLINE, BLINK, REVERSE, CONCEAL, STRIKE)),
    )
