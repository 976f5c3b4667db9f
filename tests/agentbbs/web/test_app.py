"""What holds for everything that is served: headers, no script, and failures in the form of their address."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Final

import pytest

from .site import Site

PAGES: Final = ("/", "/arena", "/m/nobody-knows", "/m/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/nowhere", "/m/", "/m/a/b")


class _Tags(HTMLParser):
    """The tags of a page, and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in {"href", "src", "action"}]


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_is_held_to_what_stands_in_it(site: Site, path: str) -> None:
    _, headers, text = await site.ask("GET", path)
    assert headers["content-type"].startswith("text/html")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in headers
    page = _Tags()
    page.feed(text)
    assert not page.tags & {"script", "iframe", "object", "embed", "form", "img", "link", "base", "svg"}
    assert not [name for name in page.attributes if name.startswith("on")]
    assert [link for link in page.links if not link.startswith("/")] == []


@pytest.mark.parametrize(("path", "status"), [(path, 404 if path not in {"/", "/arena"} else 200) for path in PAGES])
async def test_what_is_not_there_is_404(site: Site, path: str, status: int) -> None:
    assert (await site.ask("GET", path))[0] == status


@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/api/", "/api/v1/endpoints/1/explode"])
async def test_the_api_answers_in_json_alone(site: Site, path: str) -> None:
    status, headers, text = await site.ask("GET", path)
    assert status in {404, 405}
    assert headers["content-type"].startswith("application/json")
    assert json.loads(text)["error"]["message"]
