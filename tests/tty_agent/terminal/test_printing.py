"""Characters onto the page: wraps, wide characters at the edge, marks."""

from __future__ import annotations

import msgspec
import pytest

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect, Encoding
from tty_agent.terminal.screen import Screen

BBS_UTF_8 = msgspec.structs.replace(ANSI_BBS, encoding=Encoding.UTF_8)


def lines_after(text: str, dialect: Dialect) -> list[str]:
    screen = Screen(20, 5, dialect)
    screen.feed(text.encode())
    return screen.lines()


@pytest.mark.parametrize("dialect", [BBS_UTF_8, XTERM], ids=["immediate", "pending"])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
        ("漢" * 11, ["漢" * 10, "漢"]),
        ("x" + "漢" * 10, ["x" + "漢" * 9, "漢"]),
        ("x" * 20 + "漢", ["x" * 20, "漢"]),
        ("\x1b[?7l" + "x" * 30 + "YZ", ["x" * 19 + "Z"]),
        ("\x1b[?7l" + "x" * 19 + "漢", ["x" * 18 + "漢"]),
        ("\x1b[?7l" + "x" * 20 + "漢", ["x" * 18 + "漢"]),
        ("x" * 19 + "é\u0301", ["x" * 19 + "é\u0301"]),
        ("漢\u0301x", ["漢\u0301x"]),
        ("a\u0301\u0302b", ["a\u0301\u0302b"]),
        ("ab\x1b[H\u0301", ["ab"]),
        ("a\xad\u0600b", ["a\xad\u0600b"]),
        ("\x1b[4h\x1b[20Gxy", [" " * 19 + "x", "y"]),
        ("ab\x1b[3b", ["abbbb"]),
        ("\x1b[3b", [""]),
        ("\x1b(0q\x1b(B\x1b[2b", ["───"]),
        ("\x1b[5;1H" + "x" * 21, ["", "", "", "x" * 20, "x"]),
    ],
)
def test_what_is_shown(dialect: Dialect, text: str, lines: list[str]) -> None:
    shown = lines_after(text, dialect)
    assert shown == lines + [""] * (5 - len(lines))


def test_rep_fills_the_screen_at_most() -> None:
    screen = Screen(20, 5, XTERM, scrollback_rows=100)
    screen.feed(b"x\x1b[100000000b")
    assert screen.text() == "\n".join(["x" * 20] * 4 + ["x"])
    assert len(screen.scrollback()) == 1


def test_a_block_longer_than_what_is_taken_at_once() -> None:
    data = "é漢x\r\n".encode() * 10_000
    whole, pieces = Screen(dialect=XTERM), Screen(dialect=XTERM)
    whole.feed(data)
    for at in range(0, len(data), 997):
        pieces.feed(data[at : at + 997])
    assert whole.picture() == pieces.picture()
    assert whole.offset == len(data)


def test_modes_are_told() -> None:
    screen = Screen(dialect=XTERM)
    screen.feed(b"\x1b[?1h\x1b[?2004h\x1b[?31337h\x1b[?7l")
    assert screen.modes == {1, 25, 2004}
    assert screen.dialect is XTERM
