"""What changed on a screen since it was last looked at, as a reader would see it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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


_Cells = tuple[Sequence[str], Sequence[int]]
"""The characters and the attributes of a row."""


class Changes:
    """Remembers how a screen looked. Only rows whose revision moved are looked at again."""

    __slots__ = ("_cells", "_revisions", "_screen", "_size")

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._size = (0, 0)
        self._revisions: list[int] = []
        self._cells: list[_Cells] = []
        self._remember_all()

    def look(self) -> Look:
        """The difference to the last look; this look becomes the last."""
        screen = self._screen
        if self._size != (screen.columns, screen.rows):
            self._remember_all()
            return Look(visible=True, changes=(), rows=frozenset(range(screen.rows)))
        revisions, seen = screen.row_revisions, self._revisions
        if revisions == seen:
            return _NOTHING
        rows = [row for row, revision in enumerate(revisions) if revision != seen[row]]
        known = dict(zip(seen, self._cells, strict=True)) if len(rows) > MAX_SMALL_ROWS else {}
        different: list[tuple[int, _Cells, _Cells]] = []
        for row in rows:
            # A revision names a content: what only scrolled is known already.
            cells = known.get(revisions[row]) or self._read(row)
            if len(different) <= MAX_SMALL_ROWS and cells != self._cells[row]:
                different.append((row, self._cells[row], cells))
            self._cells[row] = cells
        self._revisions = list(revisions)
        small = len(different) <= MAX_SMALL_ROWS
        changes = tuple(_change(*one) for one in different) if small else ()
        return Look(visible=bool(different), changes=changes, rows=frozenset(rows))

    def _remember_all(self) -> None:
        screen = self._screen
        self._size = (screen.columns, screen.rows)
        self._revisions = list(screen.row_revisions)
        self._cells = [self._read(row) for row in range(screen.rows)]

    def _read(self, row: int) -> _Cells:
        return tuple(self._screen.row_characters(row)), tuple(self._screen.row_attributes(row))


def _change(row: int, old: _Cells, new: _Cells) -> Change:
    characters, attributes = new
    line = "".join(character[:1] or " " for character in characters)
    first, last = len(characters), -1
    for then, now in zip(old, new, strict=True):
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
