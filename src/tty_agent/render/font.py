"""Where a glyph's pixels come from: the VGA font for the 256 characters of CP437, then rules, then a font file.

pyansilove carries the font of IBM's VGA (`font_pc_80x25`, 8x16 pixels, 16 bytes a glyph). Other characters are
taken from DejaVu Sans Mono where the system has it. What nobody can draw is an empty box.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tty_agent.render.extra import render_extra
from tty_agent.render.shapes import CELL_HEIGHT, CELL_WIDTH, Bitmap, drawn, hollow_box
from tty_agent.terminal.charset import CP437_GLYPHS

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_LOOK_ALIKES: Final = {
    "-": (0x2010, 0x2011, 0x2013, 0x2212), "'": (0x2019,), "`": (0x2018,), '"': (0x201C, 0x201D), ",": (0x201A,),
    "<": (0x2039,), ">": (0x203A,), "|": (0xA6,), "─": (0x2014,), "·": (0x22C5,), "µ": (0x3BC,),
    "ß": (0x3B2,), "Ω": (0x2126,), "Σ": (0x2211,), "π": (0x3A0, 0x220F), "ε": (0x2208,), "φ": (0x2205,),
    "δ": (0x2202,),
}  # fmt: skip
"""Characters of CP437, and the code points outside of it for which their glyph does."""

_FONT_FILE: Final = "DejaVuSansMono.ttf"
_FONT_SIZE_PX: Final = 13
"""At this size a character of DejaVu Sans Mono is 8 pixels wide."""
_BASELINE: Final = 12
"""The row under the letters of the VGA font."""
_UNASSIGNED: Final = "\U0010ffff"
"""No font has it: it shows what the font draws for characters that it lacks."""


def cp437_code(char: str) -> int | None:
    """The code of the glyph of one character in the VGA font, 0-255; None if it has none."""
    return _codes().get(char)


def bitmap(cell: str, cells: int = 1) -> Bitmap:
    """The pixels of a cell's text over `cells` cells (2 for a wide character): 16 rows of `8 * cells` bits.

    Combining marks are drawn where a precomposed character exists, and left out else.
    Raises MissingExtra.
    """
    composed = unicodedata.normalize("NFC", cell)
    char = composed[:1] or " "
    if cells == 1:
        code = cp437_code(char)
        if code is not None:
            return _vga()[code]
        by_rule = drawn(char)
        if by_rule is not None:
            return by_rule
    return _from_file(char, cells) or hollow_box(cells)


@lru_cache(1)
def _codes() -> dict[str, int]:
    codes = {char: code for code, char in enumerate(CP437_GLYPHS)}
    codes[" "] = 0x20
    codes.update({chr(other): codes[char] for char, others in _LOOK_ALIKES.items() for other in others})
    return codes


@lru_cache(1)
def _vga() -> tuple[Bitmap, ...]:
    with render_extra():
        from pyansilove.fonts.font_pc_80x25 import font_pc_80x25  # noqa: PLC0415 - belongs to the extra
    return tuple(tuple(font_pc_80x25[at : at + CELL_HEIGHT]) for at in range(0, len(font_pc_80x25), CELL_HEIGHT))


@lru_cache(1)
def _font_file() -> FreeTypeFont | None:
    with render_extra():
        from PIL import ImageFont  # noqa: PLC0415 - belongs to the extra
    try:
        return ImageFont.truetype(_FONT_FILE, _FONT_SIZE_PX)
    except OSError:
        return None  # the system has no such font; boxes are drawn


def _from_file(char: str, cells: int) -> Bitmap | None:
    """The glyph of the font file; None where there is no file or no such glyph in it."""
    font = _font_file()
    if font is None or not char.isprintable():
        return None
    pixels = _typeset(font, char, cells)
    return None if pixels == _typeset(font, _UNASSIGNED, cells) else pixels


def _typeset(font: FreeTypeFont, char: str, cells: int) -> Bitmap:
    with render_extra():
        from PIL import Image, ImageDraw  # noqa: PLC0415 - belongs to the extra
    width = CELL_WIDTH * cells
    image = Image.new("1", (width, CELL_HEIGHT))
    pen = ImageDraw.Draw(image)
    pen.fontmode = "1"
    pen.text((0, _BASELINE), char, fill=1, font=font, anchor="ls")
    return tuple(int.from_bytes(image.tobytes()[y * cells : (y + 1) * cells], "big") for y in range(CELL_HEIGHT))
