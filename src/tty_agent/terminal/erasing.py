"""Erase, insert and delete, within a row and of whole rows. Names as in ECMA-48."""

from __future__ import annotations

from collections.abc import Callable

from tty_agent.terminal.page import Page
from tty_agent.terminal.printing import mend

Parameters = tuple[int, ...]


def erase(page: Page, row: int, start: int, stop: int) -> None:
    """Blanks from column `start` to before `stop`."""
    if start == 0 and stop == page.columns:
        _erase_rows(page, row, row + 1)
        return
    line = page.lines[row]
    if line.shared:
        if line is page.row_of(" ", page.fill):
            return
        line = page.own(row)
    if page.wide:
        mend(line, start)
        mend(line, stop)
    width = stop - start
    line.characters[start:stop] = [" "] * width
    line.attributes[start:stop] = [page.fill] * width
    line.text = None


def _erase_rows(page: Page, start: int, stop: int) -> None:
    page.set_rows(start, stop, page.row_of(" ", page.fill))


def erase_display(page: Page, parameters: Parameters) -> None:
    """ED: 0 from the cursor on, 1 up to and with it, 2 all, 3 the scrollback."""
    which = parameters[0]
    if which == 0:
        erase(page, page.row, page.column, page.columns)
        _erase_rows(page, page.row + 1, page.rows)
    elif which == 1:
        _erase_rows(page, 0, page.row)
        erase(page, page.row, 0, page.column + 1)
    elif which == 2:
        _erase_rows(page, 0, page.rows)
        if page.main_lines is None:
            page.wide = False  # nothing wide is left
            page.settle()
        if page.dialect.clear_homes:
            page.home()
    elif which == 3:
        page.scrollback.clear()
    page.pending = False


def erase_line(page: Page, parameters: Parameters) -> None:
    """EL: 0 from the cursor on, 1 up to and with it, 2 all of the row."""
    which = parameters[0]
    if which == 0:
        erase(page, page.row, page.column, page.columns)
    elif which == 1:
        erase(page, page.row, 0, page.column + 1)
    elif which == 2:
        erase(page, page.row, 0, page.columns)
    page.pending = False


def erase_characters(page: Page, parameters: Parameters) -> None:
    """ECH."""
    erase(page, page.row, page.column, min(page.column + (parameters[0] or 1), page.columns))
    page.pending = False


def insert_characters(page: Page, parameters: Parameters) -> None:
    """ICH."""
    page.pending = False
    if page.lines[page.row] is page.row_of(" ", page.fill):
        return
    line, start = page.own(page.row), page.column
    many = min(parameters[0] or 1, page.columns - start)
    if page.wide:
        mend(line, start)
        mend(line, page.columns - many)
    line.characters[start:start] = [" "] * many
    line.attributes[start:start] = [page.fill] * many
    del line.characters[page.columns :], line.attributes[page.columns :]
    line.text = None


def delete_characters(page: Page, parameters: Parameters) -> None:
    """DCH."""
    page.pending = False
    if page.lines[page.row] is page.row_of(" ", page.fill):
        return
    line, start = page.own(page.row), page.column
    many = min(parameters[0] or 1, page.columns - start)
    if page.wide:
        mend(line, start)
        mend(line, start + many)
    del line.characters[start : start + many], line.attributes[start : start + many]
    line.characters += [" "] * many
    line.attributes += [page.fill] * many
    line.text = None


def insert_lines(page: Page, parameters: Parameters) -> None:
    """IL; nothing outside of the margins."""
    if page.top <= page.row <= page.bottom:
        page.scroll_down(page.row, page.bottom, parameters[0] or 1)
        page.pending = False


def delete_lines(page: Page, parameters: Parameters) -> None:
    """DL; nothing outside of the margins."""
    if page.top <= page.row <= page.bottom:
        page.delete_rows(page.row, page.bottom, parameters[0] or 1)
        page.pending = False


def scroll_up(page: Page, parameters: Parameters) -> None:
    """SU."""
    page.scroll_up(page.top, page.bottom, parameters[0] or 1)


def scroll_down(page: Page, parameters: Parameters) -> None:
    """SD. With five parameters it is the start of xterm's highlight tracking, which is not for a screen."""
    if len(parameters) == 1:
        page.scroll_down(page.top, page.bottom, parameters[0] or 1)


def scroll_left(page: Page, parameters: Parameters) -> None:
    """SL: the rows of the margins move to the left."""
    _shift_rows(page, parameters[0] or 1, delete_characters)


def scroll_right(page: Page, parameters: Parameters) -> None:
    """SR."""
    _shift_rows(page, parameters[0] or 1, insert_characters)


def _shift_rows(page: Page, columns: int, shift: Callable[[Page, Parameters], None]) -> None:
    if columns >= page.columns:
        _erase_rows(page, page.top, page.bottom + 1)
        return
    row, column, pending = page.row, page.column, page.pending
    page.column = 0
    for each in range(page.top, page.bottom + 1):
        page.row = each
        shift(page, (columns,))
    page.row, page.column, page.pending = row, column, pending
