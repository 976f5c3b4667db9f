"""The colours of a cell as they are seen: RGB as one int, 0xRRGGBB.

The first 16 are those of a VGA in text mode, in the order of SGR (red is 1, blue is 4); its dark yellow is
brown, 170,85,0. From 16 on they are xterm's: a cube of 6x6x6 and 24 greys.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from tty_agent.terminal import style

VGA: Final = (
    0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA,
    0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF,
)  # fmt: skip
"""Colours 0-15: dark, then bright."""

_CUBE_LEVELS: Final = (0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF)
_CUBE: Final = tuple(
    red << 16 | green << 8 | blue for red in _CUBE_LEVELS for green in _CUBE_LEVELS for blue in _CUBE_LEVELS
)
_GREYS: Final = tuple((8 + 10 * step) * 0x010101 for step in range(24))

XTERM_256: Final = VGA + _CUBE + _GREYS
"""Colours 0-255."""

DEFAULT_FOREGROUND: Final = 7
DEFAULT_BACKGROUND: Final = 0
"""Indices: what a terminal for BBSes shows where no colour was chosen."""

BRIGHT: Final = 8
"""Added to one of the first eight colours, it gives the bright one."""

_FAINT_PARTS: Final = (2, 1)
"""Faint text is mixed of so many parts of its colour and of its background."""

_MAX_REMEMBERED: Final = 4096
"""Attributes whose colours are kept: a screen of art has some dozens, true colour could have any number."""


def rgb(colour: int) -> int:
    """0xRRGGBB of a colour other than `style.DEFAULT`."""
    return colour & 0xFFFFFF if colour & style.TRUE_COLOUR else XTERM_256[colour]


def chosen(attributes: int, *, bright_backgrounds: bool) -> tuple[int, int]:
    """Foreground and background as colours of `style`: `DEFAULT`, an index or true colour.

    Bold makes one of the first eight (and the default) foregrounds bright; blink does so with the background
    where `bright_backgrounds`. Nothing else is applied.
    """
    foreground, background = style.foreground(attributes), style.background(attributes)
    if attributes & style.BOLD and foreground < BRIGHT:
        foreground = (DEFAULT_FOREGROUND if foreground == style.DEFAULT else foreground) + BRIGHT
    if bright_backgrounds and attributes & style.BLINK and background < BRIGHT:
        background = (DEFAULT_BACKGROUND if background == style.DEFAULT else background) + BRIGHT
    return foreground, background


@lru_cache(_MAX_REMEMBERED)
def seen(attributes: int, *, bright_backgrounds: bool = False) -> tuple[int, int]:
    """Foreground and background of a cell as 0xRRGGBB, with all flags applied that are a matter of colour.

    Reverse exchanges the two after bold and blink had their say, as xterm does it. Concealed text has the colour
    of its background. Blink that is no bright background is text as any other: a picture stands still.
    """
    foreground, background = chosen(attributes, bright_backgrounds=bright_backgrounds)
    front = rgb(DEFAULT_FOREGROUND if foreground == style.DEFAULT else foreground)
    back = rgb(DEFAULT_BACKGROUND if background == style.DEFAULT else background)
    if attributes & style.REVERSE:
        front, back = back, front
    if attributes & style.FAINT:
        front = _mixed(front, back)
    if attributes & style.CONCEAL:
        front = back
    return front, back


def channels(colour: int) -> tuple[int, int, int]:
    """Red, green and blue, 0-255, of 0xRRGGBB."""
    return colour >> 16, colour >> 8 & 0xFF, colour & 0xFF


def contrasting(colour: int) -> int:
    """Black or white, whichever stands out against 0xRRGGBB (by its luma, ITU-R BT.601)."""
    red, green, blue = channels(colour)
    return 0x000000 if 299 * red + 587 * green + 114 * blue > 127_500 else 0xFFFFFF


def css(colour: int) -> str:
    """`#rrggbb`."""
    return f"#{colour:06x}"


def _mixed(front: int, back: int) -> int:
    ours, theirs = _FAINT_PARTS
    mixed = 0
    for one, other in zip(channels(front), channels(back), strict=True):
        mixed = mixed << 8 | (ours * one + theirs * other) // (ours + theirs)
    return mixed
