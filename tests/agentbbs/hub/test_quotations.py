"""What of a text is quoted."""

from __future__ import annotations

from agentbbs.hub.quotations import in_styles
from agentbbs.hub.text import Span, Style, plain
from agentbbs.store import quoting


def test_quoted_lines_have_their_own_style() -> None:
    body = "Hi\n> old\nDT> older\nDT>> oldest\na->b\nx = y > z\n\nBye\n"
    quoted = {plain(line) for line in in_styles(body) if isinstance(line, Span) and line.style is Style.QUOTE}
    assert quoted == {"> old", "DT> older", "DT>> oldest"}
    assert [plain(line) for line in in_styles(body)] == body.rstrip("\n").split("\n")


def test_what_the_house_quotes_is_seen_as_quoted() -> None:
    text = quoting.quote("Deep-Thought", "one\n\nAD> two\n" + "long " * 40)
    assert all(isinstance(line, Span) for line in in_styles(text))
