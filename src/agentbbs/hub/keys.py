"""From the bytes of a terminal to keys. Pure; bytes may be cut anywhere, and the keys are the same.

Known are the sequences of xterm, the Linux console, rxvt, ANSI consoles and SyncTERM. A sequence that is not known, and
whatever a terminal says of its own accord (a report that nobody waits for, paste markers, mouse and focus), is no key
and never becomes text. CR, CR LF, CR NUL and LF are each one Enter; other NULs are dropped, for some lines pad with
them. A character that would act or hide (`inert`) can't be typed.
"""

from __future__ import annotations

import codecs
import re
from enum import Enum, auto
from typing import Final

import msgspec

from tty_agent.terminal.dialect import Encoding
from tty_agent.terminal.inert import inert

ESCAPE_PATIENCE_S: Final = 0.1
"""An ESC with nothing behind it for so long is the key; terminals send a sequence in one piece, networks may cut it."""

SEQUENCE_PATIENCE_S: Final = 1.0
"""The rest of a sequence or character that has begun comes within it, or never."""

MAX_PARAMETER_BYTES: Final = 32
"""Of a sequence; every known one is shorter. The rest is dropped with it."""


class Key(msgspec.Struct, frozen=True):
    """One stroke: the character itself, or `enter escape tab back_tab backspace delete up down left right home end
    page_up page_down insert f1`…`f12` `ctrl-a`…"""

    name: str

    @property
    def text(self) -> str:
        """The character, or "" for a key that writes none."""
        return self.name if len(self.name) == 1 else ""


class CursorReport(msgspec.Struct, frozen=True):
    """Where a terminal says its cursor is, from 1."""

    row: int
    column: int


Press = Key | CursorReport

ENTER: Final = Key("enter")
ESCAPE: Final = Key("escape")
BACKSPACE: Final = Key("backspace")

_CONTROL: Final = {chr(code): f"ctrl-{chr(code + 0x60)}" for code in range(1, 27)} | {
    "\x08": "backspace",
    "\x09": "tab",
    "\x1c": "ctrl-\\",
    "\x1d": "ctrl-]",
    "\x1e": "ctrl-^",
    "\x1f": "ctrl-_",
    "\x7f": "backspace",
}
_FINAL: Final = {
    "A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "Z": "back_tab",
    "K": "end", "V": "page_up", "U": "page_down", "@": "insert",  # SyncTERM
    "P": "f1", "Q": "f2", "S": "f4",  # xterm with a modifier
}  # fmt: skip
"""Keys by the final byte of CSI; parameters are modifiers."""
_TILDE: Final = {
    1: "home", 2: "insert", 3: "delete", 4: "end", 5: "page_up", 6: "page_down", 7: "home", 8: "end",
    11: "f1", 12: "f2", 13: "f3", 14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10",
    23: "f11", 24: "f12",
}  # fmt: skip
"""Keys by the first parameter of CSI … ~."""
_SS3: Final = {
    "A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "M": "enter",
    "P": "f1", "Q": "f2", "R": "f3", "S": "f4",
}  # fmt: skip
"""Keys by the byte after ESC O."""
_LINUX: Final = {"A": "f1", "B": "f2", "C": "f3", "D": "f4", "E": "f5"}
"""Keys by the byte after ESC [ [."""

_BYTES: Final = {"enter": b"\r", "escape": b"\x1b"} | {name: char.encode() for char, name in _CONTROL.items()}

_NULS: Final = re.compile(rb"\0+")
_REPORT: Final = re.compile(rb"(\d{1,4});(\d{1,4})")
_STRING_STARTS: Final = {0x50: b"0123456789>!+$=", 0x5D: b"0123456789", 0x5F: b"G"}
"""DCS, OSC and APC, with what an answer in them begins with; a person's Escape P goes on differently."""


def retyped(key: Key, encoding: Encoding) -> bytes:
    """Bytes that are this key again; none for one that only a sequence gives."""
    return key.text.encode(encoding.value, "ignore") or _BYTES.get(key.name, b"")


class _State(Enum):
    GROUND = auto()
    ESCAPE = auto()
    CSI = auto()
    SS3 = auto()
    LINUX = auto()
    OPENING = auto()
    """After ESC P, ESC ] or ESC _: whether a string begins shows in the next byte."""
    STRING = auto()


class KeyDecoder:
    """Feed it; after `patience_s` without another byte `settle` it."""

    def __init__(self, encoding: Encoding) -> None:
        self.reports_due = 0
        """Cursor reports that were asked for and have not come. While there are any, an ESC waits longer."""
        self._encoding = encoding
        self._characters = _characters(encoding)
        self._state = _State.GROUND
        self._parameters = bytearray()
        self._opening = 0
        self._after_cr = False
        self._torn = False
        """The last ESC was settled while a report was due: a `[` now is the rest of that report."""
        self._out: list[Press] = []

    @property
    def encoding(self) -> Encoding:
        """Of the characters that are typed."""
        return self._encoding

    @encoding.setter
    def encoding(self, encoding: Encoding) -> None:
        if encoding is not self._encoding:
            self._encoding = encoding
            self._characters = _characters(encoding)

    @property
    def patience_s(self) -> float | None:
        """How long to wait for more before `settle`; None while nothing is half-arrived."""
        if self._state in {_State.ESCAPE, _State.SS3, _State.OPENING}:
            return SEQUENCE_PATIENCE_S if self.reports_due else ESCAPE_PATIENCE_S
        if self._state is not _State.GROUND or self._characters.getstate()[0]:
            return SEQUENCE_PATIENCE_S
        return None

    def feed(self, data: bytes) -> list[Press]:
        """What these bytes complete."""
        for byte in data:
            self._byte(byte)
        return self._taken()

    def first(self, data: bytes | bytearray, *, max_steps: int) -> tuple[list[Press], int]:
        """What comes of `data` up to the first press, and how many of its bytes that took. A run of NULs is one step,
        for the others of it change nothing; with `max_steps` done there may be no press yet."""
        used = 0
        while not self._out and used < len(data) and max_steps > 0:
            self._byte(data[used])
            nuls = _NULS.match(data, used)
            used = used + 1 if nuls is None else nuls.end()
            max_steps -= 1
        return self._taken(), used

    def settle(self) -> list[Press]:
        """What has half-arrived is all that comes: an ESC is the key; the rest of it is dropped."""
        state, self._state = self._state, _State.GROUND
        if state in {_State.ESCAPE, _State.SS3, _State.OPENING}:
            self._torn = state is _State.ESCAPE and self.reports_due > 0
            self._out.append(ESCAPE)
        if state is _State.SS3:
            self._out.append(Key("O"))
        if state is _State.OPENING:
            self._out.append(Key(chr(self._opening)))
        if self._characters.getstate()[0]:
            self._ground(self._characters.decode(b"", final=True))
            self._characters.reset()
        return self._taken()

    def reset(self) -> None:
        """Forget what has half-arrived."""
        self._state = _State.GROUND
        self._characters.reset()
        self._after_cr = self._torn = False

    def _taken(self) -> list[Press]:
        out, self._out = self._out, []
        return out

    def _byte(self, byte: int) -> None:
        if self._state is _State.GROUND:
            self._ground(self._characters.decode(bytes((byte,))))
        elif byte == 0:
            return
        elif self._state is _State.ESCAPE:
            self._escape(byte)
        elif self._state is _State.CSI:
            self._csi(byte)
        elif self._state is _State.STRING:
            self._string(byte)
        elif self._state is _State.OPENING:
            self._open(byte)
        else:
            self._third(byte)

    def _ground(self, text: str) -> None:
        for char in text:
            after_cr, self._after_cr = self._after_cr, char == "\r"
            torn, self._torn = self._torn, False
            if after_cr and char in "\n\0":
                continue
            if char in "\r\n":
                self._out.append(ENTER)
            elif char == "\x1b":
                self._state = _State.ESCAPE
            elif torn and char == "[":
                self._begin(_State.CSI)
            elif char in _CONTROL:
                self._out.append(Key(_CONTROL[char]))
            elif char == inert(char):
                self._out.append(Key(char))

    def _begin(self, state: _State) -> None:
        self._state = state
        self._parameters.clear()

    def _back(self, byte: int) -> None:
        """The sequence ended before this byte, which is none of it."""
        self._state = _State.GROUND
        self._byte(byte)

    def _escape(self, byte: int) -> None:
        if byte == 0x5B:
            self._begin(_State.CSI)
        elif byte == 0x4F:
            self._state = _State.SS3
        elif byte in _STRING_STARTS:
            self._state, self._opening = _State.OPENING, byte
        else:  # an Escape, and a key of its own
            self._out.append(ESCAPE)
            self._back(byte)

    def _csi(self, byte: int) -> None:
        if byte == 0x5B and not self._parameters:
            self._state = _State.LINUX
        elif 0x20 <= byte <= 0x3F:
            if len(self._parameters) < MAX_PARAMETER_BYTES:
                self._parameters.append(byte)
        elif 0x40 <= byte <= 0x7E:
            self._state = _State.GROUND
            self._end_csi(chr(byte))
        else:
            self._back(byte)

    def _end_csi(self, final: str) -> None:
        parameters = bytes(self._parameters)
        if final == "R" and (report := _REPORT.fullmatch(parameters)):
            self.reports_due = max(self.reports_due - 1, 0)
            self._out.append(CursorReport(int(report[1]), int(report[2])))
            return
        if not all(byte in b"0123456789;" for byte in parameters):
            return
        first = parameters.split(b";")[0]
        name = _TILDE.get(int(first or b"0")) if final == "~" else _FINAL.get(final)
        if name is not None:
            self._out.append(Key(name))

    def _third(self, byte: int) -> None:
        """The byte after ESC O or ESC [ [."""
        state, self._state = self._state, _State.GROUND
        name = (_SS3 if state is _State.SS3 else _LINUX).get(chr(byte))
        if name is not None:
            self._out.append(Key(name))
        elif state is _State.SS3:
            self._out += [ESCAPE, Key("O")]
            self._byte(byte)
        elif not 0x40 <= byte <= 0x7E:
            self._byte(byte)

    def _open(self, byte: int) -> None:
        if byte in _STRING_STARTS[self._opening]:
            self._begin(_State.STRING)
        else:
            self._out += [ESCAPE, Key(chr(self._opening))]
            self._back(byte)

    def _string(self, byte: int) -> None:
        """Ends with BEL, or with ESC and a backslash, or is cut off by Enter."""
        if byte == 0x07 or (byte == 0x5C and self._parameters):
            self._state = _State.GROUND
        elif byte in b"\r\n\x03\x18\x1a":
            self._back(byte)
        elif byte == 0x1B:
            self._parameters[:] = b"\x1b"
        elif self._parameters:  # the ESC began something else
            self._state = _State.ESCAPE
            self._byte(byte)


def _characters(encoding: Encoding) -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder(encoding.value)("replace")
