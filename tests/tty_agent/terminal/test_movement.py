"""Where the cursor goes: edges, margins, tab stops."""

from __future__ import annotations

import pytest

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect
from tty_agent.terminal.screen import Screen

BOTH = pytest.mark.parametrize("dialect", [ANSI_BBS, XTERM], ids=lambda dialect: dialect.name)


def cursor_after(data: bytes, dialect: Dialect = XTERM) -> tuple[int, int]:
    screen = Screen(40, 10, dialect)
    screen.feed(data)
    return screen.cursor


@BOTH
@pytest.mark.parametrize(
    ("data", "cursor"),
    [
        (b"\x1b[99A\x1b[99D", (0, 0)),
        (b"\x1b[99B\x1b[99C", (9, 39)),
        (b"\x1b[5;5H\x1b[A\x1b[D", (3, 3)),
        (b"\x1b[5;5H\x1b[0A\x1b[0C", (3, 5)),
        (b"\x1b[5;5H\x1b[2j\x1b[2k", (2, 2)),
        (b"\x1b[5;5H\x1b[2a\x1b[2e", (6, 6)),
        (b"\x1b[99;99H", (9, 39)),
        (b"\x1b[3;6r\x1b[4;1H\x1b[9A", (2, 0)),
        (b"\x1b[3;6r\x1b[4;1H\x1b[9B", (5, 0)),
        (b"\x1b[3;6r\x1b[9A", (0, 0)),
        (b"\x1b[3;6r\x1b[8;1H\x1b[9B", (9, 0)),
        (b"\x1b[3;6r\x1b[8;1H\x1b[r", (0, 0)),
        (b"\x1b[5;5H\x1b[6;3r", (4, 4)),
        (b"\x1b[5;5H\x1b[6;6r", (4, 4)),
        (b"\x1b[3;99r\x1b[?6h\x1b[9;9H", (9, 8)),
        (b"\x1b[3;6r\x1b[?6h", (2, 0)),
        (b"\x1b[3;6r\x1b[?6h\x1b[2d", (3, 0)),
        (b"\x1b[2I", (0, 16)),
        (b"\x1b[9I", (0, 39)),
        (b"\x1b[2Y", (0, 16)),
        (b"\x1b[1;20H\x1b[Z", (0, 16)),
        (b"\x1b[1;20H\x1b[9Z", (0, 0)),
        (b"\x1b[1;9H\x1b[g\r\t", (0, 16)),
        (b"\x1b[9 d\t", (0, 16)),
        (b"\x1b[4 d\t", (0, 8)),
        (b"\x1b[5;5H\x1bE", (5, 0)),
        (b"\x1b[5;5H\x1bD", (5, 4)),
        (b"\x1b[5;5H\x1bM", (3, 4)),
        (b"\x1b[5;5H\x1b7\x1b[H\x1b8", (4, 4)),
        (b"\x1b[20h\x1b[5;5H\n", (5, 0)),
        (b"\x1b[5;5H\x1b#8", (0, 0)),
    ],
)
def test_the_cursor(dialect: Dialect, data: bytes, cursor: tuple[int, int]) -> None:
    assert cursor_after(data, dialect) == cursor


def test_a_reverse_line_feed_at_the_top_of_the_margins_scrolls_them_alone() -> None:
    screen = Screen(40, 10, XTERM)
    screen.feed(b"a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[2;1H\x1bM")
    assert screen.lines()[:5] == ["a", "", "b", "d", ""]


def test_a_line_feed_below_the_margins_does_not_scroll() -> None:
    screen = Screen(40, 10, XTERM)
    screen.feed(b"a\x1b[2;3r\x1b[10;1Hfoot\n\n")
    assert screen.line(0) == "a"
    assert screen.line(9) == "foot"
