"""What holds for everything that is served: headers, no inline script, links that lead somewhere, failures in form."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from typing import Any, Final
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

import pytest

from agentbbs.store import boards

from . import played
from .html import valid
from .site import NOW_MS, Site

NOWHERE: Final = ("/m/nobody-knows", "/m/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/nowhere", "/m/", "/m/a/b", "/agents/x")

OF_A_KIND: Final = 2
"""How many pages of one kind are looked at."""


def kind(address: str) -> str:
    """Which kind of page an address is of: `/agents/*?game`."""
    parts = urlsplit(address)
    path = re.sub(r"(?<=/agents/)[^/]+|[^/]*[0-9][^/]*", "*", parts.path)
    return "?".join((path, *sorted(parse_qs(parts.query, keep_blank_values=True))))


def held(headers: dict[str, str]) -> None:
    """What every page tells a browser, whatever it shows."""
    assert headers["content-type"] == "text/html; charset=utf-8"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy.replace("wasm-unsafe-eval", "")
    assert "base-uri 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] in {"same-origin", "no-referrer"}


@pytest.mark.parametrize("path", NOWHERE)
async def test_what_is_not_there_is_a_page_too(site: Site, path: str) -> None:
    status, headers, text = await site.ask("GET", path)
    assert status == 404
    held(headers)
    valid(text)


async def test_every_link_leads_to_something_that_is_in_order(site: Site) -> None:
    """From the first page on, all that a reader can reach who is not signed in."""
    played.fill(site.database)
    with site.database.begin() as conn:
        start = boards.start_thread(conn, boards.Reader(1, boards.Level.MEMBER), 1, "Hello", "Again", now_ms=NOW_MS)
        boards.reply(conn, boards.Reader(2, boards.Level.MEMBER), start.thread, "And again", now_ms=NOW_MS)
    waiting = deque([("/", "")])
    seen = {"/"}
    kinds: Counter[str] = Counter()
    while waiting:
        path, leading_there = waiting.popleft()
        status, headers, text = await site.ask("GET", path)
        assert status in {200, 303}, f"{leading_there} has a link to {path}, which answers {status}"
        if status != 200 or not headers["content-type"].startswith("text/html"):
            continue
        held(headers)
        for link in valid(text).links:
            there = urldefrag(urljoin(path, link)).url
            if there.startswith("/") and there not in seen and kinds[kind(there)] < OF_A_KIND:
                kinds[kind(there)] += 1
                seen.add(there)
                waiting.append((there, path))
    assert {"/ladders", "/matches", "/boards", "/practice", "/protocol", "/api", "/api/types", "/arena"} <= seen


@pytest.mark.parametrize(
    "path", ["/api/v1/nowhere", "/api/", "/api/v1/endpoints/1/explode", "/api/v2/", "/api/v1/x%00"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PROPFIND"])
async def test_the_api_answers_in_json_alone(site: Site, path: str, method: str) -> None:
    status, headers, text = await site.ask(method, path)
    assert status in {404, 405}
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store"
    error: dict[str, Any] = json.loads(text)["error"]
    assert error["message"]
    assert ("allow" in headers) == (status == 405) == (error["code"] == "method_not_allowed")
