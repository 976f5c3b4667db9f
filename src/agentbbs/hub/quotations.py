"""Text that somebody wrote, line by line, with what it quotes in its own colour. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agentbbs.hub.text import Span, Style, Text

_QUOTED: Final = re.compile(r" ?[A-Za-z0-9]{0,3}>")


def in_styles(body: str) -> Iterator[Text]:
    """The lines of `body`. Quoted are those that begin as `store.quoting` marks them, or with `>` alone."""
    for line in body.rstrip("\n").split("\n"):
        yield Span(line, Style.QUOTE) if _QUOTED.match(line) else line
