"""What changed on a screen since it was last looked at, as a reader would see it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import ne
from typing import Final

import msgspec

from tty_agent.terminal.screen import Screen

MAX_SMALL_ROWS: Final = 3
"""Rows of a change that is still described cell by cell: a clock, a spinner and a counter at once."""


class Change(msgspec.Struct, frozen=True):
    """Cells of one row that look different than before: columns `first` to `last`, both included."""

    row: int
    first: int
    last: int
    text: bool
    """A character differs, not only colours."""
    line: str
    """The row as it is now, one character a column."""
    clock: bool
    """The cells lie within a time of day."""
    even: bool
    """The cells all have the same attributes now."""


def merged(changes: Iterable[Change]) -> list[Change]:
    """Changes that came one after another, as one a row."""
    rows: dict[int, Change] = {}
    for change in changes:
        before = rows.get(change.row)
        rows[change.row] = change if before is None else _both(before, change)
    return list(rows.values())


def _both(before: Change, after: Change) -> Change:
    first, last = min(before.first, after.first), max(before.last, after.last)
    text = before.text or after.text
    clock = _within_clock(after.line, first, last)
    return Change(row=after.row, first=first, last=last, text=text, line=after.line, clock=clock, even=after.even)


class Look(msgspec.Struct, frozen=True):
    """What one look found."""

    visible: bool
    """Something looks different."""
    changes: tuple[Change, ...]
    """Row by row, if no more than `MAX_SMALL_ROWS` rows look different; else empty."""
    rows: frozenset[int]
    """The rows that were written to, whether they look different or not."""


MAX_CLOCK_COLUMNS: Final = 8
"""Of a time of day: `23:59:59`."""

_CLOCK: Final = re.compile(r"(?<![\d:])\d{1,2}:\d\d(?::\d\d)?(?![\d:])")

_NOTHING: Final = Look(visible=False, changes=(), rows=frozenset())


_Cells = tuple[list[str], list[int]]
"""The characters and the attributes of a row."""


class Changes:
    """Remembers how a screen looked. Only rows whose revision moved are looked at again.

    What it remembers stays in the same lists for as long as the screen has its size: a session that makes none with
    each piece of output costs the garbage collector nothing.
    """

    __slots__ = ("_revisions", "_screen", "_seen", "_size")

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._size = (0, 0)
        self._revisions: Sequence[int] = ()
        self._seen: list[_Cells] = []
        self._remember_all()

    def look(self) -> Look:
        """The difference to the last look; this look becomes the last."""
        screen = self._screen
        if self._size != (screen.columns, screen.rows):
            self._remember_all()
            return Look(visible=True, changes=(), rows=frozenset(range(screen.rows)))
        before, self._revisions = self._revisions, screen.row_revisions
        if before == self._revisions:
            return _NOTHING
        rows = [row for row, (then, now) in enumerate(zip(before, self._revisions, strict=True)) if then != now]
        cells = [(row, self._seen[row], screen.live_cells(row)) for row in rows]
        different = list(islice((one for one in cells if one[1] != one[2]), MAX_SMALL_ROWS + 1))
        changes = tuple(_change(*one) for one in different) if len(different) <= MAX_SMALL_ROWS else ()
        for _, (characters, attributes), now in cells:
            characters[:], attributes[:] = now
        return Look(visible=bool(different), changes=changes, rows=frozenset(rows))

    def _remember_all(self) -> None:
        screen = self._screen
        self._size = (screen.columns, screen.rows)
        self._revisions = screen.row_revisions
        self._seen = [
            (characters.copy(), attributes.copy())
            for characters, attributes in map(screen.live_cells, range(screen.rows))
        ]


def _change(row: int, old: _Cells, new: _Cells) -> Change:
    characters, attributes = new
    line = "".join(characters)
    if len(line) != len(characters) or "" in characters:  # marks, and right halves of wide ones
        line = "".join(character[:1] or " " for character in characters)
    first, last = len(characters), -1
    pairs: Iterable[tuple[Sequence[object], Sequence[object]]] = zip(old, new, strict=True)
    for then, now in pairs:
        if then != now:
            differs = [*map(ne, then, now)]
            first = min(first, differs.index(True))
            differs.reverse()
            last = max(last, len(differs) - 1 - differs.index(True))
    return Change(
        row=row,
        first=first,
        last=last,
        text=characters != old[0],
        line=line,
        clock=_within_clock(line, first, last),
        even=len(set(attributes[first : last + 1])) == 1,
    )


def _within_clock(line: str, first: int, last: int) -> bool:
    if ":" not in line or last - first >= MAX_CLOCK_COLUMNS:
        return False
    return any(match.start() <= first and last < match.end() for match in _CLOCK.finditer(line))
