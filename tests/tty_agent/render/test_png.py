"""PNG files, read back by Pillow."""

from __future__ import annotations

from io import BytesIO

import pytest
from tests.tty_agent.render.picture_samples import picture_of, shown_by

from tty_agent.render.png import png_bytes
from tty_agent.render.raster import rasterise
from tty_agent.terminal import style
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.style import pack

np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")
pytest.importorskip("pyansilove")


def many_colours(count: int) -> Picture:
    """A screen with so many background colours, and no others."""
    looks = tuple(
        tuple(pack(style.TRUE_COLOUR, style.TRUE_COLOUR | (row * 80 + column) % count) for column in range(80))
        for row in range(24)
    )
    return Picture(80, 24, ((" ",) * 80,) * 24, looks, (0, 0), cursor_visible=False)


@pytest.mark.parametrize("colours", [1, 2, 3, 4, 5, 16, 17, 256, 257, 1000])
def test_a_reader_gets_the_pixels_that_were_drawn(colours: int) -> None:
    picture = many_colours(colours)
    raster = rasterise(picture)
    wanted = np.array([[colour >> 16, colour >> 8 & 0xFF, colour & 0xFF] for colour in raster.colours], np.uint8)
    with Image.open(BytesIO(png_bytes(picture))) as image:
        image.load()
        assert image.size == (640, 384)
        assert image.mode == ("RGB" if len(raster.colours) > 256 else "P")
        assert np.array_equal(np.asarray(image.convert("RGB")), wanted[raster.pixels])


def test_a_screen_of_art_is_small() -> None:
    art = shown_by(b"".join(b"\x1b[1;%d;%dm\xb0\xb1\xb2\xdb  " % (30 + n % 8, 40 + n % 7) for n in range(300)))
    assert len(png_bytes(art)) < 12_000


def test_the_same_picture_gives_the_same_file() -> None:
    assert png_bytes(picture_of("once")) == png_bytes(picture_of("once"))
    assert png_bytes(picture_of("once")) != png_bytes(picture_of("twice"))


def test_cursor_and_scale() -> None:
    with Image.open(BytesIO(png_bytes(picture_of(cursor=(0, 0)), scale=2))) as image:
        assert image.size == (320, 160)
        pixels = image.convert("RGB")
        assert pixels.getpixel((0, 27)) == (170, 170, 170)
        assert pixels.getpixel((0, 25)) == (0, 0, 0)
    with Image.open(BytesIO(png_bytes(picture_of(cursor=(0, 0)), cursor=False))) as image:
        assert image.convert("RGB").getextrema() == ((0, 0), (0, 0), (0, 0))
