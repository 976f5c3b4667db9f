"""Whether a row looks as if its program waits for input there, from its shape alone.

Nothing here knows the words of a program: a prompt is short text that ends like a question, with the cursor
right behind it and nothing but an empty field after it.
"""

from __future__ import annotations

import re
from typing import Final

MAX_GAP_COLUMNS: Final = 2
"""Blanks between a prompt and the cursor: programs write one, some two."""

MAX_CHOICES_CHARS: Final = 40
"""Of the choices that follow a question mark: `Save the file? [Yes] No Cancel`."""

_FIELD: Final = " _.·░▒│║|┃█▌▐"
"""What an empty input field and the frame around it are drawn with."""

_ENDINGS: Final = frozenset("?:>])}$#\u00bb\u203a\u276f\u279c\u25ba\u2192")

_QUESTION: Final = re.compile(rf"\?\s(?=[^?]*[\[(/])[^?]{{1,{MAX_CHOICES_CHARS}}}$")
"""A question mark and choices, one of them in brackets or with a slash between."""

_PAGER: Final = re.compile(r"--\s?[^\s-][^-]*--$")
"""`--More--` and its kin."""

_PERCENT: Final = re.compile(r"(?:^|\D)%$")
"""The prompt of a C shell, but not the end of `45%`."""


def looks_like_prompt(before: str, after: str) -> bool:
    """Of a row split at the cursor: `before` it (blanks kept), and from the cursor on."""
    text = before.rstrip()
    if not text or len(before) - len(text) > MAX_GAP_COLUMNS or after.strip(_FIELD):
        return False
    return (
        text[-1] in _ENDINGS
        or _QUESTION.search(text) is not None
        or _PAGER.search(text) is not None
        or _PERCENT.search(text) is not None
    )
