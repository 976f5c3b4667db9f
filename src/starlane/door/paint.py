"""Lines to bytes for one terminal: its colours, its characters, its width. Pure.

Whatever a text holds, no control character comes out of it: what `inert` does not know to be harmless is written as an
escape, what the encoding lacks as its nearest look-alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final, TypeAlias

import msgspec

from starlane.door.keys import Encoding
from starlane.door.styles import Line, Span, Style
from starlane.door.widths import columns_of
from starlane.inert import inert

BELL: Final = b"\a"
"""The answer to a key that a field does not take."""
NEW_LINE: Final = b"\r\n"
"""On every line, the raw terminal's and a pipe's alike."""

_COLOURS: Final = {
    Style.PLAIN: "\x1b[0m",
    Style.TITLE: "\x1b[1;33m",
    Style.LABEL: "\x1b[0;32m",
    Style.NAME: "\x1b[1;36m",
    Style.NUMBER: "\x1b[1;37m",
    Style.KEY: "\x1b[1;33m",
    Style.PROMPT: "\x1b[1;32m",
    Style.GAIN: "\x1b[1;32m",
    Style.DANGER: "\x1b[1;31m",
    Style.NOTICE: "\x1b[1;35m",
    Style.FAINT: "\x1b[0;36m",
}
"""Of the sixteen that every ANSI terminal has, those that can be read on black. Each sets all it wants itself."""

_LOOK_ALIKES: Final = {
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{MINUS SIGN}": "-",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{BULLET}": "*",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{LEFTWARDS ARROW}": "<-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{EURO SIGN}": "EUR",
    "\N{LATIN CAPITAL LETTER O WITH STROKE}": "O",
    "\N{LATIN SMALL LETTER O WITH STROKE}": "o",
    "\N{LATIN CAPITAL LETTER L WITH STROKE}": "L",
    "\N{LATIN SMALL LETTER L WITH STROKE}": "l",
}
"""For characters that CP437 lacks; of letters with an accent the letter is left."""

Row: TypeAlias = list[Span]
"""A row of a terminal: pieces of text that fit into its width, spelled as the terminal can."""

_MAX_HANG_SHARE: Final = 3
"""The rows after the first are indented by a third of the width at most."""


class Painter(msgspec.Struct, frozen=True, kw_only=True):
    """How one terminal wants its bytes."""

    encoding: Encoding
    ansi: bool

    def rows(self, line: Line, width: int) -> list[Row]:
        """The line broken at words into rows of at most `width` columns, at least one; longer words are cut. After a
        label or leading blanks the rows that follow begin under the text."""
        spans = [Span(span.style, self.spelled(span.text)) for span in _spans(line)]
        return _broken(spans, width, _hang(spans, width))

    def row(self, row: Row) -> bytes:
        """A row in its colours, without the end of line; the colours are reset at its end."""
        if not self.ansi:
            return self.encoded("".join(span.text for span in row))
        painted, now = "", Style.PLAIN
        for span in row:
            if span.style is not now:
                painted += _COLOURS[span.style]
                now = span.style
            painted += span.text
        return self.encoded(painted if now is Style.PLAIN else painted + _COLOURS[Style.PLAIN])

    def spelled(self, text: str) -> str:
        """The text in characters that the terminal has and none of which it obeys."""
        text = inert(text)
        if self.encoding is Encoding.UTF_8 or text.isascii():
            return text
        return "".join(map(_in_cp437, unicodedata.normalize("NFC", text)))

    def encoded(self, text: str) -> bytes:
        """A spelled text, or control characters of our own, as bytes."""
        return text.encode(self.encoding.value, "replace")

    def blank(self) -> bytes:
        """What clears the screen; a plain terminal gets a blank line."""
        return b"\x1b[0m\x1b[2J\x1b[H" if self.ansi else NEW_LINE

    def wiped(self) -> bytes:
        """What takes back the row that the cursor is in; a plain terminal goes on to the next."""
        return b"\r\x1b[K" if self.ansi else NEW_LINE


def width_of(row: Row) -> int:
    """Columns of a row."""
    return sum(columns_of(span.text) for span in row)


@cache
def _in_cp437(character: str) -> str:
    for candidate in (character, _LOOK_ALIKES.get(character), unicodedata.normalize("NFKD", character)[:1]):
        if candidate is not None and _has_cp437(candidate):
            return candidate
    return "?" * columns_of(character)


def _has_cp437(text: str) -> bool:
    try:
        text.encode("cp437")
    except UnicodeEncodeError:
        return False
    return True


def _spans(line: Line) -> list[Span]:
    parts = (line,) if isinstance(line, str | Span) else line
    return [Span(Style.PLAIN, part) if isinstance(part, str) else part for part in parts]


def _hang(spans: list[Span], width: int) -> int:
    """The columns that the second row is indented by."""
    if not spans:
        return 0
    first = spans[0].text
    hang = columns_of(first) if spans[0].style is Style.LABEL else len(first) - len(first.lstrip(" "))
    return hang if hang <= width // _MAX_HANG_SHARE else 0


def _broken(spans: list[Span], width: int, hang: int) -> list[Row]:
    rows: list[Row] = [[]]
    room = width
    for word in _words(spans):
        for piece in _fitting(word, room, width - hang):
            needed = sum(columns_of(span.text) for span in piece)
            blank = not any(span.text.strip(" ") for span in piece)
            if needed > room and blank and rows[-1]:
                continue  # blanks at the end of a row
            if needed > room:
                rows[-1] = _trimmed(rows[-1])
                rows.append([Span(Style.PLAIN, " " * hang)] if hang else [])
                room = width - hang
            rows[-1] += piece
            room -= needed
    return rows


def _trimmed(row: Row) -> Row:
    """A row that another follows: without the blanks at its end."""
    while row and not row[-1].text.strip(" "):
        row = row[:-1]
    return row


def _words(spans: list[Span]) -> Iterator[Row]:
    """Runs of blanks and runs of others, whatever styles they change within."""
    word: Row = []
    for span in spans:
        for text in _runs(span.text):
            if word and (word[-1].text[-1] == " ") != (text[0] == " "):
                yield word
                word = []
            word.append(Span(span.style, text))
    if word:
        yield word


def _runs(text: str) -> Iterator[str]:
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or (text[place] == " ") != (text[start] == " "):
            yield text[start:place]
            start = place


def _fitting(word: Row, room: int, full: int) -> Iterator[Row]:
    """The word whole if a row can hold it, else cut: first what there is `room` for, then rows of `full` columns."""
    if sum(columns_of(span.text) for span in word) <= full:
        yield word
        return
    piece: Row = []
    for span in word:
        for character in span.text:
            if columns_of(character) > room:
                yield piece
                piece, room = [], full
            piece.append(Span(span.style, character))
            room -= columns_of(character)
    yield piece
