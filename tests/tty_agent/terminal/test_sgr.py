"""Select Graphic Rendition: every parameter, and every way to spell a colour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.terminal.parser import MAX_REMEMBERED
from tty_agent.terminal.sgr import CHANGES, change_for, rgb_change
from tty_agent.terminal.style import (
    BLINK,
    BOLD,
    CONCEAL,
    DEFAULT,
    FAINT,
    FLAGS,
    ITALIC,
    PLAIN,
    REVERSE,
    STRIKE,
    TRUE_COLOUR,
    UNDERLINE,
    background,
    foreground,
    pack,
)

FULL = pack(0x1ABCDEF, 0x1FEDCBA, FLAGS)


def after(parameters: str, attributes: int = PLAIN) -> int:
    keep, put = change_for(parameters)
    return attributes & keep | put


@pytest.mark.parametrize(
    ("parameters", "flags"),
    [
        ("1", BOLD), ("2", FAINT), ("3", ITALIC), ("4", UNDERLINE), ("4:3", UNDERLINE), ("21", UNDERLINE),
        ("5", BLINK), ("6", BLINK), ("7", REVERSE), ("8", CONCEAL), ("9", STRIKE), ("1;2", FAINT),
        ("2;1", FAINT | BOLD), ("1;3;9", BOLD | ITALIC | STRIKE), ("", 0), ("99", 0), ("10;11", 0), ("1;;3", ITALIC),
    ],
)  # fmt: skip
def test_flags_are_set(parameters: str, flags: int) -> None:
    assert after(parameters) == flags


@pytest.mark.parametrize(
    ("parameters", "gone"),
    [
        ("22", BOLD | FAINT), ("23", ITALIC), ("24", UNDERLINE), ("4:0", UNDERLINE), ("25", BLINK), ("27", REVERSE),
        ("28", CONCEAL), ("29", STRIKE),
    ],
)  # fmt: skip
def test_flags_are_taken_away_and_nothing_else_is(parameters: str, gone: int) -> None:
    assert after(parameters, FULL) == FULL & ~gone


@pytest.mark.parametrize(
    ("parameters", "colour"),
    [
        *((str(30 + index), index) for index in range(8)),
        *((str(90 + index), 8 + index) for index in range(8)),
        ("38;5;208", 208), ("38:5:208", 208), ("38;2;1;2;3", TRUE_COLOUR | 0x010203),
        ("38:2::1:2:3", TRUE_COLOUR | 0x010203), ("38:2:1:2:3", TRUE_COLOUR | 0x010203),
        ("38:2:9:1:2:3:0:0", TRUE_COLOUR | 0x010203), ("38;2;255;255;255", TRUE_COLOUR | 0xFFFFFF),
        ("38;5;0", 0), ("39", DEFAULT),
    ],
)  # fmt: skip
def test_a_foreground_and_the_background_of_the_same_spelling(parameters: str, colour: int) -> None:
    assert foreground(after(parameters)) == colour
    behind = str(int(parameters[:2]) + 10) + parameters[2:]
    assert background(after(behind)) == colour
    assert foreground(after(behind, FULL)) == foreground(FULL)
    assert background(after(parameters, FULL)) == background(FULL)


@pytest.mark.parametrize(
    "parameters",
    ["38", "38;5", "38;2;1;2", "38;5;256", "38;2;1;2;256", "38:2", "38:5:999", "38;9", "58;5;9", "58:2::1:2:3"],
)  # fmt: skip
def test_a_colour_that_is_none_changes_nothing(parameters: str) -> None:
    assert after(parameters, FULL) == FULL


def test_what_belongs_to_a_colour_is_not_read_as_parameters() -> None:
    assert after("38;5;1;4") == pack(1, DEFAULT, UNDERLINE)
    assert after("58;2;1;5;7;4") == UNDERLINE
    assert after("58;5;7;4") == UNDERLINE
    assert after("38;2;1;5;7;48;5;4") == pack(TRUE_COLOUR | 0x010507, 4)


def test_true_colour_of_cterm() -> None:
    for which, of in ((0, background), (1, foreground)):
        keep, put = rgb_change(which, 1, 2, 3)
        assert of(PLAIN & keep | put) == TRUE_COLOUR | 0x010203
    assert rgb_change(2, 1, 2, 3) == rgb_change(0, 1, 2, 256) == (-1, 0)


@given(
    st.lists(st.sampled_from(["0", "1", "22", "31", "48;5;9", "7", "38:2::1:2:3", "49", ""]), min_size=1, max_size=8)
)
def test_a_list_is_what_its_parts_are_one_after_the_other(parts: list[str]) -> None:
    apart = FULL
    for part in parts:
        apart = after(part, apart)
    assert after(";".join(parts), FULL) == apart


@given(st.text("0123456789;:", max_size=60))
def test_any_parameters(parameters: str) -> None:
    attributes = after(parameters)
    assert attributes >= 0
    for colour in (foreground(attributes), background(attributes)):
        assert DEFAULT <= colour <= 0xFF or TRUE_COLOUR <= colour <= TRUE_COLOUR | 0xFFFFFF


def test_what_is_remembered_is_bounded() -> None:
    for number in range(MAX_REMEMBERED + 100):
        change_for(f"38;2;1;{number >> 8};{number & 0xFF}")
    assert len(CHANGES) <= MAX_REMEMBERED
