"""Text that came from outside, made safe to show.

A terminal obeys control characters, a reader is fooled by bidirectional overrides, and nobody sees a
zero-width character. `inert` turns all of these into visible escapes and leaves every other character
as it is. Whatever came from a caller or an agent goes through it before it reaches a terminal, a page,
a log, a dropfile or a title.
"""

from __future__ import annotations

import re
from typing import Final

_HARMFUL_RANGES: Final = (
    # C0, DEL and C1: what terminals obey. CR and LF among them forge lines.
    (0x00, 0x1F),
    (0x7F, 0x9F),
    # Surrogates have no place in text and can't be encoded.
    (0xD800, 0xDFFF),
    # Line and paragraph separator, bidi embeddings, overrides, isolates and marks, zero-width
    # characters, and the code points set aside for more of the kind.
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    # Other format characters (general category Cf).
    (0xAD, 0xAD),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x180B, 0x180F),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    # Invisible although they count as letters or marks: joiners, fillers, variation selectors, tags.
    (0x34F, 0x34F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),
)
"""Unicode's Cc, Cf, Cs, Zl, Zp and Default_Ignorable_Code_Point, and the blank Braille pattern."""

_HARMFUL: Final = re.compile(
    "[" + "".join(f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in _HARMFUL_RANGES) + "]"
)

_SHORT: Final = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}

ELLIPSIS: Final = "…"
"""Ends a text that was cut."""


def inert(text: str, *, max_chars: int | None = None) -> str:
    r"""`text` with every character that acts or hides written as an escape such as `\n`, `\x1b` or `\u202e`.

    All other characters, the backslash too, stay: plain text comes back unchanged, and `inert` of its own
    result is that result. With `max_chars` (at least 1) the result has at most that many characters; what
    was cut ends in `…`, never within an escape.
    """
    if max_chars is not None and len(text) > max_chars:
        text = text[: max_chars + 1]  # no escape is shorter than its character
    elif text.isascii() and text.isprintable():  # nearly every text; a tenth of the time
        return text
    shown = _HARMFUL.sub(_escape, text)
    if max_chars is None or len(shown) <= max_chars:
        return shown
    return _cut(text, max_chars - len(ELLIPSIS)) + ELLIPSIS


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _cut(text: str, room: int) -> str:
    kept: list[str] = []
    for char in text:
        shown = _HARMFUL.sub(_escape, char)
        room -= len(shown)
        if room < 0:
            break
        kept.append(shown)
    return "".join(kept)
