"""Control characters by name."""

from __future__ import annotations

import pytest

from tty_agent.render.control_markers import control_markers, marked
from tty_agent.terminal.dialect import ANSI_BBS, XTERM


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b[2Jhello\r\n", "<ESC>[2Jhello<CR><LF>"),
        (b"\x00\x07\x08\t\x0c\x7f", "<NUL><BEL><BS><TAB><FF><DEL>"),
        (b"\xdb\xb0", "█░"),
    ],
)
def test_bytes_of_a_bbs(data: bytes, text: str) -> None:
    assert control_markers(data, ANSI_BBS) == text


def test_bytes_of_a_unix_terminal() -> None:
    assert control_markers("é\u202e".encode() + b"\xff", XTERM) == "é\\u202e\ufffd"


def test_every_control_character_has_a_name() -> None:
    assert not [char for char in marked("".join(map(chr, [*range(32), 127]))) if not char.isprintable()]
