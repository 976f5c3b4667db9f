"""Characters onto the page: where they go, how they wrap, and what happens to wide ones that are written over.

The right half of a wide character is an empty string. Half of one is never left behind: the other half
becomes a blank.
"""

from __future__ import annotations

import re
from typing import Final

from tty_agent.terminal.charset import LINE_DRAWING, REPLACEMENT
from tty_agent.terminal.page import Page, Row
from tty_agent.terminal.widths import MAX_MARKS_PER_CELL, NARROW_RUN, cells

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def write(page: Page, text: str) -> None:
    """Print `text`, of any widths. Bytes that were no characters are in it as lone surrogates."""
    if text.isascii() or NARROW_RUN.fullmatch(text):
        write_narrow(page, text)
        return
    text = _SURROGATE.sub(REPLACEMENT, text)
    at, end = 0, len(text)
    while at < end:
        run = NARROW_RUN.match(text, at)
        if run is not None:
            write_narrow(page, run[0])
            at = run.end()
            continue
        char = text[at]
        at += 1
        width = cells(char)
        if width == 1:
            write_narrow(page, char)
        elif width == 2:
            _write_wide(page, char)
        elif width == 0:
            _add_mark(page, char)


def write_narrow(page: Page, text: str) -> None:
    """Print `text`, of which every character takes one cell."""
    if page.drawing[page.shift]:
        text = text.translate(LINE_DRAWING)
    page.last_text = text
    columns = page.columns
    at, end = 0, len(text)
    while at < end:
        if page.pending:
            _wrap(page)
        room = columns - page.column
        if end - at < room:
            _put(page, text[at:] if at else text)
            page.column += end - at
            return
        if not page.auto_wrap:  # what does not fit writes over the last column
            _put(page, text[at : at + room - 1] + text[-1])
            page.column = columns - 1
            return
        _put(page, text[at : at + room])
        at += room
        _reach_edge(page)


def repeat(page: Page, times: int) -> None:
    """REP: print the last character again, at most as often as fills the screen."""
    if page.last_text:
        char = page.last_text[-1]
        times = min(times, page.columns * page.rows)
        drawing, page.drawing = page.drawing, (False, False)  # it went through the character set before
        if cells(char) == 2:
            for _ in range(times):
                _write_wide(page, char)
        else:
            write_narrow(page, char * times)
        page.drawing = drawing


def mend(row: Row, column: int) -> None:
    """The cells before and at `column` are to be parted: a wide character across that edge becomes blanks."""
    characters = row.characters
    if 0 < column < len(characters) and not characters[column]:
        characters[column - 1] = characters[column] = " "


def _wrap(page: Page) -> None:
    page.pending = False
    if page.auto_wrap:
        page.column = 0
        page.line_feed()


def _reach_edge(page: Page) -> None:
    """The last column was just written, and lines wrap."""
    if page.last_column_flag:
        page.column = page.columns - 1
        page.pending = True
    else:
        page.column = 0
        page.line_feed()


def _put(page: Page, text: str) -> None:
    row, start = page.own(page.row), page.column
    stop = start + len(text)
    if page.wide:
        mend(row, start)
        if not page.insert:
            mend(row, stop)
    if page.insert:
        columns = page.columns
        row.characters[start:start] = text
        row.attributes[start:start] = [page.attributes] * len(text)
        _cut(row, columns)
    else:
        row.characters[start:stop] = text
        row.attributes[start:stop] = [page.attributes] * (stop - start)
    row.text = None


def _cut(row: Row, columns: int) -> None:
    mend(row, columns)
    del row.characters[columns:], row.attributes[columns:]


def _write_wide(page: Page, char: str) -> None:
    if page.pending:
        _wrap(page)
    columns = page.columns
    if page.column == columns - 1:
        if page.auto_wrap:
            _put(page, " ")
            page.column = 0
            page.line_feed()
        else:
            page.column = columns - 2
    if not page.wide:
        page.wide = True
        page.settle()
    page.last_text = char
    row, start = page.own(page.row), page.column
    mend(row, start)
    if page.insert:
        row.characters[start:start] = (char, "")
        row.attributes[start:start] = [page.attributes] * 2
        _cut(row, columns)
    else:
        mend(row, start + 2)
        row.characters[start : start + 2] = (char, "")
        row.attributes[start : start + 2] = [page.attributes] * 2
    row.text = None
    page.column += 2
    if page.column >= columns:
        if page.auto_wrap:
            _reach_edge(page)
        else:
            page.column = columns - 1


def _add_mark(page: Page, mark: str) -> None:
    """A combining mark joins the character before the cursor, if there is one."""
    row, column = page.row, page.column - (not page.pending)
    if column < 0:
        if page.last_column_flag or row == 0:
            return
        row, column = row - 1, page.columns - 1  # the cursor went on at once after the last column
    line = page.own(row)
    if column and not line.characters[column]:
        column -= 1
    if len(line.characters[column]) <= MAX_MARKS_PER_CELL:
        line.characters[column] += mark
        line.text = None
