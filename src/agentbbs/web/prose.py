"""Our own pages of words, which are written in Markdown, as parts of a page of the site. Pure.

The words are ours, and still no HTML in them counts: whatever looks like it is shown as it is written. A link that
leads from one page of the docs to another leads to the same page of the site; one that leads nowhere is a fault of
ours, and is raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

_OUTSIDE: Final = ("https://", "http://", "#", "/")
_TAKEN: Final = ("content", "contents")
"""Ids that the page around the words has."""


class Heading(msgspec.Struct, frozen=True):
    """A heading with the id that links name, and those that stand below it."""

    anchor: str
    text: str
    below: tuple[Heading, ...] = ()


class Prose(msgspec.Struct, frozen=True):
    """A text: its title, its body without that, and its headings of the second and third level."""

    title: str
    body: Markup
    contents: tuple[Heading, ...]


class NoSuchPage(ValueError):
    """A link leads to a page that the site has not."""


def prose(markdown: str, links: Mapping[str, str]) -> Prose:
    """`markdown` begins with its title as a heading of the first level. `links` has the address on this site of each
    file that it may name. Raises NoSuchPage."""
    tokens = _MARKDOWN.parse(markdown)
    if [token.tag for token in tokens[:3:2]] != ["h1", "h1"]:
        raise ValueError("a text begins with its title, as a heading of the first level")
    title, tokens = _text(tokens[1]), tokens[3:]
    for token in _each(tokens):
        _lead(token, links)
    found = _anchored(tokens)
    _named(tokens)
    return Prose(title, Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})), found)  # noqa: S704 - no HTML of the text counts


def inline(markdown: str) -> Markup:
    """A sentence of ours: what stands in backquotes is code."""
    return Markup(_MARKDOWN.renderInline(markdown))  # noqa: S704 - as above


def _each(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _lead(token: Token, links: Mapping[str, str]) -> None:
    """Turn a link between files into one between pages."""
    target = str(token.attrGet("href") or "")
    if token.type != "link_open" or target.startswith(_OUTSIDE):
        return
    file, mark, anchor = target.partition("#")
    if file not in links:
        raise NoSuchPage(target)
    token.attrSet("href", links[file] + mark + anchor)


def _anchored(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """Give each heading its id and a link to itself; returns them."""
    taken = set(_TAKEN)
    found: list[tuple[str, Heading]] = []
    for opened, words in pairwise(tokens):
        if opened.type != "heading_open":
            continue
        text = _text(words)
        anchor = _anchor(text, taken)
        opened.attrSet("id", anchor)
        attributes: dict[str, str | int | float] = {
            "class": "anchor",
            "href": f"#{anchor}",
            "aria-label": f"Link to {text}",
        }
        link = [Token("link_open", "a", 1, attributes), Token("text", "", 0, content="#"), Token("link_close", "a", -1)]
        words.children = [*(words.children or ()), Token("text", "", 0, content=" "), *link]
        found.append((opened.tag, Heading(anchor, text)))
    return _nested(found)


def _nested(found: Sequence[tuple[str, Heading]]) -> tuple[Heading, ...]:
    top: list[Heading] = []
    for tag, heading in found:
        if tag == "h2":
            top.append(heading)
        elif tag == "h3" and top:
            top[-1] = msgspec.structs.replace(top[-1], below=(*top[-1].below, heading))
    return tuple(top)


def _anchor(text: str, taken: set[str]) -> str:
    """As a link would name it: small letters, hyphens, a number where that name is taken."""
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"
    anchor, number = name, 1
    while anchor in taken:
        number += 1
        anchor = f"{name}-{number}"
    taken.add(anchor)
    return anchor


def _named(tokens: Sequence[Token]) -> None:
    """Say of each table what it is about, and of each cell of its head that it is one."""
    heading = ""
    for token in tokens:
        if token.type == "heading_open":
            heading = str(token.attrGet("id"))
        elif token.type == "table_open":
            token.attrSet("class", "table")
            if heading:
                token.attrSet("aria-labelledby", heading)
        elif token.type in {"th_open", "td_open"}:
            token.attrs.pop("style", None)
            if token.type == "th_open":
                token.attrSet("scope", "col")


def _text(words: Token) -> str:
    return "".join(part.content for part in words.children or () if part.type in {"text", "code_inline"})


def _table_open(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
    """A table that is wider than the screen is scrolled, also by the keyboard."""
    return f'<div class="scroll" tabindex="0">\n{renderer.renderToken(tokens, at, options, env)}'


def _table_close(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Any) -> str:
    return f"{renderer.renderToken(tokens, at, options, env)}</div>\n"


def _fence(_: RendererHTML, tokens: Sequence[Token], at: int, __: OptionsDict, ___: Any) -> str:
    """What is in a language may be wanted elsewhere, so a script gives it a button that copies."""
    copied = " data-copy" if tokens[at].info in {"js", "json", "sh"} else ""
    return f'<pre tabindex="0"{copied}><code>{escape(tokens[at].content)}</code></pre>\n'


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for name, rule in (("table_open", _table_open), ("table_close", _table_close), ("fence", _fence)):
        markdown.add_render_rule(name, rule)
    return markdown


_MARKDOWN: Final = _markdown()
