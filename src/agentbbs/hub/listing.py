"""A list with hotkeys: numbered rows in columns, a page at a time, of which one is chosen by its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from agentbbs.hub.caller import Caller
from agentbbs.hub.text import Span, Style, Text
from agentbbs.hub.view import QUIT, Command, cell, command, heading

NEXT_PAGE: Final = Command(">", "next page", ("page_down",))
PREVIOUS_PAGE: Final = Command("<", "previous page", ("page_up",))

_GAP: Final = "  "
_FRAME_ROWS: Final = 7
"""The bar, two rows of hotkeys, the head, the prompt, and two for what is said there."""

_MIN_ROWS: Final = 3
"""On the lowest screen."""


class Column(msgspec.Struct, frozen=True):
    """One column of a list."""

    title: str
    columns: int | None
    """Cells; None for what is left, in one column of a table."""
    right: bool = False
    from_columns: int = 0
    """Left out on a screen that is narrower."""


class Listing:
    """The view of one list; it remembers its page from one `pick` to the next."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._first = 0

    def from_the_top(self) -> None:
        """The next list is another."""
        self._first = 0

    async def pick(
        self,
        title: str,
        table: Sequence[Column],
        rows: Sequence[Sequence[Span]],
        commands: Sequence[Command],
        *,
        right: str = "",
        said: Text = "",
    ) -> int | str:
        """The index of the row that is chosen, or the key of a command; Q is one of its own accord. A row has a cell
        for each column of `table`. `said` stands under them: how the last command ended."""
        while True:
            page = max(self._caller.size.rows - _FRAME_ROWS, _MIN_ROWS)
            self._first = min(self._first, max(len(rows) - 1, 0) // page * page)
            last = min(self._first + page, len(rows))
            turns = [NEXT_PAGE] * (last < len(rows)) + [PREVIOUS_PAGE] * (self._first > 0)
            keys = [*commands, *turns, QUIT]
            heading(self._caller, title, keys, right=right)
            self._put(table, rows, last)
            if said:
                self._caller.say(said)
            chosen = await command(self._caller, keys, numbers=len(rows))
            if chosen == NEXT_PAGE.key:
                self._first = last
            elif chosen == PREVIOUS_PAGE.key:
                self._first = max(self._first - page, 0)
            else:
                return chosen - 1 if isinstance(chosen, int) else chosen

    def _put(self, table: Sequence[Column], rows: Sequence[Sequence[Span]], last: int) -> None:
        if not rows:
            self._caller.say(Span("(nothing)", Style.DIM))
            return
        digits = len(str(len(rows)))
        self._row(table, digits, "", [Span(column.title, Style.LABEL) for column in table])
        for index in range(self._first, last):
            self._row(table, digits, str(index + 1), rows[index])

    def _row(self, table: Sequence[Column], digits: int, number: str, cells: Sequence[Span]) -> None:
        caller = self._caller
        shown = [
            (column, span)
            for column, span in zip(table, cells, strict=True)
            if caller.size.columns >= column.from_columns
        ]
        fixed = digits + sum(len(_GAP) + (column.columns or 0) for column, _ in shown)
        row = [cell(caller, number, digits, Style.NUMBER, right=True)]
        for column, span in shown:
            columns = caller.columns - fixed if column.columns is None else column.columns
            row += [Span(_GAP), cell(caller, span.text, columns, span.style, right=column.right)]
        caller.put_rows([tuple(row)])
