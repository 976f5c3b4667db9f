"""A page as a browser sees it: well nested, with its texts; anything that could load or run fails the test."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

_VOID: Final = frozenset({"meta"})
_KNOWN: Final = frozenset(
    ("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "ul", "ol", "li", "a", "code", "pre")
) | frozenset(("div", "blockquote", "strong", "span", "table", "tr", "th", "td"))
_ATTRIBUTES: Final = frozenset({"lang", "charset", "name", "content", "http-equiv", "href", "class", "id", "value"})


class Reader(HTMLParser):
    """Feed it a page, then look."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[tuple[tuple[str, ...], str]] = []
        """Each text with the tags around it."""
        self.refresh = ""
        self.links: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _KNOWN, f"<{tag}> came from somebody else"
        found = dict(attrs)
        assert found.keys() <= _ATTRIBUTES, found
        if tag == "a":
            self.links.append(found["href"] or "")
        if found.get("http-equiv") == "refresh":
            self.refresh = found["content"] or ""
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((tuple(self._open), data))

    def inside(self, tag: str) -> list[str]:
        """The texts of each element `tag`, in order."""
        return [text for path, text in self.texts if tag in path]

    @property
    def text(self) -> str:
        """All that is read."""
        return "\n".join(text for path, text in self.texts if "style" not in path)
