"""Lines out of a byte stream that is cut anywhere, in bounded memory. Pure.

A line ends with LF; one CR before it belongs to the end. A line over the limit is told once, as soon as it
is known, and skipped to its end: of what is skipped nothing is kept.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from agentbbs.protocol.agentgames import MAX_MESSAGE_BYTES


class Overlong(Enum):
    """What stands in the place of a line that is over the limit."""

    LINE = auto()


class LineReader:
    """Feed it bytes, then `read` until there is None: it holds what was fed and not read, and one part of a line."""

    def __init__(self, max_line_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._max_line_bytes: Final = max_line_bytes
        self._rest = bytearray()
        self._searched = 0
        """How far `_rest` is known to hold no LF: a line that comes byte by byte is searched once, not each time."""
        self._skipping = False

    def feed(self, data: bytes) -> None:
        """Take what came in next."""
        self._rest += data

    def read(self) -> bytes | Overlong | None:
        """The next line without its end, empty ones too; None if there is no whole one yet."""
        if self._skipping and not self._skip():
            return None
        end = self._rest.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._rest)
            return self._give_up() if self._is_overlong(len(self._rest)) else None
        overlong = self._is_overlong(end)
        line = bytes(self._rest[: end - 1 if self._rest[end - 1 : end] == b"\r" else end]) if not overlong else b""
        del self._rest[: end + 1]
        self._searched = 0
        return Overlong.LINE if overlong else line

    def end(self) -> bytes | None:
        """Nothing more comes: the last line, if it has no end. Call it once `read` gave None."""
        line = bytes(self._rest)
        self._rest.clear()
        self._searched = 0
        return line.removesuffix(b"\r") if line and not self._skipping else None

    def _is_overlong(self, size: int) -> bool:
        """Whether the first `size` bytes are too many for a line, with a CR at their end or not."""
        over = size - self._max_line_bytes
        return over > 1 or (over == 1 and self._rest[size - 1] != 0x0D)

    def _give_up(self) -> Overlong:
        self._skipping = True
        self._rest.clear()
        self._searched = 0
        return Overlong.LINE

    def _skip(self) -> bool:
        """Drop the rest of an overlong line; whether its end was there."""
        end = self._rest.find(b"\n")
        if end < 0:
            self._rest.clear()
            return False
        del self._rest[: end + 1]
        self._skipping = False
        return True
