"""An action as the bytes that a terminal sends for it.

Doubling of IAC, CR NUL and the like are the transport's: these are the bytes of the terminal.
"""

from __future__ import annotations

import msgspec

from tty_agent.actions.action import Action, Hangup, PressKey, SendRaw, SubmitLine, SubmitLines, TypeText, Wait
from tty_agent.actions.errors import Unencodable
from tty_agent.actions.keys import KeyTable, encode
from tty_agent.terminal.dialect import Encoding


class Strokes(msgspec.Struct, frozen=True, kw_only=True):
    """What to do for one action: write `pieces` in order, `pace_ms` apart; or hang up; or wait."""

    pieces: tuple[bytes, ...] = ()
    """None is empty. With `pace_ms` above 0 each is one keystroke, else one holds everything."""
    pace_ms: int = 0
    hangup: bool = False
    wait_s: float = 0.0

    @property
    def data(self) -> bytes:
        """All bytes in one."""
        return b"".join(self.pieces)


def strokes(action: Action, keys: KeyTable, encoding: Encoding | None = None, *, pace_ms: int = 0) -> Strokes:
    """What `action` is at a terminal with these keys.

    `encoding` is that of characters, `keys.encoding` if None. `pace_ms` is the policy's; raw bytes are one piece at any
    pace, for they may be a sequence that a pause would break. Raises UnknownKey and Unencodable; an action that its
    policy has checked with this encoding raises neither.
    """
    match action:
        case Wait(seconds):
            return Strokes(wait_s=seconds)
        case Hangup():
            return Strokes(hangup=True)
        case SendRaw(text):
            return Strokes(pieces=(_raw(text),))
        case _:
            typed = _typed(action, keys if encoding is None else msgspec.structs.replace(keys, encoding=encoding))
    if pace_ms > 0:
        return Strokes(pieces=tuple(typed), pace_ms=pace_ms)
    whole = b"".join(typed)
    return Strokes(pieces=(whole,) if whole else ())


def _typed(action: PressKey | TypeText | SubmitLine | SubmitLines, keys: KeyTable) -> list[bytes]:
    """Keystroke by keystroke."""
    match action:
        case PressKey(key):
            return [keys.encode(key)]
        case TypeText(text):
            return _characters(text, keys.encoding)
        case SubmitLine(text):
            return [*_characters(text, keys.encoding), keys.enter]
        case SubmitLines(lines):
            return [stroke for line in lines for stroke in (*_characters(line, keys.encoding), keys.enter)]


def _characters(text: str, encoding: Encoding) -> list[bytes]:
    encode(text, encoding)  # names every character that is missing, not only the first
    return [char.encode(encoding.value) for char in text]


def _raw(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise Unencodable((char for char in text if char > "\xff"), "one byte (up to U+00FF)") from None
