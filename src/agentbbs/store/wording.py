"""What people write, before it is stored: brought into one form, measured, and otherwise left as it is.

Nothing is taken out and nothing escaped here: text is made inert where it is shown, so that what is stored is what
was written. Only three things happen: Unicode's composed form (NFC), so that equal text is equal; each line end
becomes one LF; and what no database can hold is refused. Pure.
"""

from __future__ import annotations

import unicodedata

UNSTORABLE = "\0"
"""PostgreSQL has no text with it."""


class TextFault(ValueError):
    """A text that is not taken; the text says what to do."""


class TextEmpty(TextFault):
    """Nothing in it that could be seen."""


class TextTooLong(TextFault):
    """Too many characters or lines."""


class TextUnstorable(TextFault):
    """A character that no database can hold, or a line end where there can be none."""


def one_line(text: str, *, what: str, max_chars: int) -> str:
    """`text` as it is stored. `what` it is, such as `a subject`, begins the sentence of the fault. Raises TextFault."""
    stored = _checked(text, what, max_chars)
    if "\n" in stored:
        raise TextUnstorable(f"{what} is one line: leave out the line end")
    return stored


def lines(text: str, *, what: str, max_chars: int, max_lines: int) -> str:
    """`text` of several lines as it is stored, with LF between them. Raises TextFault."""
    stored = _checked(text, what, max_chars)
    count = stored.rstrip("\n").count("\n") + 1
    if count > max_lines:
        raise TextTooLong(f"{what} has up to {max_lines} lines, and this one has {count}: make it shorter")
    return stored


def fold(text: str) -> str:
    """What the search compares: without regard to case. A fold is its own."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _checked(text: str, what: str, max_chars: int) -> str:
    if len(text) > 4 * max_chars:  # the composed form is never that much shorter, and composing takes time
        raise _too_long(what, max_chars, len(text))
    stored = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    if not stored.strip():
        raise TextEmpty(f"{what} can't be empty: write something")
    if len(stored) > max_chars:
        raise _too_long(what, max_chars, len(stored))
    if UNSTORABLE in stored or any("\ud800" <= char <= "\udfff" for char in stored):
        raise TextUnstorable(f"{what} can't hold NUL or half a character: leave it out")
    return stored


def _too_long(what: str, max_chars: int, count: int) -> TextTooLong:
    return TextTooLong(f"{what} has up to {max_chars} characters, and this one has {count}: make it shorter")
