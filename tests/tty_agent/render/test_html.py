"""Pages: what is on them, and that nothing of the screen gets out of its place."""

from __future__ import annotations

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.tty_agent.render.picture_samples import picture_of

from tty_agent.render.html import HtmlFrame, html_page, pre
from tty_agent.terminal import style
from tty_agent.terminal.style import pack


class Reader(HTMLParser):
    """Collects elements and the text of each `<pre>`."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.screens: list[str] = []
        self.scripts: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "input"}:
            self._open.append(tag)
        if tag == "pre":
            self.screens.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "pre" in self._open:
            self.screens[-1] += data
        if self._open and self._open[-1] == "script":
            self.scripts.append(data)


def test_a_page_shows_the_text_of_each_frame() -> None:
    page = html_page([HtmlFrame(picture_of("Login:"), "step 1"), HtmlFrame(picture_of("", "Menu <1>"))], title="A run")
    read = Reader(page)
    assert [screen.rstrip() for screen in read.screens] == ["Login:", "\nMenu <1>"]
    assert "<figcaption>step 1</figcaption>" in page
    assert "<title>A run</title>" in page


def test_nothing_is_loaded_from_anywhere() -> None:
    read = Reader(html_page([HtmlFrame(picture_of("x"))]))
    assert not [tag for tag, _ in read.tags if tag in {"link", "img", "iframe", "object", "embed"}]
    assert not [name for _, attrs in read.tags for name in attrs if name in {"src", "href"}]
    policies = [attrs["content"] for tag, attrs in read.tags if tag == "meta" and "http-equiv" in attrs]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"]


def test_text_from_outside_is_text() -> None:
    nasty = "<script>alert(1)</script>&\x1b\u202e"
    page = html_page([HtmlFrame(picture_of([*"<b>&amp;\u202e\x07"]), nasty)], title=nasty)
    read = Reader(page)
    assert len(read.scripts) == 1
    assert "alert(1)" not in read.scripts[0]
    assert read.screens[0].startswith("<b>&amp;\ufffd\ufffd")
    assert not set(page) & {"\x1b", "\u202e", "\x07"}


def test_colours_and_lines_of_text() -> None:
    looks = {
        (0, 0): pack(1, 4, style.BOLD),
        (0, 1): pack(-1, -1, style.UNDERLINE | style.STRIKE | style.ITALIC),
        (0, 2): pack(2, 0, style.REVERSE),
        (0, 3): pack(0, 1, style.BLINK),
    }
    shown = pre(picture_of("abcd", looks=looks, cursor_visible=False, bright_backgrounds=True))
    assert '<span style="color:#ff5555;background:#0000aa">a</span>' in shown
    assert '<span class="u s i">b</span>' in shown
    assert '<span style="color:#000000;background:#00aa00">c</span>' in shown
    assert '<span style="color:#000000;background:#ff5555">d</span>' in shown


@pytest.mark.parametrize(
    ("cursor", "wanted"),
    [
        ((0, 0), '<span class="c">a</span>b'),
        ((0, 1), 'a<span class="c">b</span>'),
        ((0, 4), 'ab  <span class="c"> </span>'),
    ],
)
def test_the_cursor_stands_alone(cursor: tuple[int, int], wanted: str) -> None:
    assert pre(picture_of("ab", cursor=cursor)).split("\n")[0] == f'<pre style="min-width:20ch">{wanted}'
    assert 'class="c"' not in pre(picture_of("ab", cursor=cursor), cursor=False)


def test_the_cursor_takes_a_wide_character_whole() -> None:
    assert '<span class="c">漢</span>b' in pre(picture_of(["漢", "", "b"], cursor=(0, 0)))


def test_the_script_is_one_that_a_machine_can_read(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    script = tmp_path / "page.js"
    script.write_text(Reader(html_page([HtmlFrame(picture_of("x"))])).scripts[0])
    checked = subprocess.run([node, "--check", script], capture_output=True, timeout=30, check=False)
    assert checked.returncode == 0, checked.stderr
