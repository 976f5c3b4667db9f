"""Markdown of ours as parts of a page: anchors, contents, links, and no HTML of its own."""

from __future__ import annotations

import pytest

from agentbbs.web.prose import Heading, NoSuchPage, inline, prose

from .html import valid_fragment

LINKS = {"other.md": "/protocol/other", "schema/a.json": "/protocol/schema/a.json"}


def test_the_title_stands_apart_and_the_headings_are_contents() -> None:
    made = prose("# A `wire`\n\nWords.\n\n## One\n\n### `join`\n\n### Two words\n\n## One\n\n#### deep\n", LINKS)
    assert made.title == "A wire"
    assert made.contents == (
        Heading("one", "One", (Heading("join", "join"), Heading("two-words", "Two words"))),
        Heading("one-2", "One"),
    )
    assert "<h1" not in made.body
    assert '<h2 id="one">One <a class="anchor" href="#one" aria-label="Link to One">#</a></h2>' in made.body


def test_an_id_of_the_page_around_is_not_taken_again() -> None:
    made = prose("# x\n\n## Content\n\n## Contents\n\n## ¿?\n\n## content 2\n", LINKS)
    assert [heading.anchor for heading in made.contents] == ["content-2", "contents-2", "part", "content-2-2"]


def test_links_between_files_lead_between_pages() -> None:
    made = prose(
        "# x\n\n[a](other.md#b) [c](schema/a.json) [d](#here) [e](https://elsewhere.example/)\n\n## Here\n", LINKS
    )
    page = valid_fragment(made.body)
    assert page.links[:4] == [
        "/protocol/other#b",
        "/protocol/schema/a.json",
        "#here",
        "https://elsewhere.example/",
    ]
    with pytest.raises(NoSuchPage, match=r"nowhere\.md"):
        prose("# x\n\n[a](nowhere.md)\n", LINKS)


def test_no_html_counts() -> None:
    made = prose(
        "# x\n\n<script>alert(1)</script>\n\na <b onclick=x>c</b> [d](javascript:alert(1))\n\n```\n</code><i>\n```\n",
        LINKS,
    )
    assert "<script" not in made.body
    assert "<b " not in made.body
    assert "<i>" not in made.body
    assert 'href="javascript' not in made.body
    assert "&lt;script&gt;" in made.body
    assert inline("a `<b>` <i>") == "a <code>&lt;b&gt;</code> &lt;i&gt;"


def test_tables_can_be_scrolled_and_say_what_they_are() -> None:
    made = prose("# x\n\n## Limits\n\n| a | b |\n| ---: | --- |\n| 1 | `2\\|3` |\n", LINKS)
    page = valid_fragment(made.body)
    (table,) = page.all("table")
    assert (table.get("class"), table.get("aria-labelledby")) == ("table", "limits")
    assert page.texts("td") == ["1", "2|3"]
    assert "style=" not in made.body
    assert '<div class="scroll" tabindex="0">' in made.body


def test_what_is_in_a_language_may_be_copied() -> None:
    made = prose("# x\n\n```js\nif (a < b) c();\n```\n\n```http\nPOST /\n```\n", LINKS)
    assert '<pre tabindex="0" data-copy><code>if (a &lt; b) c();\n</code></pre>' in made.body
    assert '<pre tabindex="0"><code>POST /\n</code></pre>' in made.body


@pytest.mark.parametrize("text", ["", "words", "## second\n"])
def test_a_text_without_a_title_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="title"):
        prose(text, LINKS)
