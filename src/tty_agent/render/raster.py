"""A picture as pixels: an index into a list of colours each. Cells are 8x16, so 80x24 is 640x384."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tty_agent.render.extra import RenderFault, render_extra
from tty_agent.render.glyphs import shared_atlas
from tty_agent.render.palette import contrasting, seen
from tty_agent.render.shapes import CELL_HEIGHT, CELL_WIDTH
from tty_agent.terminal import style
from tty_agent.terminal.picture import Picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_PIXELS: Final = 150_000_000
"""A terminal of 500x500 at scale 2. They take some bytes each while a file is made of them."""

_UNDERLINE_ROW: Final = 14
_STRIKE_ROW: Final = 7
_CURSOR_ROWS: Final = slice(13, 15)
"""The two lines at which a VGA blinks its cursor."""


class Colours:
    """Colours in the order of their first use, as 0xRRGGBB. Several frames may share one."""

    def __init__(self) -> None:
        self._index: dict[int, int] = {}

    def index(self, rgb: int) -> int:
        """The place of a colour, added if it is new."""
        return self._index.setdefault(rgb, len(self._index))

    def listed(self) -> tuple[int, ...]:
        """All colours, each at its place."""
        return tuple(self._index)

    def __len__(self) -> int:
        return len(self._index)


class Raster(msgspec.Struct, frozen=True):
    """Pixels and what they mean."""

    pixels: NDArray[np.uint16]
    """Row, column."""
    colours: tuple[int, ...]
    """0xRRGGBB by index."""


def rasterise(picture: Picture, *, cursor: bool = True, scale: int = 1, colours: Colours | None = None) -> Raster:
    """The pixels of a picture, each repeated `scale` times in both directions. Raises MissingExtra, and RenderFault
    for more than `MAX_PIXELS`.

    The cursor is drawn as a VGA shows it, two lines at the foot of its cell, in the colour of the text there.
    """
    if picture.columns * picture.rows * CELL_WIDTH * CELL_HEIGHT * scale * scale > MAX_PIXELS:
        raise RenderFault(
            f"a picture of {picture.columns}x{picture.rows} at scale {scale} has more than {MAX_PIXELS:,} pixels: "
            "take a smaller --scale, or --columns and --rows"
        )
    with render_extra():
        import numpy as np  # noqa: PLC0415 - belongs to the extra
    colours = Colours() if colours is None else colours
    attributes = picture.attributes
    masks = shared_atlas().masks(picture.characters)
    used = sorted(set().union(*attributes))
    numbers = {one: number for number, one in enumerate(used)}
    looks = np.array([[numbers[one] for one in row] for row in attributes], np.intp)
    for flag, pixel_row in ((style.UNDERLINE, _UNDERLINE_ROW), (style.STRIKE, _STRIKE_ROW)):
        flagged = np.array([bool(one & flag) for one in used])
        if flagged.any():
            masks[flagged[looks], pixel_row] = True
    seen_as = [seen(one, bright_backgrounds=picture.bright_backgrounds) for one in used]
    pairs = np.array([[colours.index(front), colours.index(back)] for front, back in seen_as], np.uint16)
    front, back = pairs[looks, 0], pairs[looks, 1]
    cells = np.where(masks, front[:, :, None, None], back[:, :, None, None])
    if cursor and picture.cursor_visible:
        _draw_cursor(picture, cells, colours)
    pixels = cells.transpose(0, 2, 1, 3).reshape(picture.rows * CELL_HEIGHT, picture.columns * CELL_WIDTH)
    if scale > 1:
        pixels = pixels.repeat(scale, axis=0).repeat(scale, axis=1)
    return Raster(pixels, colours.listed())


def _draw_cursor(picture: Picture, cells: NDArray[np.uint16], colours: Colours) -> None:
    row, column = picture.cursor
    if not (0 <= row < picture.rows and 0 <= column < picture.columns):
        return
    front, back = seen(picture.attributes[row][column], bright_backgrounds=picture.bright_backgrounds)
    shown = contrasting(back) if front == back else front
    wide = picture.characters[row][column + 1 : column + 2] == ("",)
    cells[row, column : column + 1 + wide, _CURSOR_ROWS] = colours.index(shown)
