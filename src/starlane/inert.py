"""Text that pilots enter, made safe to keep and to show.

A terminal obeys control characters, bidirectional marks turn a line round, and what has no width hides. `inert` writes
them as escapes that can be seen; `inert_name` leaves them out, for a name is repeated on every screen.
"""

from __future__ import annotations

import re
from typing import Final

_HARMFUL: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # what terminals obey; line ends among them forge lines
    "\ud800-\udfff"  # halves of characters, which can't be encoded
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"  # line ends, directions, zero width
    "\xad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180f"  # soft hyphen, signs that enclose digits
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0"  # joiners, fillers, blank pattern, variations
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # the same, in rare scripts
    "\U000e0000-\U000e0fff"  # tags
    "]"
)
"""A fixed list: the Unicode tables of Python grow, and one journal must make the same world with each of them."""

_SPACES: Final = re.compile(r"[ \t\r\n\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


def inert(text: str, max_chars: int | None = None) -> str:
    r"""`text` with every character that acts or hides written as an escape such as `\x1b` or `\u202e`, cut at
    `max_chars` but never within an escape. Plain text comes back as it is, and so does the result if it is put in
    again."""
    if text.isascii() and text.isprintable():  # nearly every text
        return text[:max_chars]
    if max_chars is None:
        return _HARMFUL.sub(_escape, text)
    kept: list[str] = []
    room = max_chars
    for char in text[:max_chars]:
        shown = _HARMFUL.sub(_escape, char)
        room -= len(shown)
        if room < 0:
            break
        kept.append(shown)
    return "".join(kept)


def inert_name(text: str, max_chars: int) -> str:
    """`text` as a name: without what acts or hides, blanks squeezed to one space and none at the ends, at most
    `max_chars`. It may be empty: then there was no name in it."""
    spaced = _SPACES.sub(" ", text)
    return _SPACES.sub(" ", _HARMFUL.sub("", spaced)).strip()[:max_chars].rstrip()


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
