"""A stream as plain text."""

from __future__ import annotations

import pytest

from tty_agent.terminal.dialect import ANSI_BBS, XTERM
from tty_agent.terminal.plain import PlainText, plain_text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x1b(B\x1b7A\x1b8\x1b=B\x1b>\x1bcC", "ABC"),
        (b"\x1b[1;31mred\x1b[0m plain", "red plain"),
        (b"one\r\ntwo\nthree\rfour", "one\ntwo\nthree\nfour"),
        (b"a\r\n\r\nb", "a\n\nb"),
        (b"a\n\nb", "a\n\nb"),
        (b"\x1b[5;10HName:\x1b[6;10HAge:", "Name:\nAge:"),
        (b"a\x1b[2J\x1b[H\x0cb", "a\nb"),
        (b"a\x1b[3Cb\x1b[Cc", "a   b c"),
        (b"\x1b]0;title\x07a\x1bPdcs\x1b\\b\x1b_apc\x1b\\c", "abc"),
        (b"a\tb\x07c\x08d", "a\tbcd"),
        (b"\x1b[6n\x1b[?25h\x1b[=255h\x1b[!_x", "x"),
        (b"Name: \x1b[s\x1b[u\x1b[Kx", "Name: x"),
        (b"", ""),
    ],
)
def test_what_is_left(data: bytes, text: str) -> None:
    assert plain_text(data, XTERM) == text


def test_the_bbs_dialect() -> None:
    assert plain_text(b"\x01 hi \xb0\xdb\x00", ANSI_BBS) == "☺ hi ░█"
    assert plain_text(b"A\x1b[|T120CDE\x0eB\x1b[NCDE\x0eC", ANSI_BBS) == "ABC"
    assert plain_text(b"\x1b[=2MA\x1b[MFT120CDE\x0eB", ANSI_BBS) == "AB"
    assert plain_text(b"A\x1b[MB", ANSI_BBS) == "AB"


def test_a_piece_goes_on_where_the_last_one_stopped() -> None:
    plain = PlainText(XTERM, 100)
    assert [plain.feed(piece) for piece in (b"a\x1b[3", b"1mb\xc3", b"\xa9\r", b"\nc")] == ["a", "b", "é\n", "c"]


def test_no_more_than_asked_for_and_the_newest_of_it() -> None:
    assert PlainText(XTERM, 4).feed(b"0123456789") == "6789"
    assert PlainText(XTERM, 0).feed(b"0123456789") == ""


def test_bytes_that_are_no_characters_can_be_encoded_again() -> None:
    assert plain_text(b"a\xff\xfeb\xef\xbb\xbfc", XTERM) == "a\ufffd\ufffdbc"
