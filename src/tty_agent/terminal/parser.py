"""How a stream of characters falls into runs of text, control characters, sequences and strings.

`TOKEN` matches in one go what has arrived whole, which is nearly everything. What has not, and what is rare, is
`Parser`'s: it holds the beginning of a sequence or string, bounded, and goes on where it stopped, so that the
result never depends on where a stream was cut and the work is linear in its length however it was cut.

The rules are those of the ANSI parsers of DEC terminals: a control character within a sequence acts at once and
the sequence goes on; ESC begins a new one; CAN and SUB end it; any other character that cannot be in a sequence
ends it and is then text. A sequence that is too long or malformed is read to its end and does nothing.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import ClassVar, Final, Protocol

MAX_STRING_BYTES: Final = 4096
"""Kept of a control string or a tune; a title or a tune is far shorter, and the rest is read and dropped."""

MAX_PARAMETER_CHARS: Final = 1024
"""Of a control sequence: an SGR with four RGB colours has about 80."""

MAX_PARAMETER: Final = 65_535
"""A larger number means the same: no screen has as many columns or rows."""

MAX_REMEMBERED: Final = 4096
"""Entries of a table of what was parsed before; when it is full it starts anew."""

_PARAMETERS: Final = rf"[0-9;:]{{0,{MAX_PARAMETER_CHARS}}}"

TEXT: Final = 1
PLAIN_CSI: Final = 3
CSI: Final = 7
NEW_LINE: Final = 8
CONTROL: Final = 9
ESCAPE: Final = 11
"""What `TOKEN.match(…).lastindex` says a token is; anything else is the beginning of what `Parser` reads."""

TOKEN: Final = re.compile(
    r"([^\x00-\x1f\x7f]+)"
    rf"|\x1b\[({_PARAMETERS})([@-LO-{{}}~])"  # without M, N and |, which may begin a tune
    rf"|\x1b\[([<-?]?)({_PARAMETERS})([ -/]{{0,2}})([@-~])"
    r"|(\r\n)"
    r"|([\x00-\x1a\x1c-\x1f\x7f])"
    r"|\x1b([ -/]{1,2}|(?![PX\[\]^_]))([0-~])"
    r"|\x1b"
)
"""Groups: 1 text; 2, 3 parameters and final of a plain control sequence; 4-7 private mark, parameters,
intermediates and final of any; 8 CR LF; 9 a control character; 10, 11 intermediates and final after ESC."""

_CSI_BODY: Final = re.compile(rf"([<-?]?)({_PARAMETERS})([ -/]{{0,2}})")
_CSI_CHARS: Final = re.compile(r"[ -?]+")
_STRING_KINDS: Final = frozenset("P]X^_")

_CANCEL: Final = "\x18\x1a"
_CTERM_STRING_END: Final = re.compile("[^\x08-\x0d\u2642 -~]")  # U+2642 is how CP437 shows 0x0B
_OSC_END: Final = re.compile(r"[\x07\x18\x1a\x1b]")
_STRING_END: Final = re.compile(r"[\x18\x1a\x1b]")

TUNE_END: Final = "\u266b"
"""0x0E, as CP437 shows it, ends a tune; plain 0x0E does where control characters have no glyphs."""


class Sink(Protocol):
    """Who is told what the parser found. `at` is the index in the text after its last character."""

    def control(self, char: str, at: int) -> None:
        """A control character."""

    def escape(self, intermediates: str, final: str) -> None:
        """ESC, intermediates, final."""

    def csi(self, private: str, parameters: str, intermediates: str, final: str, at: int) -> None:
        """A control sequence."""

    def string(self, kind: str, content: str) -> None:
        """A control string that was ended as it should be: `kind` is its introducer after ESC."""

    def tune(self, content: str, at: int) -> None:
        """ANSI music."""


class State(IntEnum):
    """Where in a sequence the stream stands."""

    GROUND = 0
    ESCAPE = 1
    CSI = 2
    STRING = 3
    STRING_ESCAPE = 4
    TUNE = 5


class Parser:
    """What has arrived in part.

    Whenever `state` is not `GROUND`, what follows goes to `resume`; where `TOKEN` matched a lone ESC, call
    `begin` and then `resume` with the index after it. `begin_tune` is for whoever found the introducer of one.
    """

    __slots__ = ("_cterm", "_held", "_kind", "_room", "state")

    def __init__(self, *, cterm: bool) -> None:
        self.state: State = State.GROUND
        self._cterm = cterm
        self._held: list[str] = []
        self._room = 0
        self._kind = ""

    def begin(self) -> None:
        """An ESC was read."""
        self._enter(State.ESCAPE, MAX_PARAMETER_CHARS)

    def begin_tune(self) -> None:
        """The introducer of a tune was read."""
        self._enter(State.TUNE, MAX_STRING_BYTES)

    def resume(self, text: str, at: int, sink: Sink) -> int:
        """Read `text` from `at` on until its end or the end of what is held; return where that is."""
        end = len(text)
        while at < end and self.state is not State.GROUND:
            at = self._READERS[self.state](self, text, at, sink)
        return at

    def _enter(self, state: State, room: int) -> None:
        self.state = state
        self._held = []
        self._room = room

    def _hold(self, piece: str) -> None:
        if self._room > 0:
            self._held.append(piece[: self._room])
        self._room -= len(piece)

    def _take(self) -> str:
        content = "".join(self._held)
        self.state = State.GROUND
        self._held = []
        return content

    def _read_escape(self, text: str, at: int, sink: Sink) -> int:
        char = text[at]
        if char == "\x1b":
            self.begin()
        elif "0" <= char <= "~":
            intermediates = "".join(self._held)
            if intermediates or char not in "[PX]^_":
                whole = self._take()
                if self._room >= MAX_PARAMETER_CHARS - 2:
                    sink.escape(whole, char)
            elif char == "[":
                self._enter(State.CSI, MAX_PARAMETER_CHARS + 3)
            else:
                self._kind = char
                self._enter(State.STRING, MAX_STRING_BYTES)
        elif " " <= char <= "/":
            self._hold(char)
        else:
            return self._interrupt(char, at, sink)
        return at + 1

    def _read_csi(self, text: str, at: int, sink: Sink) -> int:
        match = _CSI_CHARS.match(text, at)
        if match is not None:
            self._hold(match[0])
            return match.end()
        char = text[at]
        if char == "\x1b":
            self.begin()
        elif "@" <= char <= "~":
            body = _CSI_BODY.fullmatch(self._take())
            if body is not None and self._room >= 0:
                private, parameters, intermediates = body.groups()
                sink.csi(private, parameters, intermediates, char, at + 1)
        else:
            return self._interrupt(char, at, sink)
        return at + 1

    def _interrupt(self, char: str, at: int, sink: Sink) -> int:
        """A character that is no part of the sequence that is being read."""
        if char in _CANCEL:
            self._take()
        elif char < " " or char == "\x7f":
            sink.control(char, at + 1)
        else:
            self._take()
            return at  # it is text
        return at + 1

    def _read_string(self, text: str, at: int, sink: Sink) -> int:
        ends = _CTERM_STRING_END if self._cterm else _OSC_END if self._kind == "]" else _STRING_END
        match = ends.search(text, at)
        if match is None:
            self._hold(text[at : at + MAX_STRING_BYTES])
            return len(text)
        stop = match.start()
        if stop > at:
            self._hold(text[at : min(stop, at + MAX_STRING_BYTES)])
        char = text[stop]
        if char == "\x1b":
            self.state = State.STRING_ESCAPE
        elif char == "\x07":
            sink.string(self._kind, self._take())
        else:
            self._take()
            return stop + (char in _CANCEL)
        return stop + 1

    def _read_string_escape(self, text: str, at: int, sink: Sink) -> int:
        if text[at] == "\\":
            sink.string(self._kind, self._take())
            return at + 1
        self.begin()
        return at

    def _read_tune(self, text: str, at: int, sink: Sink) -> int:
        match = _CTERM_STRING_END.search(text, at)
        stop = len(text) if match is None else match.start()
        if stop > at:
            self._hold(text[at : min(stop, at + MAX_STRING_BYTES)])
        if match is None:
            return stop
        ended = match[0] in {TUNE_END, "\x0e"}
        sink.tune(self._take(), stop + ended)
        return stop + ended

    _READERS: ClassVar = {
        State.ESCAPE: _read_escape,
        State.CSI: _read_csi,
        State.STRING: _read_string,
        State.STRING_ESCAPE: _read_string_escape,
        State.TUNE: _read_tune,
    }


_remembered: dict[str, tuple[int, ...]] = {}


def numbers(parameters: str) -> tuple[int, ...]:
    """The parameters of a control sequence; at least one, 0 for each that is missing, at most `MAX_PARAMETER`.

    Of parameters with colons in them the part before the first counts.
    """
    known = _remembered.get(parameters)
    if known is None:
        if len(_remembered) >= MAX_REMEMBERED:
            _remembered.clear()
        known = tuple(
            min(int(part.partition(":")[0] or 0), MAX_PARAMETER) if part else 0 for part in parameters.split(";")
        )
        _remembered[parameters] = known
    return known
