"""Where the cursor goes. Names as in ECMA-48; a missing parameter or a 0 is 1."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

from tty_agent.terminal.page import Page

Parameters = tuple[int, ...]


def _go_to_row(page: Page, row: int) -> None:
    """An absolute row: within the margins, in origin mode."""
    if page.origin:
        page.row = min(page.top + row, page.bottom)
    else:
        page.row = min(row, page.rows - 1)
    page.pending = False


def _go_to_column(page: Page, column: int) -> None:
    page.column = min(max(column, 0), page.columns - 1)
    page.pending = False


def cursor_position(page: Page, parameters: Parameters) -> None:
    """CUP, HVP."""
    row = parameters[0]
    column = parameters[1] if len(parameters) > 1 else 0
    _go_to_row(page, row - 1 if row else 0)
    page.column = min(column - 1, page.columns - 1) if column else 0


def cursor_up(page: Page, parameters: Parameters) -> None:
    """CUU; the top margin stops what starts below it."""
    page.row = max(page.row - (parameters[0] or 1), page.top if page.row >= page.top else 0)
    page.pending = False


def cursor_down(page: Page, parameters: Parameters) -> None:
    """CUD, VPR; the bottom margin stops what starts above it."""
    page.row = min(page.row + (parameters[0] or 1), page.bottom if page.row <= page.bottom else page.rows - 1)
    page.pending = False


def cursor_forward(page: Page, parameters: Parameters) -> None:
    """CUF, HPR."""
    page.column = min(page.column + (parameters[0] or 1), page.columns - 1)
    page.pending = False


def cursor_back(page: Page, parameters: Parameters) -> None:
    """CUB, HPB."""
    page.column = max(page.column - (parameters[0] or 1), 0)
    page.pending = False


def next_line(page: Page, parameters: Parameters) -> None:
    """CNL."""
    cursor_down(page, parameters)
    page.column = 0


def previous_line(page: Page, parameters: Parameters) -> None:
    """CPL."""
    cursor_up(page, parameters)
    page.column = 0


def column_absolute(page: Page, parameters: Parameters) -> None:
    """CHA, HPA."""
    _go_to_column(page, (parameters[0] or 1) - 1)


def row_absolute(page: Page, parameters: Parameters) -> None:
    """VPA."""
    _go_to_row(page, (parameters[0] or 1) - 1)


def carriage_return(page: Page) -> None:
    """CR."""
    page.column = 0
    page.pending = False


def backspace(page: Page) -> None:
    """BS."""
    page.column = max(page.column - 1, 0)
    page.pending = False


def tabulate(page: Page) -> None:
    """HT. After the last stop: to the last column, or to the next line as CTerm does."""
    place = bisect_right(page.tabs, page.column)
    if place < len(page.tabs):
        _go_to_column(page, page.tabs[place])
    elif page.dialect.cterm:
        page.column = 0
        page.line_feed()
    else:
        _go_to_column(page, page.columns - 1)


def tab_forward(page: Page, parameters: Parameters) -> None:
    """CHT, CVT: over that many stops, and no further than the last column."""
    place = bisect_right(page.tabs, page.column) + (parameters[0] or 1) - 1
    _go_to_column(page, page.tabs[place] if place < len(page.tabs) else page.columns - 1)


def tab_back(page: Page, parameters: Parameters) -> None:
    """CBT."""
    place = bisect_left(page.tabs, page.column) - (parameters[0] or 1)
    _go_to_column(page, page.tabs[place] if place >= 0 else 0)


def set_tab(page: Page) -> None:
    """HTS."""
    if page.column > 0 and page.column not in page.tabs:
        insort(page.tabs, page.column)


def clear_tabs(page: Page, parameters: Parameters) -> None:
    """TBC: 0 the stop under the cursor, 3 and 5 all."""
    if parameters[0] == 0:
        remove_tab(page, (page.column + 1,))
    elif parameters[0] in {3, 5}:
        page.tabs.clear()


def remove_tab(page: Page, parameters: Parameters) -> None:
    """TSR."""
    if parameters[0] - 1 in page.tabs:
        page.tabs.remove(parameters[0] - 1)


def reverse_line_feed(page: Page) -> None:
    """RI: one row up; at the first row of the margins these scroll instead."""
    if page.row == page.top:
        page.scroll_down(page.top, page.bottom, 1)
    elif page.row > 0:
        page.row -= 1
    page.pending = False


def margins(page: Page, parameters: Parameters) -> None:
    """DECSTBM; a region of less than two rows is none, and nothing happens."""
    top = (parameters[0] or 1) - 1
    bottom = parameters[1] if len(parameters) > 1 else 0
    last = min(bottom or page.rows, page.rows) - 1
    if top < last:
        page.top, page.bottom = top, last
        page.home()


def save_cursor(page: Page, parameters: Parameters) -> None:  # noqa: ARG001 - one shape for all
    """CSI s: a place in CTerm, DECSC in xterm."""
    page.save_place() if page.dialect.cterm else page.save()


def restore_cursor(page: Page, parameters: Parameters) -> None:  # noqa: ARG001
    """CSI u."""
    page.restore_place() if page.dialect.cterm else page.restore()
