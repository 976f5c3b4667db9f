"""What a caller presses: bytes to keys, however the line cuts them. Pure.

A terminal sends a character for a letter, a sequence that begins with ESC for an arrow or a function key, and ESC alone
for Escape. Only time tells that from the first byte of a sequence, so that whoever reads waits `ESCAPE_WAIT_S` and then
calls `settle`. Sequences: ECMA-48 (1991), section 5.4, and xterm's control sequences.
"""

from __future__ import annotations

import codecs
from enum import Enum
from typing import Final, TypeAlias

ESCAPE_WAIT_S: Final = 0.3
"""A sequence that was cut on a slow line is whole again within that time; whoever presses Escape hardly notices it."""
MAX_SEQUENCE_CHARS: Final = 64
"""Of an escape sequence: the longest that keys send has about 12. What goes on for longer is given up."""


class Encoding(Enum):
    """How a terminal spells its characters."""

    CP437 = "cp437"
    UTF_8 = "utf-8"


class Press(Enum):
    """A key that is no character."""

    ENTER = "enter"
    """CR, LF, CR LF or CR NUL."""
    ERASE = "erase"
    """Backspace: BS or DEL."""
    WIPE = "wipe"
    """Ctrl-U."""
    CANCEL = "cancel"
    """Escape or Ctrl-C."""
    OTHER = "other"
    """An arrow, a function key, any other control character, a byte that is no character."""


Key: TypeAlias = str | Press
"""One printable character, or a `Press`."""

_PRESSES: Final = {
    "\r": Press.ENTER,
    "\n": Press.ENTER,
    "\b": Press.ERASE,
    "\x7f": Press.ERASE,
    "\x15": Press.WIPE,
    "\x03": Press.CANCEL,
    "\ufffd": Press.OTHER,
}
_ESC: Final = "\x1b"
_ENDS_SEQUENCE: Final = frozenset("\x03\r\n\x18\x1a")
"""They break off a sequence wherever it is; all but CAN and SUB are keys themselves."""


class _In(Enum):
    """What the next character belongs to."""

    TEXT = "text"
    AFTER_CR = "after CR"
    ESCAPE = "escape"
    """ESC has come."""
    SETTLED = "settled"
    """ESC has come and was told as Escape; a `[` would show that it was the head of a late sequence after all."""
    CONTROL = "control"
    """ESC [ : parameters, then a final from @ to ~."""
    SINGLE = "single"
    """ESC O, or the second [ of the Linux console: one character more."""
    STRING = "string"
    """ESC ] and ESC P, with which terminals answer: up to BEL or ESC backslash."""
    STRING_ESCAPE = "string escape"


class KeyDecoder:
    """Feed it what arrives. Whatever the bytes are, a control character is never handed out as one."""

    def __init__(self, encoding: Encoding) -> None:
        self._decoder: Final = codecs.getincrementaldecoder(encoding.value)(errors="replace")
        self._state = _In.TEXT
        self._length = 0
        """Of the sequence that is open."""

    @property
    def unsettled(self) -> bool:
        """Whether a lone ESC waits for `settle`."""
        return self._state is _In.ESCAPE

    def feed(self, data: bytes) -> list[Key]:
        """The keys that are complete with these bytes."""
        keys: list[Key] = []
        for character in self._decoder.decode(data):
            key = self._take(character)
            if key is not None:
                keys.append(key)
        return keys

    def settle(self) -> list[Key]:
        """No more has come for `ESCAPE_WAIT_S`: a lone ESC was the Escape key."""
        if self._state is not _In.ESCAPE:
            return []
        self._state = _In.SETTLED
        return [Press.CANCEL]

    def _take(self, character: str) -> Key | None:
        state = self._state
        if state in {_In.TEXT, _In.AFTER_CR, _In.SETTLED}:
            return self._plain(character, state)
        self._length += 1
        if character in _ENDS_SEQUENCE:
            self._state = _In.TEXT
            return self._plain(character, _In.TEXT) if character not in "\x18\x1a" else Press.OTHER
        if self._length > MAX_SEQUENCE_CHARS:
            self._state = _In.TEXT
            return Press.OTHER
        if state is _In.ESCAPE:
            return self._after_escape(character)
        return self._within(character, state)

    def _plain(self, character: str, state: _In) -> Key | None:
        self._state = _In.AFTER_CR if character == "\r" else _In.TEXT
        if character == "\0" or (character == "\n" and state is _In.AFTER_CR):
            return None
        if character == _ESC:
            self._state, self._length = _In.ESCAPE, 0
            return None
        if (character == "[" and state is _In.SETTLED) or character == "\x9b":
            self._state, self._length = _In.CONTROL, 1
            return None
        if character in _PRESSES:
            return _PRESSES[character]
        return character if character.isprintable() else Press.OTHER

    def _after_escape(self, character: str) -> Key | None:
        if character == "[":
            self._state = _In.CONTROL
        elif character == "O":
            self._state = _In.SINGLE
        elif character in "]P":
            self._state = _In.STRING
        elif character == _ESC:
            self._length = 0
            return Press.CANCEL  # the first of two was the key
        else:
            self._state = _In.TEXT
            return Press.OTHER  # a letter pressed together with Alt
        return None

    def _within(self, character: str, state: _In) -> Key | None:
        """One character more of a sequence; its key where it is the last."""
        if character == _ESC:
            if state is _In.STRING:
                self._state = _In.STRING_ESCAPE
            else:
                self._state, self._length = _In.ESCAPE, 0
            return None
        if state is _In.CONTROL and character == "[" and self._length == 2:
            self._state = _In.SINGLE
            return None
        if state is _In.STRING_ESCAPE and character != "\\":
            self._state = _In.ESCAPE
            return self._after_escape(character)
        if _goes_on(character, state):
            return None
        self._state = _In.TEXT
        return Press.OTHER


def _goes_on(character: str, state: _In) -> bool:
    if state is _In.CONTROL:
        return not "@" <= character <= "~"
    return state is _In.STRING and character != "\x07"
