"""The item of a menu that a program marks by colour: reverse video, or a background of its own.

Only backgrounds count, as they are shown: reverse video swaps, blink may be a bright background, the default
one is black. A stretch of a row in one background, with text in it, is the mark if what is around it is a menu:

- *a list*: the stretch is a whole item, and rows right above or below have text that begins in the same column (or
  has the same middle) and share one background, another than the stretch. Each such row counts.
- *a light bar*: the row holds nothing but a question and a few short items, one of them in another background
  (`Save? [Yes] No`), or three and more items set apart by two blanks (the menu bar at the top of a screen).

A row coloured over nearly its whole width is a title or a status bar and no mark, unless there is text right above
and right below it and it is not one of the last two rows: then it is the chosen row of a table. Of several
stretches the one in the longest list is the mark, then the one with the rarer background. Stretches of one
background that all stand in menus (striped tables, labels of keys) mark nothing, unless the cursor is on one.

A single cell is no item (it may be a creature on a map) unless it stands in brackets. While the cursor waits behind a
prompt, what is coloured elsewhere is output, but for an item of a list in a frame: a file manager has both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, groupby, islice
from typing import Final

import msgspec

from tty_agent.observation.observation import Highlight
from tty_agent.terminal.picture import Picture
from tty_agent.terminal.style import BLINK, DEFAULT, REVERSE, background, foreground

MAX_ITEM_CHARS: Final = 20
"""Of an item beside a light bar; more is a sentence with a coloured word."""

MAX_ITEMS: Final = 10
"""Beside a light bar."""

MAX_LIST_ROWS: Final = 12
"""Looked at above and below: so many rows are evidence enough."""

MAX_STRETCHES: Final = 240
"""Of coloured text on a screen; ten a row is a picture, not a menu."""

MAX_REMEMBERED_ROWS: Final = 1024
"""Ways in which a row is coloured: blank ones, lines of text and frames make few; a megabyte at most."""

BAR_SHARE: Final = 0.9
"""Of the screen's width; a stretch wider than this is a bar."""

LAST_ROWS: Final = 2
"""Where status bars are: the last row, or the one above a command line."""

_BLACK: Final = 0
_WHITE: Final = 7
_BRIGHT: Final = 8

_LEFT_OF_ITEM: Final = frozenset(" │║|┃█▌▐[(<*>►-.)]")
"""What may stand in the two columns left of a list's items: frames, and the marks and numbers of lists."""

_FRAME: Final = " │║|┃█▌▐"
_FRAME_LINES: Final = frozenset(_FRAME.strip())

_OWN_MARK: Final = re.compile(r"[>*►→»•●]\s+")
"""A mark that the chosen item alone has before its text."""

_BLANK: Final = re.compile(r"\s+")
_DRAWN: Final = re.compile("[\u2500-\u25a1]")
"""Lines, blocks and shades."""

_BLOCK: Final = re.compile("[\u2580-\u259f]")

_WORD: Final = re.compile(r"\S+")
_SAID: Final = re.compile(r"[^\W_]|^[\[\]()/]+$")
"""In a word that is a choice, or what is between two."""
_ITEM: Final = re.compile(r"\S+(?: \S+)*")
"""Text up to two blanks."""

_QUESTION: Final = re.compile(r"^.*[?:]\s+")

_PROMPT: Final = re.compile(r"[$#%>:?\u276f\u00bb]\s{0,2}$")
"""The end of a row up to the cursor, where a line is to be typed."""

_OPENING, _CLOSING = frozenset("[(<"), frozenset("])>")

_BESIDE_ITEM: Final = frozenset(_FRAME) | _OPENING | _CLOSING | frozenset("/►◄•●")
"""What may touch an item; letters and stops belong to the same word, or the same map."""

_RIGHT_OF_ITEM: Final = f"{_FRAME}])>◄▲▼░▒▓"
"""What may stand in the two columns right of a list's items: more text is the rest of a sentence."""


class _Stretch(msgspec.Struct, frozen=True):
    row: int
    first: int
    """Columns `first` to `last` are the text, both included, without the blanks at its ends."""
    last: int
    width: int
    """With those blanks."""
    background: int


def highlight(picture: Picture, *, prompted: bool = False) -> Highlight | None:
    """The marked item, or None if there is none or it is not clear which. `prompted`: the row of the cursor is known
    as a prompt."""
    bright = picture.bright_backgrounds
    used: set[int] = set().union(*map(_used, picture.attributes))
    shown = {attributes: _shown_background(attributes, bright=bright) for attributes in used}
    if len(set(shown.values())) == 1:
        return None  # most screens, and cheap to see
    backgrounds = [[shown[attributes] for attributes in row] for row in picture.attributes]
    mark = _Menus(picture, backgrounds, prompted=prompted).mark()
    if mark is None:
        return None
    text = "".join(picture.characters[mark.row][mark.first : mark.last + 1])
    return Highlight(row=mark.row, column=mark.first, text=text)


@lru_cache(maxsize=MAX_REMEMBERED_ROWS)
def _used(row: tuple[int, ...]) -> frozenset[int]:
    """The attributes that are in a row."""
    return frozenset(row)


def _shown_background(attributes: int, *, bright: bool) -> int:
    colour = background(attributes)
    if attributes & REVERSE:
        colour = foreground(attributes)
        return _WHITE if colour == DEFAULT else colour
    colour = _BLACK if colour == DEFAULT else colour
    return colour + _BRIGHT if bright and attributes & BLINK and colour < _BRIGHT else colour


def _is_text(shown: str) -> bool:
    """Some of it is text, and no more than a third is drawn."""
    written = _BLANK.sub("", shown)
    return bool(written) and len(_DRAWN.findall(written)) * 3 <= len(written)


class _Menus:
    """The rows of a screen, one character a column, and the backgrounds that are shown."""

    def __init__(self, picture: Picture, backgrounds: list[list[int]], *, prompted: bool) -> None:
        self._columns = picture.columns
        self._cursor = picture.cursor
        self._lines = ["".join(cell[:1] or " " for cell in row) for row in picture.characters]
        self._backgrounds = backgrounds
        self._shares = Counter(chain.from_iterable(backgrounds))
        self._base = self._shares.most_common(1)[0][0]
        self._prompted = prompted
        self._asks = picture.cursor_visible and self._is_behind_prompt()

    def mark(self) -> _Stretch | None:
        """The one stretch that is the mark."""
        stretches = list(islice(self._stretches(), MAX_STRETCHES + 1))
        if len(stretches) > MAX_STRETCHES:
            return None
        scores = {stretch: score for stretch in stretches if (score := self._score(stretch))}
        if not scores:
            return None
        best = max(scores, key=lambda stretch: (scores[stretch], -self._shares[stretch.background]))
        alike = [stretch for stretch in scores if stretch.background == best.background]
        if len(alike) == 1:
            return best
        row, column = self._cursor
        return next((one for one in alike if one.row == row and one.first - 1 <= column <= one.last + 1), None)

    def _is_behind_prompt(self) -> bool:
        """The cursor is, with nothing but a status line below."""
        row, column = self._cursor
        line = self._lines[row]
        below = sum(1 for text in self._lines[row + 1 :] if text.strip())
        return _PROMPT.search(line[:column]) is not None and not line[column:].strip() and below <= 1

    def _stretches(self) -> Iterator[_Stretch]:
        for row, backgrounds in enumerate(self._backgrounds):
            column = 0
            for colour, cells in groupby(backgrounds):
                width = len(list(cells))
                text = self._lines[row][column : column + width]
                if colour != self._base and _is_text(text):
                    first = column + len(text) - len(text.lstrip(_FRAME))
                    end = column + len(text.rstrip(_FRAME))
                    if not _BLOCK.match(self._lines[row], end):  # letters within a picture
                        yield _Stretch(row, first, end - 1, width, colour)
                column += width

    def _score(self, stretch: _Stretch) -> int:
        """Rows of the list around it, 1 for a light bar, 0 for neither."""
        if self._asks or (self._prompted and stretch.row != self._cursor[0]):
            return self._rows_of_list(stretch) if self._lines[stretch.row][: stretch.first][-1:] in _FRAME_LINES else 0
        if stretch.width >= BAR_SHARE * self._columns:
            inside = 0 < stretch.row < len(self._lines) - LAST_ROWS
            return 1 if inside and self._lines[stretch.row - 1].strip() and self._lines[stretch.row + 1].strip() else 0
        if not self._is_item(stretch):
            return 0
        return self._rows_of_list(stretch) or int(self._is_light_bar(stretch))

    def _rows_of_list(self, stretch: _Stretch) -> int:
        """Rows above and below that are items of the same list."""
        return self._list_rows(stretch, -1) + self._list_rows(stretch, 1) if self._ends(stretch) else 0

    def _is_item(self, stretch: _Stretch) -> bool:
        """It is set off from what is beside it; a single cell by brackets."""
        line = self._lines[stretch.row]
        before, after = set(line[: stretch.first][-1:]), set(line[stretch.last + 1 :][:1])
        if stretch.first == stretch.last:
            return bool(before & _OPENING and after & _CLOSING)
        return before | after <= _BESIDE_ITEM

    def _ends(self, stretch: _Stretch) -> bool:
        """No more text of the same item follows."""
        return not self._lines[stretch.row][stretch.last + 1 :][:2].strip(_RIGHT_OF_ITEM)

    def _list_rows(self, stretch: _Stretch, step: int) -> int:
        """Rows in one direction that are items of the same list."""
        start = stretch.first
        own = _OWN_MARK.match(self._lines[stretch.row], start, stretch.last + 1)
        starts = {start} if own is None else {start, own.end()}
        common: int | None = None
        for count in range(MAX_LIST_ROWS):
            row = stretch.row + step * (count + 1)
            colour = self._item_background(row, starts, stretch) if 0 <= row < len(self._lines) else None
            if colour is None or colour == stretch.background or common not in {None, colour}:
                return count
            common = colour
        return MAX_LIST_ROWS

    def _item_background(self, row: int, starts: set[int], stretch: _Stretch) -> int | None:
        """The background of the row's item that is aligned with the stretch; None if there is no such item."""
        line = self._lines[row]
        for start in starts:
            if (
                line[start] != " "
                and self._begins(line, start)
                and self._begins(self._lines[stretch.row], stretch.first)
            ):
                return self._backgrounds[row][start]
        middle = stretch.first + stretch.last
        for item in _ITEM.finditer(line.strip(_FRAME).rjust(len(line.rstrip(_FRAME)))):
            if abs(item.start() + item.end() - 1 - middle) <= 1 and _is_text(item[0]):
                return self._backgrounds[row][item.start()]
        return None

    @staticmethod
    def _begins(line: str, start: int) -> bool:
        """Text begins at `start` as an item of a list does."""
        return set(line[max(0, start - 2) : start]) <= _LEFT_OF_ITEM

    def _is_light_bar(self, stretch: _Stretch) -> bool:
        line = self._lines[stretch.row]
        outside = line[: stretch.first] + " " * (stretch.last + 1 - stretch.first) + line[stretch.last + 1 :]
        return self._is_choice(stretch, outside) or self._is_menu_bar(stretch, outside)

    def _is_choice(self, stretch: _Stretch, outside: str) -> bool:
        """A question, if any, and a few words of choices, one of them the stretch."""
        bracketed = self._lines[stretch.row][stretch.first] in "[(<"
        if not bracketed and stretch.row != self._cursor[0]:
            return False
        asked = _QUESTION.match(outside, 0, stretch.first)
        begin = asked.end() if asked is not None else 0
        words = [word for word in _WORD.finditer(outside, begin) if word[0].strip(_FRAME)]
        backgrounds = self._backgrounds[stretch.row]
        colours = {backgrounds[word.start()] for word in words}
        beside = backgrounds[min(stretch.last + 1, self._columns - 1)]
        return (
            1 <= len(words) < MAX_ITEMS
            and all(len(word[0]) <= MAX_ITEM_CHARS and _SAID.search(word[0]) for word in words)
            and stretch.last - stretch.first < MAX_ITEM_CHARS
            and words[-1].end() - begin <= MAX_ITEM_CHARS * 3
            and len(colours) == 1
            and colours <= {self._base, beside if bracketed else self._base}
        )

    def _is_menu_bar(self, stretch: _Stretch, outside: str) -> bool:
        """Short items set apart by two blanks, all but the stretch in one background."""
        items = [item for item in _ITEM.finditer(outside) if item[0].strip(_FRAME)]
        colours = {self._backgrounds[stretch.row][column] for item in items for column in range(*item.span())}
        gaps = [outside[max(0, stretch.first - 2) : stretch.first], outside[stretch.last + 1 : stretch.last + 3]]
        return (
            2 <= len(items) < MAX_ITEMS
            and all(item.end() - item.start() <= MAX_ITEM_CHARS for item in items)
            and stretch.last - stretch.first < MAX_ITEM_CHARS
            and len(colours) == 1
            and not any(gap.strip() for gap in gaps)
        )
