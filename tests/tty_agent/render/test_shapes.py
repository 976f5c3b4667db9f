"""Glyphs drawn by rule, against the block structure that Unicode gives them and the lines of the VGA font."""

from __future__ import annotations

import pytest

from tty_agent.render.font import bitmap, cp437_code
from tty_agent.render.shapes import CELL_HEIGHT, Bitmap, drawn, hollow_box

RISING, FALLING, CROSS = "\u2571", "\u2572", "\u2573"
VGA_HORIZONTAL = (0,) * 7 + (0xFF,) + (0,) * 8
VGA_VERTICAL = (0x18,) * 16


def must_draw(char: str) -> Bitmap:
    found = drawn(char)
    assert found is not None
    return found


def test_light_lines_are_where_the_vga_font_has_them() -> None:
    assert must_draw("─") == VGA_HORIZONTAL
    assert must_draw("│") == VGA_VERTICAL


def test_each_light_corner_and_tee_is_that_of_the_vga_font() -> None:
    pytest.importorskip("pyansilove")
    for char in "─│┌┐└┘├┤┬┴┼":
        assert cp437_code(char) is not None
        assert must_draw(char) == bitmap(char), char


def edges(shape: Bitmap) -> set[str]:
    """At which edges of the cell the shape leaves it."""
    found = {"up": shape[0], "down": shape[15]}
    left = any(row & 0x80 for row in shape)
    right = any(row & 0x01 for row in shape)
    return (
        {name for name, row in found.items() if row} | ({"left"} if left else set()) | ({"right"} if right else set())
    )


@pytest.mark.parametrize(
    ("char", "leaves"),
    [
        ("┏", {"down", "right"}),
        ("┑", {"down", "left"}),
        ("┛", {"up", "left"}),
        ("┞", {"up", "down", "right"}),
        ("╋", {"up", "down", "left", "right"}),
        ("╴", {"left"}),
        ("╿", {"up", "down"}),
        ("╭", {"down", "right"}),
        ("╮", {"down", "left"}),
        ("╯", {"up", "left"}),
        ("╰", {"up", "right"}),
    ],
)
def test_arms_reach_the_edges_that_the_name_says(char: str, leaves: set[str]) -> None:
    assert edges(must_draw(char)) == leaves


def test_an_arm_is_as_heavy_as_its_name_says() -> None:
    growing = must_draw("╽")  # light up and heavy down
    assert (growing[0], growing[15]) == (0x18, 0x3C)
    mixed = must_draw("┝")  # vertical light and right heavy
    assert [row & 0x01 for row in mixed].count(1) == 3
    assert mixed[0] == 0x18


def test_arcs_join_with_light_lines() -> None:
    for char in "╭╮╯╰":
        shape = must_draw(char)
        assert 0x18 in (shape[0], shape[15])
        assert shape[7] & 0x81


def test_dashes_are_lines_with_gaps() -> None:
    whole = must_draw("━")
    dashed = must_draw("┅")
    assert 0 < dashed[7] < whole[7]
    assert [bool(row) for row in must_draw("┆")].count(False) == 3


def test_double_lines_are_left_to_the_font() -> None:
    assert drawn("╬") is None
    assert drawn("A") is None


def test_every_character_of_box_drawing_has_a_shape_here_or_in_the_font() -> None:
    for code in range(0x2500, 0x2580):
        assert drawn(chr(code)) is not None or cp437_code(chr(code)) is not None, hex(code)


def pixels(shape: Bitmap) -> int:
    return sum(row.bit_count() for row in shape)


def test_eighths_grow_by_an_eighth() -> None:
    assert [pixels(must_draw(chr(code))) for code in range(0x2581, 0x2589)] == [16 * n for n in range(1, 9)]
    assert [pixels(must_draw(chr(code))) for code in range(0x258F, 0x2588, -1)] == [16 * n for n in range(1, 8)]


def test_halves_and_quadrants() -> None:
    assert must_draw("▀") == (0xFF,) * 8 + (0,) * 8
    assert must_draw("▐") == (0x0F,) * 16
    assert must_draw("▘") == (0xF0,) * 8 + (0,) * 8
    assert must_draw("▗") == (0,) * 8 + (0x0F,) * 8
    assert must_draw("▞") == (0x0F,) * 8 + (0xF0,) * 8
    assert must_draw("▙") == (0xF0,) * 8 + (0xFF,) * 8


def test_sextants_count_their_blocks_in_binary() -> None:
    upper_left = must_draw("\U0001fb00")
    assert upper_left == (0xF0,) * 5 + (0,) * 11
    all_but_upper_left = must_draw("\U0001fb3b")
    assert all_but_upper_left == (0x0F,) * 5 + (0xFF,) * 11
    shapes = {drawn(chr(code)) for code in range(0x1FB00, 0x1FB3C)}
    halves = {(0xF0,) * CELL_HEIGHT, (0x0F,) * CELL_HEIGHT}
    assert len(shapes) == 60
    assert not shapes & halves


def test_braille_has_four_pixels_a_dot() -> None:
    for code in range(0x2800, 0x2900):
        assert pixels(must_draw(chr(code))) == 4 * (code & 0xFF).bit_count()
    assert must_draw("⠁")[1] == 0x60
    assert must_draw("⢀")[14] == 0x06


def test_scan_lines_are_one_row_each() -> None:
    assert [next(y for y, row in enumerate(must_draw(char)) if row) for char in "⎺⎻⎼⎽"] == [0, 3, 11, 15]


def test_diagonals_go_from_corner_to_corner() -> None:
    assert (must_draw(FALLING)[0], must_draw(FALLING)[15]) == (0x80, 0x01)
    assert (must_draw(RISING)[0], must_draw(RISING)[15]) == (0x01, 0x80)
    assert must_draw(CROSS)[0] == 0x81


def test_the_box_for_the_unknown_is_an_outline() -> None:
    for cells in (1, 2):
        box = hollow_box(cells)
        assert len(box) == CELL_HEIGHT
        assert box[2] == box[13]
        assert box[7].bit_count() == 2
        assert box[0] == 0
