"""Animated GIFs, read back by Pillow."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from tests.tty_agent.render.picture_samples import picture_of

from tty_agent.render.gif import gif_bytes
from tty_agent.render.raster import rasterise
from tty_agent.terminal import style
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.style import pack

np = pytest.importorskip("numpy")
Image = pytest.importorskip("PIL.Image")
pytest.importorskip("pyansilove")


def frames_of(data: bytes) -> tuple[list[int], list[Any], dict[str, Any]]:
    """Durations, pixels in RGB, and what the file says of itself."""
    durations, pixels = [], []
    with Image.open(BytesIO(data)) as image:
        about = dict(image.info)
        for number in range(image.n_frames):
            image.seek(number)
            image.load()
            durations.append(image.info["duration"])
            pixels.append(np.asarray(image.convert("RGB")))
    return durations, pixels, about


def rgb(picture: Picture) -> Any:
    raster = rasterise(picture)
    table = np.array([[colour >> 16, colour >> 8 & 0xFF, colour & 0xFF] for colour in raster.colours], np.uint8)
    return table[raster.pixels]


STILLS = [
    picture_of("one", looks={(0, 0): pack(1, 4, style.BOLD)}),
    picture_of("two", looks={(0, 1): pack(2, 5)}, cursor=(0, 3)),
    picture_of("", "three", looks={(1, 2): pack(208, 17)}, cursor=(2, 2)),
]


def test_frames_and_durations_are_those_asked_for() -> None:
    durations, pixels, about = frames_of(gif_bytes(STILLS, 250))
    assert durations == [250] * 3
    assert about["loop"] == 0
    for still, found in zip(STILLS, pixels, strict=True):
        assert np.array_equal(found, rgb(still))


def test_a_duration_for_each_frame() -> None:
    durations, _, _ = frames_of(gif_bytes(STILLS, [100, 1234, 1]))
    assert durations == [100, 1230, 20]


def test_equal_frames_become_one_that_lasts() -> None:
    durations, _, _ = frames_of(gif_bytes([STILLS[0], STILLS[0], STILLS[1], STILLS[0]], 100))
    assert durations == [200, 100, 100]


def test_a_single_frame() -> None:
    durations, pixels, _ = frames_of(gif_bytes([STILLS[0]], 100) + b"")
    assert len(pixels) == 1
    assert durations == [100]


def test_of_too_many_colours_the_nearest_is_taken() -> None:
    def gradient(blue: int) -> Picture:
        looks = tuple(
            tuple(pack(7, style.TRUE_COLOUR | row * 10 << 16 | column * 3 << 8 | blue) for column in range(80))
            for row in range(8)
        )
        return Picture(80, 8, ((" ",) * 80,) * 8, looks, (0, 0), cursor_visible=False)

    stills = [gradient(0), gradient(200)]
    _, pixels, _ = frames_of(gif_bytes(stills, 100))
    assert len(np.unique(np.concatenate(pixels).reshape(-1, 3), axis=0)) <= 256
    for still, found in zip(stills, pixels, strict=True):
        far = np.abs(found.astype(int) - rgb(still).astype(int)).mean()
        assert far < 40


def test_a_smaller_picture_stands_at_the_top_left_of_the_largest() -> None:
    large = Picture(30, 6, (("x",) * 30,) * 6, ((0,) * 30,) * 6, (0, 0))
    _, pixels, _ = frames_of(gif_bytes([STILLS[0], large], 100, scale=2))
    assert pixels[0].shape == (6 * 32, 30 * 16, 3)
    assert np.array_equal(pixels[0][: 5 * 32 : 2, : 20 * 16 : 2], rgb(STILLS[0]))
    assert not pixels[0][5 * 32 :].any()


def test_what_makes_no_gif() -> None:
    with pytest.raises(ValueError, match="at least one frame"):
        gif_bytes([], 100)
    with pytest.raises(ValueError, match="2 durations for 3 frames"):
        gif_bytes(STILLS, [1, 2])
