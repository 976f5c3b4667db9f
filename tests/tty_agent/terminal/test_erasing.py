"""Erase, insert, delete: what goes, what stays, and no half of a wide character."""

from __future__ import annotations

import pytest

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect
from tty_agent.terminal.screen import Screen
from tty_agent.terminal.style import BOLD, pack

BOTH = pytest.mark.parametrize("dialect", [ANSI_BBS, XTERM], ids=lambda dialect: dialect.name)


@BOTH
@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"abcdef\x1b[3G\x1b[K", ["ab", "middle", "last"]),
        (b"abcdef\x1b[3G\x1b[1K", ["   def", "middle", "last"]),
        (b"abcdef\x1b[3G\x1b[2K", ["", "middle", "last"]),
        (b"abcdef\x1b[3G\x1b[9K", ["abcdef", "middle", "last"]),
        (b"abcdef\x1b[2;3H\x1b[J", ["abcdef", "mi", ""]),
        (b"abcdef\x1b[2;3H\x1b[1J", ["", "   dle", "last"]),
        (b"abcdef\x1b[3G\x1b[2P", ["abef", "middle", "last"]),
        (b"abcdef\x1b[3G\x1b[99P", ["ab", "middle", "last"]),
        (b"abcdef\x1b[3G\x1b[2@", ["ab  cdef", "middle", "last"]),
        (b"abcdef\x1b[3G\x1b[99@", ["ab", "middle", "last"]),
        (b"abcdef\x1b[3G\x1b[2X", ["ab  ef", "middle", "last"]),
        (b"abcdef\x1b[3G\x1b[99X", ["ab", "middle", "last"]),
        (b"abcdef\x1b[L", ["", "abcdef", "middle"]),
        (b"abcdef\x1b[99L", ["", "", ""]),
        (b"abcdef\x1b[M", ["middle", "last", ""]),
        (b"abcdef\x1b[4;6r\x1b[L\x1b[M", ["abcdef", "middle", "last"]),
        (b"abcdef\x1b[2S", ["last", "", ""]),
        (b"abcdef\x1b[T", ["", "abcdef", "middle"]),
        (b"abcdef\x1b[1;2;3;4;5T", ["abcdef", "middle", "last"]),
        (b"abcdef\x1b[2 @", ["cdef", "ddle", "st"]),
        (b"abcdef\x1b[2 A", ["  abcdef", "  middle", "  last"]),
    ],
)
def test_what_is_left(dialect: Dialect, data: bytes, lines: list[str]) -> None:
    screen = Screen(40, 10, dialect)
    screen.feed(b"\r\nmiddle\r\nlast\x1b[H" + data)
    assert screen.lines()[:3] == lines
    assert all(len(screen.row_characters(row)) == 40 for row in range(10))


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("漢字\x1b[2G\x1b[X", "  字"),
        ("漢字x\x1b[3G\x1b[1K", "    x"),
        ("漢字\x1b[2G\x1b[1K", "  字"),
        ("漢字\x1b[2G\x1b[P", " 字"),
        ("漢字\x1b[2G\x1b[@", "   字"),
        ("漢字\x1b[2Gx", " x字"),
        ("漢字\x1b[2G한", " 한"),
        ("a漢字\x1b[1G\x1b[4h한", "한a漢字"),
        ("漢字\x1b[1G\x1b[4hab", "ab漢字"),
    ],
)
def test_no_half_of_a_wide_character_stays(data: str, shown: str) -> None:
    screen = Screen(40, 10, XTERM)
    screen.feed(data.encode())
    assert screen.line(0) == shown
    cells = screen.row_characters(0)
    assert len(cells) == 40
    for column, cell in enumerate(cells):
        assert (cell == "") == (column > 0 and cells[column - 1] in {"漢", "字", "한"})


def test_a_bbs_fills_with_all_attributes_and_xterm_with_the_background() -> None:
    for dialect, filled in ((ANSI_BBS, pack(3, 4, BOLD)), (XTERM, pack(background=4))):
        screen = Screen(40, 10, dialect)
        screen.feed(b"\x1b[1;33;44m\x1b[2J")
        assert set(screen.row_attributes(5)) == {filled}
