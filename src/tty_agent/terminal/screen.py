"""The screen of a terminal: bytes in; rows, replies and events out. No I/O, and no exception for any bytes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from tty_agent.terminal.dialect import ANSI_BBS, Dialect
from tty_agent.terminal.events import Event
from tty_agent.terminal.interpreter import Interpreter
from tty_agent.terminal.page import Page
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.resizing import resize

MIN_COLUMNS: Final = 20
MIN_ROWS: Final = 5
"""Fewer hold no prompt; a peer that says 0x0 or 1x1 has no size to tell."""

MAX_COLUMNS: Final = 1000
MAX_ROWS: Final = 1000
"""No terminal has more; a size comes from the other side of a line, and every cell takes memory."""


class Screen:
    """What a terminal of `columns` x `rows` shows. Rows and columns count from 0.

    `feed` it what the program writes, in pieces of any size: the result is the same however they are cut. Send
    each `Reply` that it returns at once, unless you replay. Sizes are clamped to 20x5 at least and 1000x1000
    at most.
    """

    __slots__ = ("_interpreter", "_page")

    def __init__(
        self, columns: int = 80, rows: int = 24, dialect: Dialect = ANSI_BBS, *, scrollback_rows: int = 1000
    ) -> None:
        self._page = Page(*_clamped(columns, rows), dialect, scrollback_rows)
        self._interpreter = Interpreter(self._page)

    def feed(self, data: bytes) -> Sequence[Event]:
        """Take what the program wrote; return replies and tunes in the order of the stream, usually none."""
        return self._interpreter.feed(data)

    def resize(self, columns: int, rows: int) -> None:
        """Take another size. The rule is told in `resizing.py`."""
        resize(self._page, *_clamped(columns, rows))

    @property
    def offset(self) -> int:
        """Bytes fed so far."""
        return self._interpreter.offset

    @property
    def mid_sequence(self) -> bool:
        """A control sequence, a string or a multibyte character is half-arrived: more is certain to come."""
        return self._interpreter.mid_sequence

    @property
    def columns(self) -> int:
        """Width in cells."""
        return self._page.columns

    @property
    def rows(self) -> int:
        """Height in cells."""
        return self._page.rows

    @property
    def dialect(self) -> Dialect:
        """What the bytes are taken for."""
        return self._page.dialect

    @property
    def cursor(self) -> tuple[int, int]:
        """Row, column. With a wrap pending it is in the last column."""
        return self._page.row, self._page.column

    @property
    def cursor_visible(self) -> bool:
        """CSI ? 25 h and l."""
        return self._page.cursor_visible

    @property
    def title(self) -> str:
        """What OSC 0 or 2 set; it came from outside, so show it by `inert`."""
        return self._page.title

    @property
    def bells(self) -> int:
        """BELs since the start."""
        return self._page.bells

    @property
    def alternate(self) -> bool:
        """The second screen, of full-screen programs, is shown."""
        return self._page.alternate

    @property
    def modes(self) -> frozenset[int]:
        """The private modes that are set (CSI ? n h), of those known: 1 is application cursor keys, 2004
        bracketed paste."""
        return frozenset(self._page.modes)

    @property
    def row_revisions(self) -> Sequence[int]:
        """A number for each row, which changes whenever the row may have changed. The same content that scrolled
        to another row keeps its number there; no number is used for two contents."""
        refresh = self._page.refresh
        for row in self._page.lines:
            if row.text is None:
                refresh(row)
        return [row.revision for row in self._page.lines]

    def live_cells(self, row: int) -> tuple[list[str], list[int]]:
        """What `row_characters` and `row_attributes` tell, without a copy: for a look that is over before the next
        call of `feed` or `resize`. Write to neither."""
        line = self._page.lines[row]
        return line.characters, line.attributes

    def line(self, row: int) -> str:
        """The text of a row without the blanks at its end."""
        line = self._page.lines[row]
        text = line.text
        return self._page.refresh(line) if text is None else text

    def lines(self) -> list[str]:
        """The text of each row."""
        refresh = self._page.refresh
        return [refresh(row) if row.text is None else row.text for row in self._page.lines]

    def text(self) -> str:
        """All rows, joined by LF."""
        return "\n".join(self.lines())

    def row_characters(self, row: int) -> Sequence[str]:
        """The cells of a row: a character with its marks each, "" for the right half of a wide one."""
        return tuple(self._page.lines[row].characters)

    def row_attributes(self, row: int) -> Sequence[int]:
        """The packed attributes of a row's cells (`style.py`)."""
        return tuple(self._page.lines[row].attributes)

    def picture(self) -> Picture:
        """All of it as a value."""
        page = self._page
        return Picture(
            columns=page.columns,
            rows=page.rows,
            characters=tuple([tuple(row.characters) for row in page.lines]),
            attributes=tuple([tuple(row.attributes) for row in page.lines]),
            cursor=(page.row, page.column),
            cursor_visible=page.cursor_visible,
            bright_backgrounds=page.bright_backgrounds,
        )

    def scrollback(self, limit: int | None = None) -> list[str]:
        """The rows that left the top of the main screen, the newest last: the newest `limit` of them."""
        kept = self._page.scrollback
        return list(kept if limit is None else islice(kept, max(len(kept) - limit, 0), None))


def _clamped(columns: int, rows: int) -> tuple[int, int]:
    return min(max(columns, MIN_COLUMNS), MAX_COLUMNS), min(max(rows, MIN_ROWS), MAX_ROWS)
