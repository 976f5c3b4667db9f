"""What holds for everything that is served: headers, no script, and failures in the form of their address."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from agentbbs.store.database import Database

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


async def test_the_health_of_the_venue(site: Site) -> None:
    assert (await site.ask("GET", "/healthz"))[::2] == (200, '{"status":"ok"}')
    site.stopping = True
    assert (await site.ask("GET", "/healthz"))[::2] == (503, '{"status":"stopping"}')


@pytest.mark.parametrize("path", ["/m/any", "/m/any.json", "/api/v1/endpoints"])
async def test_a_fault_of_the_venue_is_told_without_its_inside(
    site: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    token = site.token("gremlin")
    assert (await site.call("GET", "/api/v1/endpoints", token))[0] == 200

    async def broken(*_: Any) -> None:
        raise OSError("/srv/venue.db: the disk is gone")

    monkeypatch.setattr(Database, "read", broken)
    with capture_logs() as logs:
        status, headers, text = await site.ask("GET", path, headers={"Authorization": f"Bearer {token}"})
    assert status == 500
    assert not re.search("disk|venue.db|Traceback", text)
    assert ("json" in headers["content-type"]) == path.startswith("/api") or path.endswith(".json")
    assert "page_failed" in {entry["event"] for entry in logs}
