"""Text that somebody wrote, line by line, with what it quotes in its own colour. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from agentbbs.hub.text import Span, Style, Text
from agentbbs.store.quoting import is_quoted


def in_styles(body: str) -> Iterator[Text]:
    """The lines of `body`. Quoted are those that begin as `store.quoting` marks them, or with `>` alone."""
    for line in body.rstrip("\n").split("\n"):
        yield Span(line, Style.QUOTE) if is_quoted(line) else line
