"""What another size does to the rows.

Columns: rows are cut, not reflowed. What a narrower screen cuts off a row comes back when the screen is widened,
if the row was not written in between. Rows: a lower screen loses blank rows at its foot, below the cursor; where
these do not suffice, rows at its head, which go to the scrollback (of the main screen). A higher one gets blank
rows at its foot. The margins become the whole screen; the cursor stays at its text.
"""

from __future__ import annotations

import msgspec

from tty_agent.terminal.page import TAB_WIDTH, Page, Row
from tty_agent.terminal.style import PLAIN


def resize(page: Page, columns: int, rows: int) -> None:
    """Make `page` `columns` x `rows`, both screens of it."""
    if (columns, rows) == (page.columns, page.rows):
        return
    if columns != page.columns:
        for screen in (page.lines, page.main_lines or []):
            for index, row in enumerate(screen):
                screen[index] = _fit_row(page, row, columns)
        first = (page.columns + TAB_WIDTH - 1) // TAB_WIDTH * TAB_WIDTH
        page.tabs = [stop for stop in page.tabs if stop < columns] + list(range(first, columns, TAB_WIDTH))
        page.column += page.pending and columns > page.columns
        page.pending = False
    page.columns, page.rows = columns, rows
    page.forget_rows()
    if page.main_lines is None:
        moved = _fit_rows(page, page.lines, page.row, keep=True)
    else:
        moved = _fit_rows(page, page.lines, page.row, keep=False)
        saved = page.other_saved
        up = _fit_rows(page, page.main_lines, saved.row, keep=True)
        page.other_saved = msgspec.structs.replace(saved, row=max(saved.row - up, 0))
    page.row = min(max(page.row - moved, 0), rows - 1)
    page.column = min(page.column, columns - 1)
    page.top, page.bottom = 0, rows - 1


def _fit_row(page: Page, row: Row, columns: int) -> Row:
    page.refresh(row)
    characters, attributes, tail = row.characters, row.attributes, row.tail
    if tail is not None and tail[0] == row.revision:
        characters = characters[: tail[1]] + tail[2]
        attributes = attributes[: tail[1]] + tail[3]
    cut = len(characters)
    if cut > columns:
        cut = columns - (not characters[columns])  # a wide character goes as a whole
    if row.shared:
        row = Row(columns, PLAIN)
    row.characters = characters[:cut] + [" "] * (columns - cut)
    row.attributes = attributes[:cut] + [PLAIN] * (columns - cut)
    row.text = row.tail = None
    page.refresh(row)
    if cut < len(characters):
        row.tail = (row.revision, cut, characters[cut:], attributes[cut:])
    return row


def _fit_rows(page: Page, lines: list[Row], cursor: int, *, keep: bool) -> int:
    """Make `lines` as many as `page` has rows; return by how many the text moved up."""
    while len(lines) > page.rows and len(lines) - 1 > cursor and not page.refresh(lines[-1]):
        lines.pop()
    moved = 0
    while len(lines) > page.rows:
        row = lines.pop(0)
        if keep and page.scrollback.maxlen:
            page.scrollback.append(page.refresh(row))
        moved += 1
    lines.extend(Row(page.columns, PLAIN) for _ in range(page.rows - len(lines)))
    return moved
