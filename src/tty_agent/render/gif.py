"""Screens as an animated GIF that loops for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Final

from tty_agent.render.extra import render_extra
from tty_agent.render.palette import VGA, channels, contrasting, seen
from tty_agent.render.raster import Colours, rasterise
from tty_agent.render.shapes import CELL_HEIGHT, CELL_WIDTH
from tty_agent.terminal.picture import Picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

MAX_COLOURS: Final = 256
"""A GIF's palette."""
MIN_DURATION_MS: Final = 20
"""Browsers show a frame that claims less for 100 ms."""
_BLACK: Final = 0x000000
_TICK_MS: Final = 10
"""A GIF counts in hundredths of a second."""


def gif_bytes(
    frames: Sequence[Picture], duration_ms: int | Sequence[int], *, cursor: bool = True, scale: int = 1
) -> bytes:
    """A GIF of at least one picture; `duration_ms` is for all of them or a number each, rounded to 10 ms.

    All frames share one palette; more than 256 colours are cut to so many, those of a VGA last. Equal frames that
    follow each other become one that lasts as long. Pictures of other sizes
    stand at the top left of the largest. Raises ValueError without frames or with durations that do not fit,
    MissingExtra.
    """
    durations = _durations(duration_ms, len(frames))
    stills, durations = _merged(frames, durations)
    images = _images(stills, cursor=cursor, scale=scale)
    first = next(images)
    out = BytesIO()
    first.save(out, "GIF", save_all=True, append_images=images, duration=durations, loop=0, optimize=False, disposal=1)
    return out.getvalue()


def _durations(duration_ms: int | Sequence[int], count: int) -> list[int]:
    asked = [duration_ms] * count if isinstance(duration_ms, int) else list(duration_ms)
    if count == 0:
        raise ValueError("a GIF needs at least one frame")
    if len(asked) != count:
        raise ValueError(f"{len(asked)} durations for {count} frames")
    return [max(MIN_DURATION_MS, round(one / _TICK_MS) * _TICK_MS) for one in asked]


def _merged(frames: Sequence[Picture], durations: Sequence[int]) -> tuple[list[Picture], list[int]]:
    stills: list[Picture] = []
    lasting: list[int] = []
    for picture, duration in zip(frames, durations, strict=True):
        if stills and picture == stills[-1]:
            lasting[-1] += duration
        else:
            stills.append(picture)
            lasting.append(duration)
    return stills, lasting


def _images(frames: Sequence[Picture], *, cursor: bool, scale: int) -> Iterator[Image]:
    """One frame after the other, so that only their changed parts are kept in memory."""
    with render_extra():
        import numpy as np  # noqa: PLC0415 - belongs to the extra
        from PIL import Image  # noqa: PLC0415 - belongs to the extra
    colours = _census(frames)
    slots, palette = _shared_palette(colours.listed())
    table = np.array(slots, np.uint8)
    flat = [part for colour in palette for part in channels(colour)]
    size = _largest(frames, scale)
    for picture in frames:
        pixels = table[rasterise(picture, cursor=cursor, scale=scale, colours=colours).pixels]
        image = Image.fromarray(_padded(pixels, size))
        image.putpalette(flat)
        yield image


def _census(frames: Sequence[Picture]) -> Colours:
    """All colours of all frames, black first: it fills what no frame covers."""
    colours = Colours()
    colours.index(_BLACK)
    for picture in frames:
        for attributes in sorted(set().union(*picture.attributes)):
            front, back = seen(attributes, bright_backgrounds=picture.bright_backgrounds)
            colours.index(front)
            colours.index(back)
            if front == back:
                colours.index(contrasting(back))  # of a cursor
    return colours


def _shared_palette(colours: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """The slot of each colour, and the colour of each slot. Where there are too many, those of a VGA stay as they
    are, and the others are put together by median cut."""
    if len(colours) <= MAX_COLOURS:
        return range(len(colours)), colours
    with render_extra():
        import numpy as np  # noqa: PLC0415 - belongs to the extra
        from PIL import Image  # noqa: PLC0415 - belongs to the extra
    kept = [colour for colour in colours if colour in VGA]
    others = [colour for colour in colours if colour not in VGA]
    line = Image.fromarray(np.array([[channels(colour) for colour in others]], np.uint8))
    cut = line.quantize(MAX_COLOURS - len(kept), Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    slots = dict(zip(kept, range(len(kept)), strict=True))
    slots.update(zip(others, (int(slot) + len(kept) for slot in np.asarray(cut)[0]), strict=True))
    parts = cut.getpalette() or []
    mixed = [red << 16 | green << 8 | blue for red, green, blue in _triples(parts)]
    return [slots[colour] for colour in colours], kept + mixed


def _triples(parts: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    return zip(parts[::3], parts[1::3], parts[2::3], strict=True)


def _largest(frames: Sequence[Picture], scale: int) -> tuple[int, int]:
    rows, columns = max(picture.rows for picture in frames), max(picture.columns for picture in frames)
    return rows * CELL_HEIGHT * scale, columns * CELL_WIDTH * scale


def _padded(pixels: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    with render_extra():
        import numpy as np  # noqa: PLC0415 - belongs to the extra
    if pixels.shape == size:
        return pixels
    height, width = size
    return np.pad(pixels, ((0, height - pixels.shape[0]), (0, width - pixels.shape[1])))
