"""The state of a terminal: rows of cells, a cursor, margins, modes; and the few moves that change whole rows.

Everything that acts on it is a function of another file. A row is a list of characters and a list of packed
attributes, written by slice; its text is joined when somebody asks and kept until the row is written again.

A row that is cleared costs as much as a reference, however wide the screen: it is replaced by one that all rows share
which look the same. Who writes to a row takes it by `Page.own`, which gives a place that is shared a row of its own,
out of those that were cleared before: new lists are what the garbage collector looks at, and it looks at each cell.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import count
from typing import Final

import msgspec

from tty_agent.terminal.dialect import Dialect, Wrap
from tty_agent.terminal.style import PLAIN, pack

TAB_WIDTH: Final = 8

_BACKGROUND_BITS: Final = pack(background=(1 << 26) - 2)


MAX_UNIFORM_ROWS: Final = 8
"""Kept to be shared: programs clear in a colour or two, and each takes as much memory as a row of text."""


MAX_SPARE_ROWS: Final = 8
"""Kept after they were cleared, for rows that are to be written next: memory for little work."""


class Row:
    """One line of cells. Whoever changes a cell owns the row (`Page.own`) and sets `text` to None; `Page.refresh` makes
    it true again."""

    __slots__ = ("attributes", "characters", "revision", "shared", "tail", "text")

    def __init__(self, columns: int, attributes: int, character: str = " ", *, shared: bool = False) -> None:
        self.characters: list[str] = [character] * columns
        self.attributes: list[int] = [attributes] * columns
        self.shared = shared
        self.text: str | None = None
        self.revision = 0
        self.tail: tuple[int, int, list[str], list[int]] | None = None
        """What a narrower screen cut off: the revision for which that is still true, the column where it
        begins, and its cells."""


class Saved(msgspec.Struct, frozen=True):
    """What DECSC saves."""

    row: int = 0
    column: int = 0
    attributes: int = PLAIN
    origin: bool = False
    auto_wrap: bool = True
    drawing: tuple[bool, bool] = (False, False)
    shift: int = 0


class Page:
    """The state. Rows and columns count from 0; `bottom` is the last row that scrolls."""

    __slots__ = (
        "alternate", "attributes", "auto_wrap", "bells", "blanks", "bottom", "bright_backgrounds", "column", "columns",
        "cursor_visible", "dialect", "drawing", "forced_flag", "insert", "last_column_flag", "last_text", "lines",
        "main_lines", "modes", "music", "new_line", "origin", "other_saved", "pending", "revisions", "row", "rows",
        "saved", "saved_place", "scrollback", "shift", "simple", "spare", "tabs", "title", "top", "uniform", "wide",
    )  # fmt: skip

    def __init__(self, columns: int, rows: int, dialect: Dialect, scrollback_rows: int) -> None:
        self.dialect = dialect
        self.columns = columns
        self.rows = rows
        self.revisions: Iterator[int] = count(1)
        self.scrollback: deque[str] = deque(maxlen=scrollback_rows)
        self.title = ""
        self.bells = 0
        self.forced_flag = False
        self.lines: list[Row] = []
        self.main_lines: list[Row] | None = None
        self.alternate = False
        self.forget_rows()
        self.reset()

    def forget_rows(self) -> None:
        """The screen has another width: rows that are kept besides it do not fit any more."""
        self.uniform: dict[tuple[str, int], Row] = {}
        self.spare: list[Row] = []
        self.blanks = [" "] * self.columns

    def reset(self) -> None:
        """As a terminal that was just switched on (RIS); the scrollback, the title and the bells stay."""
        self.leave_alternate()
        self.set_rows(0, self.rows, self.row_of(" ", PLAIN))
        self.tabs = list(range(TAB_WIDTH, self.columns, TAB_WIDTH))
        self.saved = Saved()
        self.other_saved = Saved()
        self.saved_place: tuple[int, int] | None = None
        self.last_column_flag = self.dialect.wrap is Wrap.PENDING or self.forced_flag
        self.bright_backgrounds = self.dialect.ice_colors
        self.modes: set[int] = {7, 25}
        self.music = 1
        self.last_text = ""
        self.wide = False
        self.new_line = False
        self.soft_reset()
        self.row = self.column = 0
        self.pending = False
        self.auto_wrap = True

    def soft_reset(self) -> None:
        """Modes, margins, attributes and character sets as at the start (DECSTR); the cells and the cursor stay."""
        self.cursor_visible = True
        self.top, self.bottom = 0, self.rows - 1
        self.insert = False
        self.origin = False
        self.attributes = PLAIN
        self.drawing = (False, False)
        self.shift = 0
        self.saved = Saved()
        self.settle()

    def settle(self) -> None:
        """To be called after a change of `insert`, `drawing`, `shift` or `wide`: a simple page may be written by
        plain slices."""
        self.simple = not (self.insert or self.wide or self.drawing[self.shift])

    @property
    def fill(self) -> int:
        """The attributes of cells that are erased or scrolled in."""
        return self.attributes if self.dialect.cterm else self.attributes & _BACKGROUND_BITS

    def own(self, index: int) -> Row:
        """The row at `index`, for whoever writes to it."""
        shared = self.lines[index]
        if not shared.shared:
            return shared
        row = self.spare.pop() if self.spare else Row(self.columns, PLAIN)
        if shared.characters[0] != " ":
            row.characters[:] = shared.characters
        row.attributes[:] = shared.attributes
        row.text = row.tail = None
        self.lines[index] = row
        return row

    def row_of(self, character: str, attributes: int) -> Row:
        """A row of nothing but that cell, which is shared: nobody writes to it."""
        row = self.uniform.get((character, attributes))
        if row is None:
            if len(self.uniform) >= MAX_UNIFORM_ROWS:
                self.uniform.clear()
            row = self.uniform[character, attributes] = Row(self.columns, attributes, character, shared=True)
            self.refresh(row)
        return row

    def set_rows(self, start: int, stop: int, row: Row) -> None:
        """A shared row in the place of all from `start` to before `stop`."""
        for old in self.lines[start : min(stop, start + MAX_SPARE_ROWS)]:
            if not old.shared:
                self._spare(old)
        self.lines[start:stop] = [row] * (stop - start)

    def _spare(self, row: Row) -> None:
        if len(self.spare) < MAX_SPARE_ROWS:
            row.characters[:] = self.blanks  # at once: what it held may be much more memory than the row
            self.spare.append(row)

    def refresh(self, row: Row) -> str:
        """The text of a row, without the blanks at its end, and a new revision if it may have changed."""
        text = row.text
        if text is None:
            text = row.text = "".join(row.characters).rstrip()
            row.revision = next(self.revisions)
        return text

    def move(self, row: int, column: int) -> None:
        """Put the cursor there, or as near as the screen goes."""
        self.row = min(max(row, 0), self.rows - 1)
        self.column = min(max(column, 0), self.columns - 1)
        self.pending = False

    def home(self) -> None:
        """The cursor to the top left: of the margins, in origin mode."""
        self.move(self.top if self.origin else 0, 0)

    def line_feed(self) -> None:
        """One row down; at the last row of the margins these scroll instead."""
        self.pending = False
        if self.row == self.bottom:
            self.scroll_up(self.top, self.bottom, 1)
        elif self.row < self.rows - 1:
            self.row += 1

    def scroll_up(self, top: int, bottom: int, lines: int) -> None:
        """Move rows `top` to `bottom` up. What leaves the top of the main screen goes to the scrollback."""
        if top == 0 and not self.alternate and self.scrollback.maxlen:
            for row in self.lines[: min(lines, bottom + 1)]:
                text = row.text
                self.scrollback.append("".join(row.characters).rstrip() if text is None else text)
        self.delete_rows(top, bottom, lines)

    def delete_rows(self, top: int, bottom: int, lines: int) -> None:
        """Take `lines` rows away from `top` on; the rows up to `bottom` move up."""
        rows = self.lines
        blank = self.row_of(" ", self.fill)
        if lines == 1:  # nearly always
            row = rows.pop(top)
            if not row.shared:
                self._spare(row)
            rows.insert(bottom, blank)
            return
        lines = min(lines, bottom - top + 1)
        self.set_rows(top, top + lines, blank)
        rows[top : bottom + 1] = rows[top + lines : bottom + 1] + rows[top : top + lines]

    def scroll_down(self, top: int, bottom: int, lines: int) -> None:
        """Move rows `top` to `bottom` down."""
        lines = min(lines, bottom - top + 1)
        self.set_rows(bottom + 1 - lines, bottom + 1, self.row_of(" ", self.fill))
        rows = self.lines
        rows[top : bottom + 1] = rows[bottom + 1 - lines : bottom + 1] + rows[top : bottom + 1 - lines]

    def save_place(self) -> None:
        """CSI s as ANSI.SYS and CTerm know it: row and column."""
        self.saved_place = (self.row, self.column)

    def restore_place(self) -> None:
        """CSI u in the same sense; nothing moves if nothing was saved."""
        if self.saved_place is not None:
            self.move(*self.saved_place)

    def save(self) -> None:
        """DECSC."""
        self.saved = Saved(
            self.row, self.column, self.attributes, self.origin, self.auto_wrap, self.drawing, self.shift
        )

    def restore(self) -> None:
        """DECRC; the home position and plain attributes if nothing was saved."""
        saved = self.saved
        self.attributes, self.origin, self.auto_wrap = saved.attributes, saved.origin, saved.auto_wrap
        self.drawing, self.shift = saved.drawing, saved.shift
        self.move(saved.row, saved.column)
        self.settle()

    def enter_alternate(self) -> None:
        """Show an empty second screen; the main one waits. It has a saved cursor of its own."""
        if self.main_lines is None:
            self.main_lines, self.lines = self.lines, [self.row_of(" ", self.fill)] * self.rows
            self.saved, self.other_saved = self.other_saved, self.saved
            self.alternate = True

    def leave_alternate(self) -> None:
        """Show the main screen as it was; what the second one held is gone."""
        if self.main_lines is not None:
            self.lines, self.main_lines = self.main_lines, None
            self.saved, self.other_saved = self.other_saved, self.saved
            self.alternate = False
