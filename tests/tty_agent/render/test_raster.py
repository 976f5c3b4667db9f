"""Pixels of pictures."""

from __future__ import annotations

import pytest
from tests.tty_agent.render.picture_samples import picture_of

from tty_agent.render.raster import Colours, Raster, rasterise
from tty_agent.terminal import style
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.style import pack

np = pytest.importorskip("numpy")
pytest.importorskip("pyansilove")


def colour(raster: Raster, y: int, x: int) -> int:
    return raster.colours[int(raster.pixels[y, x])]


def is_black(raster: Raster) -> bool:
    return {raster.colours[index] for index in np.unique(raster.pixels)} == {0}


def cell(raster: Raster, row: int, column: int) -> set[int]:
    """The colours in a cell."""
    part = raster.pixels[row * 16 : row * 16 + 16, column * 8 : column * 8 + 8]
    return {raster.colours[index] for index in np.unique(part)}


def test_a_cell_is_eight_by_sixteen_pixels() -> None:
    assert rasterise(picture_of()).pixels.shape == (5 * 16, 20 * 8)


def test_a_full_block_is_all_foreground() -> None:
    raster = rasterise(picture_of("a█b", looks={(0, 1): pack(15, 1)}))
    assert cell(raster, 0, 1) == {0xFFFFFF}
    assert cell(raster, 0, 0) == {0xAAAAAA, 0x000000}


def test_a_known_pixel_of_a_known_glyph() -> None:
    raster = rasterise(picture_of("", " A", looks={(1, 1): pack(10, 4)}))
    top, left = 16, 8
    assert colour(raster, top + 2, left + 3) == 0x55FF55  # the tip of the A
    assert colour(raster, top + 2, left + 2) == 0x0000AA
    assert [colour(raster, top + 7, left + x) for x in range(8)] == [0x55FF55] * 7 + [0x0000AA]  # its bar


def test_lines_of_neighbours_join() -> None:
    raster = rasterise(picture_of("╔═══", "║"), cursor=False)
    double = raster.pixels[5, 3 * 8 : 4 * 8]
    assert len(set(double.tolist())) == 1
    assert colour(raster, 5, 2 * 8 + 7) == colour(raster, 5, 3 * 8) == 0xAAAAAA
    assert colour(raster, 15, 2) == colour(raster, 16, 2) == 0xAAAAAA


def test_underline_and_strike_are_lines_through_the_cell() -> None:
    raster = rasterise(picture_of("  ", looks={(0, 0): pack(2, 0, style.UNDERLINE), (0, 1): pack(3, 0, style.STRIKE)}))
    assert {colour(raster, 14, x) for x in range(8)} == {0x00AA00}
    assert {colour(raster, 7, x) for x in range(8, 16)} == {0xAA5500}
    assert colour(raster, 7, 0) == colour(raster, 14, 8) == 0x000000


def test_reverse_faint_and_conceal() -> None:
    looks = {
        (0, 0): pack(2, 4, style.REVERSE),
        (0, 1): pack(15, 0, style.FAINT),
        (0, 2): pack(2, 4, style.CONCEAL),
    }
    raster = rasterise(picture_of("AAA", looks=looks))
    assert cell(raster, 0, 0) == {0x00AA00, 0x0000AA}
    assert colour(raster, 0, 0) == 0x00AA00
    assert cell(raster, 0, 1) == {0xAAAAAA, 0x000000}
    assert cell(raster, 0, 2) == {0x0000AA}


def test_blink_is_a_bright_background_where_the_picture_says_so() -> None:
    looks = {(0, 0): pack(0, 1, style.BLINK)}
    assert cell(rasterise(picture_of(" ", looks=looks)), 0, 0) == {0xAA0000}
    assert cell(rasterise(picture_of(" ", looks=looks, bright_backgrounds=True)), 0, 0) == {0xFF5555}


def test_the_cursor_is_two_lines_at_the_foot_of_its_cell() -> None:
    raster = rasterise(picture_of("", looks={(1, 2): pack(11, 1)}, cursor=(1, 2)))
    top, left = 16, 16
    for y in range(16):
        wanted = 0xFFFF55 if y in {13, 14} else 0xAA0000
        assert {colour(raster, top + y, left + x) for x in range(8)} == {wanted}, y


def test_no_cursor_when_it_is_hidden_or_not_wanted() -> None:
    hidden = rasterise(picture_of(cursor_visible=False))
    unwanted = rasterise(picture_of(), cursor=False)
    assert is_black(hidden)
    assert is_black(unwanted)
    assert not is_black(rasterise(picture_of()))


def test_the_cursor_stands_out_even_on_concealed_text() -> None:
    raster = rasterise(picture_of(looks={(0, 0): pack(7, 7)}, cursor=(0, 0)))
    assert cell(raster, 0, 0) == {0xAAAAAA, 0x000000}


def test_the_cursor_under_a_wide_character_is_as_wide() -> None:
    raster = rasterise(picture_of(["漢", ""], cursor=(0, 0)))
    assert {colour(raster, 14, x) for x in range(16)} == {0xAAAAAA}
    assert colour(raster, 14, 16) == 0x000000


def test_a_cursor_outside_is_not_drawn() -> None:
    assert is_black(rasterise(picture_of(cursor=(7, 70))))


def test_scale_repeats_pixels() -> None:
    small = rasterise(picture_of("Az")).pixels
    large = rasterise(picture_of("Az"), scale=3).pixels
    assert large.shape == (3 * small.shape[0], 3 * small.shape[1])
    assert np.array_equal(large[1::3, 2::3], small)


def test_frames_can_share_colours() -> None:
    colours = Colours()
    first = rasterise(picture_of("█", looks={(0, 0): pack(1, 0)}), colours=colours)
    second = rasterise(picture_of("█", looks={(0, 0): pack(2, 0)}), colours=colours)
    assert second.colours[: len(first.colours)] == first.colours
    assert second.colours[second.pixels[0, 0]] == 0x00AA00


def test_any_number_of_colours() -> None:
    looks = tuple(
        tuple(pack(7, style.TRUE_COLOUR | row << 12 | column << 4) for column in range(80)) for row in range(24)
    )
    picture = Picture(80, 24, ((" ",) * 80,) * 24, looks, (0, 0), cursor_visible=False)
    raster = rasterise(picture)
    assert len(raster.colours) > 1900
    assert colour(raster, 23 * 16, 79 * 8) == 23 << 12 | 79 << 4
