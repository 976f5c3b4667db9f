"""Lines that fit: text in styles, broken at words. Pure. Widths are in cells of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from agentbbs.hub.text import Span
from tty_agent.terminal.widths import cells

Row = tuple[Span, ...]
"""One line of a screen, without its end."""

CUT: Final = "…"


def width(text: str) -> int:
    """Cells that `text` takes, in which nothing is a control character."""
    return len(text) if text.isascii() else sum(max(cells(char), 0) for char in text)


def row_width(row: Iterable[Span]) -> int:
    """Cells that a row takes."""
    return sum(width(span.text) for span in row)


def wrap(spans: Sequence[Span], columns: int, *, first: int | None = None) -> list[Row]:
    """The rows of `spans`, each at most `columns` wide; the first at most `first`. LF ends a row; a row is broken at
    blanks, which go, or within a word that is wider than a row. Blanks at the beginning of a line stay."""
    text = "".join(span.text for span in spans)
    return [_between(spans, start, end) for start, end in _breaks(text, columns, columns if first is None else first)]


def clip(spans: Sequence[Span], columns: int, *, mark: str = CUT) -> Row:
    """As much of one line as fits into `columns`, with `mark` at its end if something is missing."""
    text = "".join(span.text for span in spans)
    if width(text) <= columns:
        return tuple(spans)
    end = _fitting(text, 0, len(text), columns - width(mark))
    row = _between(spans, 0, end)
    return (*row[:-1], Span(row[-1].text + mark, row[-1].style)) if row else (Span(mark),)


def _breaks(text: str, columns: int, first: int) -> Iterable[tuple[int, int]]:
    room = first
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        at = start
        while True:
            cut, following = _break(text, at, end, room, fresh=room == columns)
            yield at, cut
            room = columns
            if following >= end:
                break
            at = following
        start = end + 1


def _break(text: str, start: int, end: int, room: int, *, fresh: bool) -> tuple[int, int]:
    """Where the row that begins at `start` ends, and where the next begins; `end` if none does."""
    fits = _fitting(text, start, end, room)
    if fits == end:
        return end, end
    blank = fits if text[fits] == " " else text.rfind(" ", start, fits)
    kept = len(text[start : max(blank, start)].rstrip(" ")) + start
    if kept > start or not fresh:
        following = kept
    else:  # one word that is wider than a row; at least one character goes, however narrow the row
        kept = following = max(fits, start + 1)
    while following < end and text[following] == " ":
        following += 1
    return kept, following


def _fitting(text: str, start: int, end: int, columns: int) -> int:
    """The end of the longest piece from `start` that is at most `columns` wide."""
    if text.isascii():
        return min(end, start + max(columns, 0))
    for index in range(start, end):
        columns -= max(cells(text[index]), 0)
        if columns < 0:
            return index
    return end


def _between(spans: Sequence[Span], start: int, end: int) -> Row:
    row: list[Span] = []
    offset = 0
    for span in spans:
        piece = span.text[max(start - offset, 0) : max(end - offset, 0)]
        if piece:
            row.append(Span(piece, span.style))
        offset += len(span.text)
        if offset >= end:
            break
    return tuple(row)
