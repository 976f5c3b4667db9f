"""What kind of input a program seems to wait for, guessed from the shape of the row of the cursor.

The shapes are those of terminals at large: no rule knows the words of one program. A guess is a hint for the agent
and never refuses an action.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

import msgspec


class InputMode(StrEnum):
    """The kinds."""

    HOTKEY = "hotkey"
    """One key, which may act without Enter."""
    LINE = "line"
    """Text, ended by Enter."""
    YES_NO = "yes_no"
    PAGER = "pager"
    """A pause: a key goes on."""
    NUMERIC = "numeric"
    PASSWORD = "password"  # noqa: S105 - the kind of a prompt
    """What is typed is not shown."""
    MENU = "menu"
    """An item is marked by colour; arrow keys and Enter choose."""
    FULL_SCREEN = "full_screen"
    """The cursor stands amid a screen: an editor, a form, a map."""
    CLOSED = "closed"
    """The connection is gone."""
    UNKNOWN = "unknown"


class Guess(msgspec.Struct, frozen=True):
    """A kind, and what speaks for it, in words."""

    mode: InputMode
    evidence: str


class _Shape(msgspec.Struct, frozen=True):
    """A pattern that speaks for a kind. It is searched in the cursor's row up to the cursor."""

    mode: InputMode
    evidence: str
    pattern: re.Pattern[str]


def _shape(mode: InputMode, evidence: str, pattern: str) -> _Shape:
    return _Shape(mode, evidence, re.compile(pattern, re.IGNORECASE))


_SHOUTED: Final = (
    _shape(
        InputMode.PASSWORD,
        "it asks for a secret",
        r"\b(?:password|passphrase|passcode|secret|pin(?: code)?)\b[^:?>]{0,40}[:?>]\s*\**$",
    ),
    _shape(InputMode.PAGER, "it says that there is more", r"-{1,3}\s*more\b|[\[(<]\s*more\s*[\])>]|^\s*more\s*\W*$"),
    _shape(InputMode.PAGER, "it says that this is the end", r"[\[(]END[\])]\s*$"),
    _shape(InputMode.PAGER, "it asks for any key", r"\b(?:hit|press|strike|touch)\b[^.?!]{0,24}\bkey\b"),
    _shape(
        InputMode.PAGER,
        "it asks for Enter",
        r"\b(?:hit|press|strike)\b\W{0,3}(?:enter|return)\b|\b(?:enter|return)\b\W{0,3}to continue",
    ),
    _shape(InputMode.YES_NO, "it offers yes and no", r"\byes\b\W{1,4}no\b\W*$|\bno\b\W{1,4}yes\b\W*$"),
    _shape(InputMode.YES_NO, "it offers y and n", r"[\[(]\s*y\s*[/,|]?\s*n[a-z#]{0,3}\s*[\])][^a-z]*(?:[yn]\W*)?$"),
    _shape(InputMode.YES_NO, "it offers y and n", r"\by\s*/\s*n\b\W*(?:[yn]\W*)?$"),
    _shape(
        InputMode.NUMERIC,
        "it names a range of numbers",
        r"[\[(]\s*\d[\d,]*\s*(?:-|\u2013|\.\.|to|thru|through)\s*\d[\d,]*[^\])]{0,12}[\])][^a-z]*$",
    ),
    _shape(InputMode.NUMERIC, "a number in brackets is its default", r"[\[(]\s*\d[\d,]*\s*[\])]\s*[:?>]?\s*\d*$"),
    _shape(
        InputMode.NUMERIC,
        "it asks for a quantity",
        r"\b(?:how (?:many|much)|amount|quantity|number(?! or))\b[^:?>]{0,60}[:?>]\s*\d*$",
    ),
    _shape(InputMode.HOTKEY, "it names a key for help", r"[\[(]\s*\S\s*=\s*\w[^\])]{0,20}[\])][^a-z]*(?:\w\s*)?$"),
    _shape(InputMode.HOTKEY, "it lists single keys", r"[\[(]\s*\w(?:\s*[,/|]\s*\w)+\s*[\])][^a-z]*(?:\w\s*)?$"),
    _shape(InputMode.HOTKEY, "letters in brackets begin its words", r"(?:[\[(<]\w[\])>]\w+\W+){2}|(?:\b\w\)\w+\W+){2}"),
)
"""Plain enough to hold wherever the cursor stands on the screen."""

_ASKING: Final = (
    _shape(InputMode.LINE, "it ends like the prompt of a shell", r"(?:^|[^=\-<])[$#%>\u276f\u00bb]\s*$"),
    _shape(InputMode.LINE, "it ends with a colon", r":\s*[\[(]?\s*$"),
    _shape(InputMode.LINE, "it ends with a question mark", r"\?\s*$"),
)
"""The end of a line that asks; amid a full screen this says nothing."""

_BARE: Final = frozenset({InputMode.NUMERIC, InputMode.HOTKEY})
"""Kinds told by brackets, which output has too: of a row above they count only where it ends as a question does."""

_ASKS: Final = re.compile(r"[:?>]\s*$")

_BAR_PAGER: Final = re.compile(r"^:\s*$")
"""A lone colon on the last row, behind a screen full of text."""

_MIN_ROWS_BELOW: Final = 2
"""So many rows of text below the cursor make a full screen; one is a status line."""


def classify(
    before: str, after: str = "", *, rows_below: int = 0, line_above: str = "", highlighted: bool = False
) -> Guess:
    """Guess the kind.

    `before` and `after` are the cursor's row up to the cursor, typed input left out, and from the cursor on;
    `rows_below` counts the rows below it that hold text; `line_above` is the row straight above, which is looked at
    only if the cursor's own is empty, and for what asks in words; `highlighted`: a menu marks an item by colour.
    """
    row = before + after
    guess = _first(_SHOUTED, before) or (_first(_SHOUTED, row) if after.strip() else None)
    if guess is None and not row.strip():
        guess = _first(_SHOUTED, line_above)
        if guess is not None and guess.mode in _BARE and not _ASKS.search(line_above):
            guess = None
    if guess is not None:
        return guess
    asking = _first(_ASKING, before)
    if highlighted and (asking is None or after.strip() or rows_below >= _MIN_ROWS_BELOW):
        return Guess(InputMode.MENU, "an item is marked by colour")
    if rows_below >= _MIN_ROWS_BELOW:
        return Guess(InputMode.FULL_SCREEN, "there is text below the cursor")
    if _BAR_PAGER.match(row) and line_above.strip():
        return Guess(InputMode.PAGER, "a lone colon stands below the text")
    return asking or Guess(InputMode.UNKNOWN, "no known shape")


def _first(shapes: tuple[_Shape, ...], text: str) -> Guess | None:
    for shape in shapes:
        if shape.pattern.search(text):
            return Guess(shape.mode, shape.evidence)
    return None
