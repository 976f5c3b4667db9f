"""What is answered, in both dialects; and that silence is an answer too."""

from __future__ import annotations

import pytest

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect
from tty_agent.terminal.events import Reply
from tty_agent.terminal.screen import Screen


def answers(dialect: Dialect, data: bytes) -> bytes:
    events = Screen(80, 24, dialect).feed(data)
    return b"".join(event.data for event in events if isinstance(event, Reply))


@pytest.mark.parametrize(
    ("query", "bbs", "xterm"),
    [
        (b"[5n", b"[0n", b"[0n"),
        (b"[6n", b"[1;1R", b"[1;1R"),
        (b"[?6n", b"", b"[?1;1R"),
        (b"[255n", b"[24;80R", b""),
        (b"[n", b"", b""),
        (b"[c", b"[=67;84;101;114;109;1;316c", b"[?62;22c"),
        (b"[0c", b"[=67;84;101;114;109;1;316c", b"[?62;22c"),
        (b"[1c", b"", b""),
        (b"[>c", b"", b"[>1;10;0c"),
        (b"[<c", b"[<0;2c", b""),
        (b"[=n", b"[=1;43;99;0;0;0;0n", b""),
        (b"[=1n", b"[=1;43;99;0;0;0;0n", b""),
        (b"[=2n", b"[=2;7;25n", b""),
        (b"[=3n", b"[=3;16;8n", b""),
        (b"[=4n", b"[=4;0n", b""),
        (b"[=5n", b"[=5;0n", b""),
        (b"[=6n", b"", b""),
        (b"[=4h\x1b[=4n", b"[=4;1n", b""),
        (b"[=5h\x1b[=5n", b"[=5;1n", b""),
        (b"[?25$p", b"", b"[?25;1$y"),
        (b"[?2004$p", b"", b"[?2004;2$y"),
        (b"[?1049h\x1b[?1049$p", b"", b"[?1049;1$y"),
        (b"[?9999$p", b"", b"[?9999;0$y"),
        (b"[4$p", b"", b"[4;2$y"),
        (b"[20h\x1b[20$p", b"", b"[20;1$y"),
        (b"[99$p", b"", b"[99;0$y"),
        (b"[14t", b"[4;384;640t", b"[4;384;640t"),
        (b"[16t", b"[6;16;8t", b"[6;16;8t"),
        (b"[18t", b"[8;24;80t", b"[8;24;80t"),
        (b"[19t", b"[9;24;80t", b"[9;24;80t"),
        (b"]0;rm -rf /\r\x07\x1b[21t", b"", b""),
        (b"[!_", b"", b""),
        (b"[>q", b"", b""),
        (b"P$qm\x1b\\", b"", b""),
    ],
)
def test_answers(query: bytes, bbs: bytes, xterm: bytes) -> None:
    for dialect, answer in ((ANSI_BBS, bbs), (XTERM, xterm)):
        assert answers(dialect, b"\x1b" + query) == (answer and b"\x1b" + answer), dialect.name


def test_the_cursor_is_told_within_the_margins_in_origin_mode() -> None:
    assert answers(ANSI_BBS, b"\x1b[5;9r\x1b[?6h\x1b[3;4H\x1b[6n") == b"\x1b[3;4R"


def test_the_last_column_is_told_while_the_wrap_is_pending() -> None:
    assert answers(ANSI_BBS, b"\x1b[=4h" + b"x" * 80 + b"\x1b[6n") == b"\x1b[1;80R"
