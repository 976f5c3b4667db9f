"""How many cells a character takes."""

from __future__ import annotations

import sys

import pytest
from wcwidth import wcwidth

from tty_agent.terminal.widths import NARROW_RUN, cells


def test_the_narrow_ranges_hold_nothing_else() -> None:
    narrow = [char for char in map(chr, range(sys.maxunicode + 1)) if NARROW_RUN.fullmatch(char)]
    assert len(narrow) > 1500
    assert all(wcwidth(char) == 1 for char in narrow)


@pytest.mark.parametrize(
    ("char", "width"),
    [("a", 1), ("é", 1), ("漢", 2), ("😀", 2), ("한", 2), ("\u0301", 0), ("\ufe0f", 0), ("\ufeff", -1), ("\u200b", -1),
     ("\u202e", -1), ("\u2028", -1), ("\x85", -1), ("█", 1), ("\ufffd", 1)],
)  # fmt: skip
def test_cells(char: str, width: int) -> None:
    assert cells(char) == width
