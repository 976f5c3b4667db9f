"""A screen as a PNG file, the same bytes for the same picture wherever zlib is the same.

Written here because it is short and fast: pixels are packed to as few bits as the colours need, which for a
screen in 16 colours is a sixth of what a file in true colour takes to pack and to send.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from tty_agent.render.extra import render_extra
from tty_agent.render.palette import channels
from tty_agent.render.raster import Raster, rasterise
from tty_agent.terminal.picture import Picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_PALETTE: Final = 256
"""What a PNG with a palette can hold; a screen with more colours is written in true colour."""

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_COMPRESSION: Final = 4
"""Of zlib: level 6 takes twice as long for 6 % less."""
_TRUE_COLOUR: Final = 2
_INDEXED: Final = 3
"""Colour types of the specification (PNG, section 11.2.2)."""


def png_bytes(picture: Picture, *, cursor: bool = True, scale: int = 1) -> bytes:
    """A PNG of the picture, 8x16 pixels a cell, each pixel `scale` times as wide and high.

    Raises MissingExtra.
    """
    return encode(rasterise(picture, cursor=cursor, scale=scale))


def encode(raster: Raster) -> bytes:
    """Pixels as a PNG file."""
    height, width = raster.pixels.shape
    few = len(raster.colours) <= MAX_PALETTE
    depth = _depth(len(raster.colours)) if few else 8
    header = struct.pack(">IIBBBBB", width, height, depth, _INDEXED if few else _TRUE_COLOUR, 0, 0, 0)
    parts = [_SIGNATURE, _chunk(b"IHDR", header)]
    if few:
        parts.append(_chunk(b"PLTE", bytes(part for colour in raster.colours for part in channels(colour))))
        lines = _packed(raster.pixels, depth)
    else:
        lines = _true_colour(raster)
    parts += [_chunk(b"IDAT", zlib.compress(_unfiltered(lines), _COMPRESSION)), _chunk(b"IEND", b"")]
    return b"".join(parts)


def _depth(colours: int) -> int:
    """Bits a pixel: 1, 2, 4 or 8."""
    return next(depth for depth in (1, 2, 4, 8) if colours <= 1 << depth)


def _packed(pixels: NDArray[np.uint16], depth: int) -> NDArray[np.uint8]:
    """Lines of bytes, the leftmost pixel in the highest bits. The width divides by 8, so none is cut."""
    with render_extra():
        import numpy as np  # noqa: PLC0415 - belongs to the extra
    small = pixels.astype(np.uint8)
    if depth == 8:
        return small
    together = 8 // depth
    packed = np.zeros((small.shape[0], small.shape[1] // together), np.uint8)
    for place in range(together):
        packed |= small[:, place::together] << (8 - depth * (place + 1))
    return packed


def _true_colour(raster: Raster) -> NDArray[np.uint8]:
    with render_extra():
        import numpy as np  # noqa: PLC0415 - belongs to the extra
    table = np.array([channels(colour) for colour in raster.colours], np.uint8)
    return table[raster.pixels].reshape(raster.pixels.shape[0], -1)


def _unfiltered(lines: NDArray[np.uint8]) -> bytes:
    """Each line behind a 0: no filter, which serves flat colours best."""
    with render_extra():
        import numpy as np  # noqa: PLC0415 - belongs to the extra
    return np.pad(lines, ((0, 0), (1, 0))).tobytes()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
