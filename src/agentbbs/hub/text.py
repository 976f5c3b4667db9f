"""What is shown to callers, as values: text, and text in a style. Nothing in it can control a terminal.

A `Caller` writes these and nothing else. Whatever is in a text, its own or another caller's, each of its
characters that would act or hide is shown as an escape (`inert`); only LF ends a line. So no plugin can pass on a
control sequence, even if it forgets that a name or a post came from somebody else. Styles are words of a closed
list, and become SGR for ANSI terminals and nothing for plain ones.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Style(StrEnum):
    """The looks of the house, by what they mean."""

    PLAIN = "plain"
    TITLE = "title"
    KEY = "key"
    """A hotkey in a menu."""
    LABEL = "label"
    NAME = "name"
    """Of an account."""
    NUMBER = "number"
    DIM = "dim"
    GOOD = "good"
    BAD = "bad"
    NOTICE = "notice"
    QUOTE = "quote"
    FIRST = "first"
    """Pieces of the seat that moves first."""
    SECOND = "second"
    CURSOR = "cursor"
    """The cell of a board that the caller is on."""
    BAR = "bar"
    """The header line."""


class Span(msgspec.Struct, frozen=True):
    """Text in a style."""

    text: str
    style: Style = Style.PLAIN


Text = str | Span | tuple["Text", ...]
"""What can be written."""


def plain(text: Text) -> str:
    """The characters of it, without styles."""
    if isinstance(text, str):
        return text
    return text.text if isinstance(text, Span) else "".join(plain(part) for part in text)
