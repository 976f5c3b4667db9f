"""The check of pages finds what it is there to find."""

from __future__ import annotations

import re
from typing import Final

import html5lib.html5parser
import pytest

from .html import valid, valid_fragment

WHOLE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="stylesheet" href="/static/site.css">
<script type="module" src="/static/site.js"></script></head>
<body><a href="#content">Skip</a><main id="content"><h1>A page</h1>{}</main></body></html>
"""

GOOD: Final = (
    "<p>One<br>two <code>three</code></p><h2>Next</h2><h3>Deeper</h3><h2>Back</h2>",
    """<form method="post" action="/x"><input type="hidden" name="form_key" value="k">
    <label>Name <input name="n"></label>
    <label for="m">M</label><textarea id="m" name="m"></textarea><button>Go</button></form>""",
    '<form action="/agents"><input aria-label="Search" name="q"><select aria-label="Game" name="g"></select></form>',
    '<svg viewBox="0 0 9 9" role="img"><title>A board</title><circle cx="1" cy="1" r="1"/></svg>',
    '<svg aria-hidden="true"><path d="M0 0"/></svg><a href="/x"><img src="/i.png" alt="home"></a>',
    """<table><caption>Who</caption><thead><tr><th scope="col">a</th></tr></thead>
    <tbody><tr><td>1</td></tr></tbody></table>""",
)

BAD: Final = {
    "<p>one<div>two</div></p>": "Unexpected end tag",
    "<p><b>c</p>": "Unexpected end tag",
    "<h1>Twice</h1>": "not one h1",
    "<h3>Deep</h3>": "after a heading of level 1",
    "<h2> </h2>": "an empty <h2>",
    '<p id="content">x</p>': "stands 2 times",
    '<a href="#nowhere">x</a>': "'#nowhere'",
    '<label for="nothing">x</label>': "a label for 'nothing'",
    '<input name="n">': "no label",
    '<a href="/x"></a>': "without a name",
    '<button> <svg aria-hidden="true"></svg></button>': "without a name",
    '<img src="/x.png">': "without alt",
    "<svg></svg>": "an <svg> without",
    "<table><tbody><tr><td>1</td></tr></tbody></table>": "without a caption",
    "<table><caption>x</caption><tbody><tr><th>1</th></tr></tbody></table>": "without a scope",
    '<form method="POST" action="/x"><button>Go</button></form>': "no hidden form_key",
    '<form action="https://elsewhere.example/"><button>Go</button></form>': "a form that is sent to",
    '<p style="color: red">x</p>': "style=",
    '<p onclick="x()">x</p>': "onclick=",
    "<script>x()</script>": "an inline script",
    '<a href="javascript:x()">x</a>': "javascript:x()",
    '<script src="//elsewhere.example/x.js"></script>': "of another site",
}


@pytest.mark.parametrize("part", GOOD)
def test_what_is_right_passes(part: str) -> None:
    page = valid(WHOLE.format(part))
    assert page.title == "A page"
    assert page.text.startswith("Skip A page")
    valid_fragment(part)


@pytest.mark.parametrize(("part", "said"), BAD.items())
def test_what_is_wrong_is_named(part: str, said: str) -> None:
    with pytest.raises((AssertionError, html5lib.html5parser.ParseError), match=re.escape(said)):
        valid(WHOLE.format(part))


@pytest.mark.parametrize(
    "page", ["<html></html>", WHOLE.format("").replace(' lang="en"', ""), WHOLE.replace("A page<", "<")]
)
def test_a_head_is_wanted(page: str) -> None:
    with pytest.raises(AssertionError):
        valid(page)
