"""Bytes to characters."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.terminal.charset import CP437_GLYPHS, LINE_DRAWING, Decoder, encoded_length
from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Encoding
from tty_agent.terminal.widths import cells


def test_the_256_glyphs_are_distinct_and_one_cell_wide() -> None:
    assert len(CP437_GLYPHS) == 256
    assert len(set(CP437_GLYPHS)) == 255  # 0x00 and 0x20 are both blank
    assert CP437_GLYPHS[0x20:0x7F] == bytes(range(0x20, 0x7F)).decode("ascii")
    assert CP437_GLYPHS[0x80:] == bytes(range(0x80, 0x100)).decode("cp437")
    assert all(cells(glyph) == 1 for glyph in CP437_GLYPHS)


def test_every_byte_of_the_bbs_dialect_is_one_character() -> None:
    text = Decoder(ANSI_BBS).decode(bytes(range(256)))
    functions = "\x00\x07\x08\x09\x0a\x0c\x0d\x1b"
    for byte, char in enumerate(text):
        assert char == (chr(byte) if chr(byte) in functions else CP437_GLYPHS[byte])


def test_cp437_without_control_glyphs() -> None:
    dialect = msgspec.structs.replace(ANSI_BBS, control_glyphs=False)
    assert Decoder(dialect).decode(bytes(range(256))) == bytes(range(256)).decode("cp437")


def test_control_glyphs_in_utf_8() -> None:
    dialect = msgspec.structs.replace(ANSI_BBS, encoding=Encoding.UTF_8)
    assert Decoder(dialect).decode(b"\x01\x0b\x7f\r\n\x1b" + "é".encode()) == "☺♂⌂\r\n\x1bé"


def test_utf_8_in_pieces() -> None:
    decoder = Decoder(XTERM)
    assert [decoder.decode(bytes((byte,))) for byte in "h漢".encode()] == ["h", "", "", "漢"]
    assert decoder.decode(b"\xe6") == ""
    assert decoder.rest == b"\xe6"
    assert decoder.decode(b"x") == "\udce6x"
    assert decoder.rest == b""


@given(st.lists(st.binary(max_size=8), max_size=8))
def test_no_byte_is_lost_or_counted_twice(pieces: list[bytes]) -> None:
    decoder = Decoder(XTERM)
    text = "".join(map(decoder.decode, pieces))
    assert text.encode("utf-8", "surrogateescape") + decoder.rest == b"".join(pieces)
    assert encoded_length(text) + len(decoder.rest) == sum(map(len, pieces))
    assert len(decoder.rest) <= 3


@pytest.mark.parametrize(("letter", "drawn"), [("q", "─"), ("x", "│"), ("l", "┌"), ("a", "▒"), ("`", "◆"), ("~", "·")])
def test_line_drawing(letter: str, drawn: str) -> None:
    assert letter.translate(LINE_DRAWING) == drawn


def test_line_drawing_leaves_capitals_alone_and_is_one_cell_wide() -> None:
    assert "ABC 123".translate(LINE_DRAWING) == "ABC 123"
    assert all(cells(drawn) == 1 for drawn in LINE_DRAWING.values())
