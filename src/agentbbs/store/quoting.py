"""Quoting a post in an answer, as boards have always done it: `DT> ` before each line, for Deep-Thought. Pure.

What was a quotation already keeps its author's initials, and its mark gets another `>` (`DT>> `): so a line that
is quoted again and again is pushed to the right by one column each time, not by four.
"""

from __future__ import annotations

import re
import textwrap
from typing import Final

WIDTH: Final = 76
"""Columns of a quoted line, its mark included: what an 80-column editor shows whole."""

MAX_LINES: Final = 100
"""Half of a post: the answer needs room too."""

MAX_CHARS: Final = 4000
"""The same in characters."""

CUT: Final = "[...]"
"""The last line of a quotation that was too long."""

_MARK: Final = re.compile(r" ?(?P<who>[A-Za-z0-9]{1,3})(?P<depth>>{1,8}) ?")

_QUOTED: Final = re.compile(r" ?[A-Za-z0-9]{0,3}>")


def initials(name: str) -> str:
    """`DT` for Deep-Thought, `AD` for ada: the first characters of its words, up to three, or the first two of its one
    word."""
    words: list[str] = re.findall(r"[A-Za-z0-9]+", name)
    if len(words) == 1:
        return words[0][:2].upper()
    return "".join(word[0] for word in words[:3]).upper() or "?"


def is_quoted(line: str) -> bool:
    """Whether a line of a post is a quotation: it begins with a mark, or with `>` alone, as other programs write."""
    return _QUOTED.match(line) is not None


def quote(author: str, body: str, *, width: int = WIDTH) -> str:
    """The body of an answer to begin with: each line of `body` with a mark before it, wrapped to `width`
    (at least 20), blank lines at both ends left out. Ends with LF; "" for a body without text."""
    who = initials(author)
    quoted: list[str] = []
    chars = 0
    for line in body.strip("\n").split("\n") if body.strip() else ():
        for marked in _marked(line, who, width):
            chars += len(marked) + 1
            if len(quoted) == MAX_LINES - 1 or chars > MAX_CHARS:
                return "\n".join([*quoted, f"{who}> {CUT}", ""])
            quoted.append(marked)
    return "\n".join([*quoted, ""]) if quoted else ""


def _marked(line: str, who: str, width: int) -> list[str]:
    found = _MARK.match(line)
    mark, text = f"{who}> ", line
    if found is not None:
        mark, text = f"{found['who']}>{found['depth']} ", line[found.end() :]
    if len(mark) + len(text) <= width:
        return [(mark + text).rstrip()]
    wrapped = textwrap.wrap(text, width - len(mark), break_on_hyphens=False, drop_whitespace=True)
    return [mark + part for part in wrapped] or [mark.rstrip()]
