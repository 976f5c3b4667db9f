"""The array of glyphs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tty_agent.render import glyphs
from tty_agent.render.font import bitmap
from tty_agent.render.glyphs import Atlas

np = pytest.importorskip("numpy")
pytest.importorskip("pyansilove")


def rows_of(mask: object) -> tuple[int, ...]:
    """A glyph's pixels as the font has them."""
    return tuple(int("".join("1" if pixel else "0" for pixel in row), 2) for row in mask)  # type: ignore[attr-defined]


def test_each_cell_is_its_glyph() -> None:
    masks = Atlas().masks([["A", "b"], ["░", " "]])
    assert masks.shape == (2, 2, 16, 8)
    assert rows_of(masks[0, 0]) == bitmap("A")
    assert rows_of(masks[1, 0]) == bitmap("░")
    assert not masks[1, 1].any()


def test_a_wide_character_takes_two_cells() -> None:
    left, right = Atlas().masks([["漢", ""]])[0]
    whole = bitmap("漢", 2)
    assert rows_of(left) == tuple(row >> 8 for row in whole)
    assert rows_of(right) == tuple(row & 0xFF for row in whole)


def test_a_right_half_without_a_left_one_is_blank() -> None:
    assert not Atlas().masks([["", "x"]])[0, 0].any()


def test_it_grows_and_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glyphs, "MAX_GLYPHS", 600)
    atlas = Atlas()
    for start in (0x2500, 0x2800, 0x2880, 0x2500, 0x80, 0x2800):
        row = [chr(code) for code in range(start, start + 128)]
        masks = atlas.masks([row])
        assert rows_of(masks[0, 5]) == bitmap(row[5])
        assert rows_of(masks[0, 127]) == bitmap(row[127])
    assert rows_of(atlas.masks([["⠁"]])[0, 0]) == bitmap("⠁")


def test_threads_draw_the_same() -> None:
    atlas = Atlas()
    rows = [[chr(code) for code in range(start, start + 40)] for start in range(0x20, 0x20 + 8 * 40, 40)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: atlas.masks([row]), rows))
    for row, masks in zip(rows, found, strict=True):
        assert np.array_equal(masks, Atlas().masks([row]))
