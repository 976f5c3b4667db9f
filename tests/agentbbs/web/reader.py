"""A page as a browser sees it: well nested, with its texts; anything that could load or run, and anything that no
template of ours writes, fails the test. `html.valid` checks a page against the standard, this looks for strangers."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

_VOID: Final = frozenset({"meta", "link", "input", "br", "hr", "wbr"})
_HEAD: Final = frozenset({"html", "head", "meta", "title", "link", "script", "body"})
_FRAME: Final = frozenset({"header", "nav", "main", "footer", "section"})
_TEXT: Final = frozenset(
    ("h1", "h2", "h3", "p", "ul", "ol", "li", "a", "code", "pre", "div", "blockquote", "strong", "span", "q", "kbd")
) | frozenset(("dl", "dt", "dd", "time", "abbr", "em", "noscript"))
_TABLE: Final = frozenset({"table", "caption", "thead", "tbody", "tr", "th", "td"})
_FORM: Final = frozenset({"form", "label", "input", "button", "select", "option", "textarea", "fieldset", "legend"})
_SVG: Final = frozenset({"svg", "desc", "g", "rect", "circle", "path", "text"})
_KNOWN: Final = _HEAD | _FRAME | _TEXT | _TABLE | _FORM | _SVG

_ANYWHERE: Final = frozenset({"class", "id", "role", "tabindex", "hidden", "lang"})
_ATTRIBUTES: Final = {
    "meta": {"charset", "name", "content", "http-equiv"},
    "link": {"rel", "href", "type"},
    "script": {"type", "src"},
    "a": {"href", "rel", "target"},
    "li": {"value"},
    "time": {"datetime"},
    "abbr": {"title"},
    "th": {"scope", "colspan"},
    "td": {"colspan"},
    "form": {"action", "method"},
    "label": {"for"},
    "input": {"type", "name", "value", "min", "max", "maxlength", "required", "checked", "autocomplete"},
    "button": {"type", "name", "value"},
    "select": {"name"},
    "option": {"value", "selected"},
    "textarea": {"name", "rows", "cols", "maxlength", "required"},
    "svg": {"viewbox"},
    "g": {"transform"},
    "rect": {"x", "y", "width", "height", "rx"},
    "circle": {"cx", "cy", "r"},
    "path": {"d"},
    "text": {"x", "y", "font-size"},
}
_PREFIXES: Final = ("aria-", "data-")
_STATIC: Final = "/static/"


class Reader(HTMLParser):
    """Feed it a page, then look. `addresses` are what links may begin with beside the site's own paths."""

    def __init__(self, page: str, *, addresses: tuple[str, ...] = ()) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[tuple[tuple[str, ...], str]] = []
        """Each text with the tags around it."""
        self.refresh = ""
        self.links: list[str] = []
        """Where the links of the page lead, but for those that every page has."""
        self.rows: list[dict[str, str | None]] = []
        """The attributes of each row of a table."""
        self._addresses = addresses
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _KNOWN, f"<{tag}> came from somebody else"
        found = dict(attrs)
        allowed = _ANYWHERE | _ATTRIBUTES.get(tag, set())
        strange = [name for name in found if name not in allowed and not name.startswith(_PREFIXES)]
        assert strange == [], f"{strange} on <{tag}> came from somebody else"
        if tag == "a":
            self._link(found["href"] or "")
        elif tag == "script":
            assert (found.get("src") or "").startswith(_STATIC), "a script in the page"
        elif tag == "link":
            assert (found["href"] or "").startswith("/m/" if found["rel"] == "canonical" else _STATIC), found
        elif tag == "form":
            assert (found.get("action") or "/").startswith("/"), found
        elif tag == "tr":
            self.rows.append(found)
        if found.get("http-equiv") == "refresh":
            self.refresh = found["content"] or ""
        if tag not in _VOID:
            self._open.append(tag)

    def _link(self, href: str) -> None:
        assert href.startswith(("/", "?", "#", *self._addresses)), f"{href!r} leads elsewhere"
        assert not href.startswith("//"), f"{href!r} leads elsewhere"
        if not {"header", "footer"} & set(self._open) and href != "#content":
            self.links.append(href)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert not data.strip() or self._open[-1:] != ["script"], "an inline script"
        self.texts.append((tuple(self._open), data))

    def inside(self, tag: str) -> list[str]:
        """The texts of each element `tag`, in order."""
        return [text for path, text in self.texts if tag in path]

    @property
    def text(self) -> str:
        """All that is read."""
        return "\n".join(text for path, text in self.texts if "script" not in path)

    @property
    def said(self) -> str:
        """The same with white space made one space, and none between the texts."""
        return " ".join("".join(text for path, text in self.texts if "script" not in path).split())
