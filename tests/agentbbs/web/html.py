"""A page as the standard reads it: `valid(text)` fails on what a browser would have to guess, and hands back the page.

    from .html import valid

    page = valid(text)
    assert page.title == "Boards · AgentBBS"
    assert page.texts("h2") == ["general"]

What is checked of every page: it parses without an error (html5lib, strictly), has one `h1`, a title and a language,
no heading that leaves a level out, ids that stand once, references that lead to an id of the page, a label for whatever
can be filled in, names for links, buttons and drawings, captions and scopes in tables, a form key in every form that
posts, and nothing that the Content-Security-Policy forbids: no inline script, style or handler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

import html5lib

_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_UNSEEN: Final = frozenset({"script", "style", "template"})
_INLINE: Final = frozenset({"a", "b", "bdi", "code", "em", "i", "kbd", "span", "strong", "sub", "sup", "time"})
_UNNAMED_INPUTS: Final = frozenset({"hidden", "submit", "reset", "button", "image"})
_REFERENCES: Final = ("aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "list", "form")
_LOADED: Final = ("src", "href", "action", "formaction", "data", "poster")


class Page:
    """A parsed page. Tags are plain names (`svg`, not with its namespace)."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.parents = {child: parent for parent in root.iter() for child in parent}

    def all(self, *tags: str) -> list[Element]:
        """The elements of these tags, in order."""
        return [one for one in self.root.iter() if one.tag in tags]

    def texts(self, *tags: str) -> list[str]:
        """What each of them says, with white space made one space."""
        return [said(one) for one in self.all(*tags)]

    def inside(self, one: Element, *tags: str) -> bool:
        """Whether it stands somewhere in an element of these tags."""
        return any(parent.tag in tags for parent in self.above(one))

    def above(self, one: Element) -> Iterator[Element]:
        """Its parent, the parent of that, and so on."""
        while (parent := self.parents.get(one)) is not None:
            yield parent
            one = parent

    @property
    def title(self) -> str:
        return "".join(self.texts("title")[:1])

    @property
    def text(self) -> str:
        """All that is read."""
        return said(next(iter(self.all("body"))))

    @property
    def links(self) -> list[str]:
        """Where the page leads, in order."""
        return [one.get("href", "") for one in self.all("a")]

    @property
    def ids(self) -> list[str]:
        return [one.attrib["id"] for one in self.root.iter() if "id" in one.attrib]


def said(one: Element) -> str:
    """The text of an element and of all in it, but for scripts."""
    return " ".join("".join(_pieces(one)).split())


def valid(text: str) -> Page:
    """The page, once it has passed every check above. Raises AssertionError or html5lib's ParseError."""
    assert text.lstrip().lower().startswith("<!doctype html>"), "no doctype"
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    page = Page(_plain(root))
    for check in _CHECKS:
        faults = list(check(page))
        assert not faults, faults
    return page


def valid_fragment(text: str) -> Page:
    """What a script puts into a page, such as a board or the rows of a table: the same checks, without a head."""
    whole = f'<!doctype html><html lang="en"><head><title>part</title></head><body><h1>part</h1>{text}</body></html>'
    return valid(whole)


def _plain(root: Element) -> Element:
    for one in root.iter():
        if isinstance(one.tag, str):
            one.tag = one.tag.rpartition("}")[2]
    return root


def _pieces(one: Element) -> Iterator[str]:
    if one.tag not in _UNSEEN and isinstance(one.tag, str):
        apart = "" if one.tag in _INLINE else " "
        yield apart
        yield one.text or ""
        for child in one:
            yield from _pieces(child)
            yield child.tail or ""
        yield apart


def _named(page: Page, one: Element) -> bool:
    """Whether readers who do not see the element hear what it is."""
    if one.get("aria-hidden") == "true" or one.get("aria-label", "").strip() or one.get("aria-labelledby"):
        return True
    if said(one) or one.get("title", "").strip():
        return True
    return any(inner.get("alt", "").strip() or inner.get("aria-label", "").strip() for inner in one.iter())


def _head(page: Page) -> Iterator[str]:
    if not page.title.strip():
        yield "no title"
    if not page.root.get("lang"):
        yield "no language"


def _headings(page: Page) -> Iterator[str]:
    found = page.all(*_HEADINGS)
    if sum(one.tag == "h1" for one in found) != 1:
        yield f"not one h1: {page.texts('h1')}"
    level = 0
    for one in found:
        now = int(str(one.tag)[1])
        if now > level + 1:
            yield f"<{one.tag}> {said(one)!r} after a heading of level {level}"
        level = now
        if not said(one):
            yield f"an empty <{one.tag}>"


def _ids(page: Page) -> Iterator[str]:
    known = page.ids
    for name in sorted({one for one in known if known.count(one) > 1}):
        yield f"id {name!r} stands {known.count(name)} times"
    for one in page.root.iter():
        if one.tag == "label" and "for" in one.attrib and one.attrib["for"] not in known:
            yield f"a label for {one.attrib['for']!r}, which is not there"
        for attribute in _REFERENCES:
            for name in one.get(attribute, "").split():
                if name not in known:
                    yield f"{attribute}={name!r} on <{one.tag}>, which is not there"
    for link in page.links:
        if link.startswith("#") and link not in {"#", *(f"#{name}" for name in known)}:
            yield f"a link to {link!r}, which is not there"


def _fields(page: Page) -> Iterator[str]:
    labelled = {one.get("for") for one in page.all("label")}
    for one in page.all("input", "select", "textarea"):
        if one.tag == "input" and one.get("type", "text") in _UNNAMED_INPUTS:
            continue
        if one.get("id") in labelled - {None} or page.inside(one, "label"):
            continue
        if not (one.get("aria-label", "").strip() or one.get("aria-labelledby")):
            yield f"no label for <{one.tag} name={one.get('name')!r}>"


def _names(page: Page) -> Iterator[str]:
    for one in page.all("a", "button", "summary"):
        if not _named(page, one):
            yield f"a <{one.tag} href={one.get('href')!r}> without a name"
    for one in page.all("img"):
        if "alt" not in one.attrib:
            yield f"<img src={one.get('src')!r}> without alt"
    for one in page.all("svg"):
        title = one.find("title")
        unseen = one.get("aria-hidden") == "true" or any(up.get("aria-hidden") == "true" for up in page.above(one))
        if not (unseen or one.get("aria-label") or one.get("aria-labelledby") or (title is not None and said(title))):
            yield "an <svg> without a title, a label or aria-hidden"
    for one in page.all("iframe"):
        if not one.get("title", "").strip():
            yield "an <iframe> without a title"


def _tables(page: Page) -> Iterator[str]:
    for one in page.all("table"):
        if one.find("caption") is None and not (one.get("aria-label") or one.get("aria-labelledby")):
            yield f"a table without a caption: {said(one)[:60]!r}"
    for one in page.all("th"):
        if one.get("scope") not in {"col", "row", "colgroup", "rowgroup"}:
            yield f"<th> without a scope: {said(one)!r}"


def _forms(page: Page) -> Iterator[str]:
    for one in page.all("form"):
        action = one.get("action", "")
        if action and not action.startswith("/"):
            yield f"a form that is sent to {action!r}"
        keys = [field for field in one.iter("input") if field.get("name") == "form_key"]
        if one.get("method", "get").lower() == "post" and [key.get("type") for key in keys] != ["hidden"]:
            yield f"the form for {action!r} has no hidden form_key"


def _policy(page: Page) -> Iterator[str]:
    """What the Content-Security-Policy forbids, or would let a page reach beyond its site."""
    for one in page.root.iter():
        tag = str(one.tag)
        if tag in {"style", "base", "object", "embed"}:
            yield f"a <{tag}>"
        if tag == "script" and "src" not in one.attrib:
            yield "an inline script"
        for name, value in one.attrib.items():
            if name == "style" or name.lower().startswith("on"):
                yield f"{name}={value!r} on <{tag}>"
            if name in _LOADED and re.match(r"\s*(javascript|vbscript|data)\s*:", value, re.IGNORECASE):
                yield f"{name}={value[:40]!r} on <{tag}>"
        if tag in {"script", "link", "img", "iframe"} and re.match(r"(\w+:)?//", one.get("src", one.get("href", ""))):
            yield f"<{tag}> of another site: {one.attrib}"


_CHECKS: Final = (_head, _headings, _ids, _fields, _names, _tables, _forms, _policy)
