"""Which character a byte is: CP437 with its glyphs, UTF-8 in pieces, and the line-drawing set."""

from __future__ import annotations

import codecs
from typing import Final

from tty_agent.terminal.dialect import Dialect, Encoding

REPLACEMENT: Final = "\ufffd"

_LOW_GLYPHS: Final = " ☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼"
_HOUSE: Final = "⌂"
_FUNCTIONS: Final = frozenset(b"\x00\x07\x08\x09\x0a\x0c\x0d\x1b")
"""Control characters that act on every terminal; the others have glyphs in a dialect that shows them."""

_HIGH: Final = bytes(range(0x80, 0x100)).decode("cp437")
_ASCII: Final = "".join(map(chr, range(0x80)))

CP437_GLYPHS: Final = _LOW_GLYPHS + _ASCII[0x20:0x7F] + _HOUSE + _HIGH
"""The 256 glyphs of the VGA font, as Unicode, by byte; 0x00 is a blank."""

_CP437: Final = _ASCII + _HIGH
_CP437_SHOWING: Final = "".join(char if byte in _FUNCTIONS else CP437_GLYPHS[byte] for byte, char in enumerate(_CP437))
_SHOWN: Final = {byte: CP437_GLYPHS[byte] for byte in (*range(0x20), 0x7F) if byte not in _FUNCTIONS}

LINE_DRAWING: Final = dict(zip(range(0x5F, 0x7F), "\u00a0◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·", strict=True))
"""DEC's special graphics, which ESC ( 0 selects, by code point of the letter it takes the place of."""


class Decoder:
    """Bytes to characters, as they arrive. A byte that is no part of a character becomes a lone surrogate
    (PEP 383), so that the bytes can be counted afterwards; `REPLACEMENT` is what it is shown as."""

    __slots__ = ("_shown", "_table", "rest")

    def __init__(self, dialect: Dialect) -> None:
        self.rest = b""
        """The beginning of a character whose other bytes have not arrived; at most 3 bytes."""
        self._table: str | None = None
        self._shown = _SHOWN if dialect.control_glyphs else None
        if dialect.encoding is Encoding.CP437:
            self._table = _CP437_SHOWING if dialect.control_glyphs else _CP437

    @property
    def one_byte(self) -> bool:
        """Every byte is one character."""
        return self._table is not None

    def decode(self, data: bytes) -> str:
        """The characters that are whole now. Control characters that act come out as themselves."""
        if self._table is not None:
            return codecs.charmap_decode(data, "strict", self._table)[0]
        if self.rest:
            data = self.rest + data
        text, used = codecs.utf_8_decode(data, "surrogateescape", False)  # noqa: FBT003 - takes no keywords
        self.rest = data[used:]
        return text if self._shown is None else text.translate(self._shown)


def encoded_length(text: str) -> int:
    """How many bytes of UTF-8 `text`, as it came from a `Decoder`, was."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
