"""How many columns of a terminal a text takes. Pure."""

from __future__ import annotations

import unicodedata


def columns_of(text: str) -> int:
    """Columns of an inert text: two for wide East Asian characters and emoji, none for marks that combine."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
