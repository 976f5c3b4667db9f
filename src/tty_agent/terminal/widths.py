"""How many cells a character takes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from wcwidth import wcwidth

MAX_MARKS_PER_CELL: Final = 8
"""Combining marks beyond are dropped; no script stacks as many, and a cell must not grow without end."""

_NARROW: Final = (
    " -~"  # ASCII
    "\u00a0-\u00ac\u00ae-\u02ff"  # Latin, without the soft hyphen
    "\u0370-\u0377\u037a-\u037f\u0384-\u038a\u0391-\u03a1\u03a3-\u03ff"  # Greek
    "\u0400-\u0482\u048a-\u052f"  # Cyrillic
    "\u2010-\u2027\u2030-\u205e"  # dashes, quotes, dots
    "\u2190-\u2199\u2200-\u22ff"  # arrows, mathematics
    "\u2500-\u25fc\u2800-\u28ff"  # lines, blocks, shapes, Braille
    "\ufffd"  # what stands for a byte that is no character
)
"""Ranges of characters that are one cell wide for certain: what programs draw with."""

NARROW_RUN: Final = re.compile(f"[{_NARROW}]+")


@lru_cache(maxsize=4096)
def cells(char: str) -> int:
    """2 for a wide character, 1 for a narrow one, 0 for a mark that joins the one before it, -1 for what takes
    no part in the picture: controls, format characters such as the byte order mark, separators of lines."""
    width: int = wcwidth(char)
    if width <= 0 and unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}:
        return -1
    return max(width, 0)
