"""Characters between a door and its caller, byte by byte as they come: CP437 and UTF-8, and the keys typed. Pure.

Escape sequences are ASCII in both and pass as they are, however they are cut. A door of CP437 counts on a terminal of
its time, so for a UTF-8 terminal a few habits are spelled out: the control characters that are glyphs (a smiley, an
arrow) become these, a form feed and `CSI 2 J` clear the screen and home the cursor.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from enum import Enum, auto
from functools import lru_cache
from typing import Final, Protocol

from tty_agent.terminal.charset import CP437_GLYPHS
from tty_agent.terminal.dialect import Encoding
from tty_agent.terminal.widths import cells

ESC: Final = 0x1B
_ACTING: Final = frozenset(b"\x00\x07\x08\x09\x0a\x0c\x0d\x1b")
"""Control characters that do something on a BBS caller's terminal; the others are glyphs."""
_CLEAR: Final = b"\x1b[2J\x1b[H"
_MAX_PARAMETERS: Final = 16
"""Bytes of a CSI sequence that are remembered, to know `2J`; the rest pass unremembered."""

_GLYPH_TABLE: Final = "".join(
    chr(code) if code in _ACTING or 0x20 <= code < 0x7F else CP437_GLYPHS[code] for code in range(256)
)
_GLYPHS: Final = [char.encode() for char in _GLYPH_TABLE]
_PIECE: Final = re.compile(rb"(?P<text>[^\x0c\x1b]+)|\x1b\[[0-?]*[@-IK-~]")
"""What passes at once: text, in which a character is no more than a character, and whole sequences but `J`."""
_BYTES: Final = {CP437_GLYPHS[code]: bytes([code]) for code in range(0x80, 0x100)}
_NEAREST: Final = {
    char: near
    for chars, nears in (
        ("\u2018\u2019\u201a\u201b\u2032", "'''''"),
        ("\u201c\u201d\u201e\u201f\u2033", '"""""'),
        ("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-------"),
        ("•\u2023∙", "···"),
        ("━┃┏┓┗┛┣┫┳┻╋╭╮╰╯", "─│┌┐└┘├┤┬┴┼┌┐└┘"),
        ("↑↓→←▲▼►◄▶◀", "^v><^v><><"),
        ("✓✗\u00d7●○◆★☆☺☻♥♦♣♠", "√xxOo+**@@*+%&"),
    )
    for char, near in zip(chars, nears, strict=True)
}
"""One character for one character, so that columns stay. The glyphs of CP437 below 0x20 are not used: these bytes are
control characters on the wire."""


_RESTORED: Final = {
    Encoding.CP437: b"\x1b[0m\x1b[?25h",
    # ends a string; leaves the other screen; keys, mouse and pasting; insertion; margins; letters; wrapping and cursor
    Encoding.UTF_8: b"\x1b\\\x1b[?1047l\x1b[?1l\x1b>\x1b[?1000;1002;1003;1006;2004l\x1b[4l\x1b7\x1b[r\x1b8\x1b(B\x0f"
    b"\x1b[?7;25h\x1b[0m",
}


def restored(caller: Encoding) -> bytes:
    """What brings a caller's ANSI terminal back from whatever a door left it in. The text stays, and the cursor."""
    return _RESTORED[caller]


class Transcoder(Protocol):
    """One direction of one stay."""

    def feed(self, data: bytes) -> bytes:
        """What these bytes are on the other side; the rest of a character that is cut waits for the next call."""
        ...


def for_caller(door: Encoding, caller: Encoding) -> Transcoder:
    """What the door puts out, for the caller's terminal."""
    if door is caller:
        return Unchanged()
    return GlyphsToUtf8() if door is Encoding.CP437 else Utf8ToCp437()


def for_door(door: Encoding, caller: Encoding) -> Transcoder:
    """What the caller types, for the door."""
    if door is caller:
        return Unchanged()
    return Utf8ToCp437() if door is Encoding.CP437 else Cp437ToUtf8()


class Unchanged:
    """Both sides speak the same: every byte passes."""

    def feed(self, data: bytes) -> bytes:
        """As the contract says."""
        return data


class Cp437ToUtf8:
    """Typed text: the letters of the upper half; all below 0x80 passes."""

    def feed(self, data: bytes) -> bytes:
        """As the contract says."""
        return data if data.isascii() else data.decode("cp437").encode()


class _State(Enum):
    GROUND = auto()
    ESCAPE = auto()
    """After ESC and bytes between."""
    SEQUENCE = auto()
    """After CSI."""
    STRING = auto()
    """In a title or another string, up to BEL or ESC."""


class GlyphsToUtf8:
    """A screen of CP437, for a terminal of UTF-8."""

    def __init__(self) -> None:
        self._state = _State.GROUND
        self._parameters = bytearray()

    def feed(self, data: bytes) -> bytes:
        """As the contract says."""
        pieces: list[bytes] = []
        at = 0
        while at < len(data):
            piece = _PIECE.match(data, at) if self._state is _State.GROUND else None
            if piece is None:
                pieces.append(self._byte(data[at]))
                at += 1
            else:
                at = piece.end()
                if piece["text"] is None:
                    pieces.append(piece[0])
                else:
                    pieces.append(codecs.charmap_decode(piece[0], "strict", _GLYPH_TABLE)[0].encode())
        return b"".join(pieces)

    def _byte(self, byte: int) -> bytes:
        if byte == ESC:
            self._state = _State.ESCAPE
            return b"\x1b"
        if self._state is _State.ESCAPE:
            return self._escaped(byte)
        if self._state is _State.SEQUENCE:
            return self._in_sequence(byte)
        if self._state is _State.STRING:
            if byte == 0x07:
                self._state = _State.GROUND
            return _GLYPHS[byte] if byte >= 0x80 else bytes([byte])
        return _CLEAR if byte == 0x0C else _GLYPHS[byte]

    def _escaped(self, byte: int) -> bytes:
        if byte in b"[":
            self._state = _State.SEQUENCE
            self._parameters.clear()
        elif byte in b"]P_^X":
            self._state = _State.STRING
        elif not 0x20 <= byte < 0x30:  # those are followed by more
            self._state = _State.GROUND
        return _GLYPHS[byte]

    def _in_sequence(self, byte: int) -> bytes:
        if 0x20 <= byte < 0x40:
            if len(self._parameters) < _MAX_PARAMETERS:
                self._parameters.append(byte)
            return bytes([byte])
        if byte in _ACTING:  # acts in the middle of it
            return bytes([byte])
        self._state = _State.GROUND
        if byte == ord("J") and self._parameters == b"2":
            return b"J\x1b[H"
        return _GLYPHS[byte]


class Utf8ToCp437:
    """Text of UTF-8, for a screen or a door of CP437. What it has no character for becomes the nearest, or `?`."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> bytes:
        """As the contract says."""
        text = self._decoder.decode(data)
        return text.encode() if text.isascii() else b"".join(map(_in_cp437, text))


@lru_cache(maxsize=4096)
def _in_cp437(char: str) -> bytes:
    """`char` in as many bytes as it takes cells."""
    if char.isascii():
        return char.encode()
    if char in _BYTES:
        return _BYTES[char]
    near = _NEAREST.get(char)
    if near is not None:
        return _in_cp437(near)
    width = max(cells(char), 0)
    plain = [part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part)]
    if len(plain) == width == 1 and (plain[0] in _BYTES or (plain[0].isascii() and plain[0].isprintable())):
        return _in_cp437(plain[0])
    return b"?" * width


class Keystrokes:
    """What a caller types, as a door expects it: CR, CR LF, CR NUL and LF are each one CR, and other NULs, which some
    lines pad with, are dropped. All else, 0xFF too, passes."""

    def __init__(self) -> None:
        self._after_cr = False

    def feed(self, data: bytes) -> bytes:
        """As a `Transcoder`."""
        if not self._after_cr and not _ENTERS.intersection(data):
            return data
        typed = bytearray()
        for byte in data:
            if byte == 0x0D or (byte == 0x0A and not self._after_cr):
                typed.append(0x0D)
            elif byte not in _ENTERS:
                typed.append(byte)
            self._after_cr = byte == 0x0D
        return bytes(typed)


_ENTERS: Final = frozenset(b"\x00\x0a\x0d")
