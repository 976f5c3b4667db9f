"""A field that is typed into: a line of text, its editing keys, and what the terminal has to show after each. Pure.

The field breaks its own rows, one column before the terminal would, so that no terminal's idea of its last column
matters. Erasing never goes up a row, which not every terminal can: the field is then shown anew.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import msgspec

from starlane.door.keys import Key, Press
from starlane.door.widths import columns_of
from starlane.inert import inert

_RUBBED_OUT: Final = "\b \b"


class After(Enum):
    """What a key did to a field."""

    SHOWN = "shown"
    """Write `Edit.echo`."""
    ANEW = "anew"
    """Show the prompt again on a row of its own, then `Field.shown()`."""
    REFUSED = "refused"
    """Nothing: the field is full or empty, or takes no such key."""
    DONE = "done"
    """Enter: `Field.text` is the answer."""


class Edit(msgspec.Struct, frozen=True):
    """What a key did, and what to write."""

    after: After
    echo: str = ""


class Field:
    """A line that is being typed. `start` is the column that it begins in, counted from 0; a row has `width` columns,
    2 at least."""

    def __init__(self, max_chars: int, *, start: int, width: int) -> None:
        self.text = ""
        self._max_chars = max_chars
        self._start = start if start < width else 0
        self._width = width
        self._places: list[tuple[int, int]] = []
        """The row and the column of each character."""

    def press(self, key: Key) -> Edit:
        """Take a key."""
        if key is Press.ENTER:
            return Edit(After.DONE)
        if key is Press.ERASE:
            return self._erase(1)
        if key in {Press.WIPE, Press.CANCEL}:
            return self._erase(len(self.text))
        if isinstance(key, Press) or len(self.text) >= self._max_chars or inert(key) != key:
            return Edit(After.REFUSED)
        if not self.text and not columns_of(key):
            return Edit(After.REFUSED)  # a mark would stand on the prompt
        return Edit(After.SHOWN, self._append(key))

    def shown(self) -> str:
        """All that was typed, as it is written after the prompt."""
        text, self.text, self._places = self.text, "", []
        return "".join(map(self._append, text))

    def _append(self, character: str) -> str:
        row, column = self._end()
        echo = ""
        if column + columns_of(character) > self._width:
            row, column, echo = row + 1, 0, "\r\n"
        self.text += character
        self._places.append((row, column))
        return echo + character

    def _end(self) -> tuple[int, int]:
        if not self._places:
            return 0, self._start
        row, column = self._places[-1]
        return row, column + columns_of(self.text[-1])

    def _erase(self, count: int) -> Edit:
        if not self.text:
            return Edit(After.REFUSED)
        kept = len(self.text) - count
        while kept > 0 and not columns_of(self.text[kept]):
            kept -= 1  # a mark goes with the letter that it stands on
        row, column = self._end()
        _, first_column = self._places[kept]
        self.text, self._places = self.text[:kept], self._places[:kept]
        if self._end()[0] != row:
            return Edit(After.ANEW)
        return Edit(After.SHOWN, _RUBBED_OUT * (column - first_column))
