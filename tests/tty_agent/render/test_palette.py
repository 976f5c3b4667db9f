"""Colours as they are seen."""

from __future__ import annotations

import pytest

from tty_agent.render.palette import XTERM_256, channels, chosen, contrasting, css, rgb, seen
from tty_agent.terminal import style
from tty_agent.terminal.style import pack


def test_dark_yellow_is_brown() -> None:
    assert channels(rgb(3)) == (170, 85, 0)
    assert css(rgb(11)) == "#ffff55"


def test_the_cube_and_the_greys_are_those_of_xterm() -> None:
    assert len(XTERM_256) == 256
    assert (rgb(16), rgb(21), rgb(208), rgb(231)) == (0x000000, 0x0000FF, 0xFF8700, 0xFFFFFF)
    assert (rgb(232), rgb(255)) == (0x080808, 0xEEEEEE)


def test_true_colour_is_itself() -> None:
    assert rgb(style.TRUE_COLOUR | 0x123456) == 0x123456


@pytest.mark.parametrize(
    ("attributes", "front", "back"),
    [
        (style.PLAIN, 0xAAAAAA, 0x000000),
        (style.BOLD, 0xFFFFFF, 0x000000),
        (pack(1, 4, style.BOLD), 0xFF5555, 0x0000AA),
        (pack(9, 4, style.BOLD), 0xFF5555, 0x0000AA),
        (pack(208, 4, style.BOLD), 0xFF8700, 0x0000AA),
        (pack(2, 5, style.REVERSE), 0xAA00AA, 0x00AA00),
        (style.BOLD | style.REVERSE, 0x000000, 0xFFFFFF),
        (pack(15, 0, style.FAINT), 0xAAAAAA, 0x000000),
        (pack(2, 4, style.CONCEAL), 0x0000AA, 0x0000AA),
        (pack(2, 4, style.BLINK), 0x00AA00, 0x0000AA),
    ],
)
def test_flags_that_are_a_matter_of_colour(attributes: int, front: int, back: int) -> None:
    assert seen(attributes) == (front, back)


def test_blink_is_a_bright_background_with_ice_colours_only() -> None:
    blinking = pack(7, 4, style.BLINK)
    assert seen(blinking, bright_backgrounds=True) == (0xAAAAAA, 0x5555FF)
    assert seen(style.BLINK, bright_backgrounds=True)[1] == 0x555555
    assert chosen(blinking, bright_backgrounds=False) == (7, 4)


def test_black_or_white_whichever_stands_out() -> None:
    assert contrasting(0xFFFF55) == 0x000000
    assert contrasting(0x0000AA) == 0xFFFFFF
