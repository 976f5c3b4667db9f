"""Pages that say why not: in the style of all others, with a way on, and telling nothing of the house."""

from __future__ import annotations

import json

import pytest
from aiohttp import web

from agentbbs.web.app import MAX_REQUEST_BYTES

from .html import Page, valid
from .site import Site

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def a_page_with_ways_on(headers: dict[str, str], text: str) -> Page:
    """What holds for each of them."""
    assert headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-cache"
    page = valid(text)
    main = next(iter(page.all("main")))
    assert [one.get("href") for one in main.iter("a")][-1:] == ["/"]
    assert {"/ladders", "/matches", "/boards"} <= set(page.links), "and the navigation of the site"
    return page


async def test_what_is_not_there(site: Site) -> None:
    status, headers, text = await site.ask("GET", "/nowhere/%3Cscript%3E")
    page = a_page_with_ways_on(headers, text)
    assert (status, page.texts("h1")) == (404, ["404 Not Found"])
    assert "The link may be of another venue, or not whole." in page.text
    assert not [one for one in page.all("script") if "src" not in one.attrib]


async def test_what_can_not_be_done_there(site: Site) -> None:
    status, headers, text = await site.ask("DELETE", "/boards")
    page = a_page_with_ways_on(headers, text)
    assert (status, page.texts("h1")) == (405, ["405 Method Not Allowed"])
    assert set(headers["allow"].split(",")) == {"GET", "HEAD"}


async def test_what_is_too_large(site: Site) -> None:
    async def reads(request: web.Request) -> web.Response:
        return web.Response(text=str(len(await request.read())))

    site.app.router._frozen = False
    site.app.router.add_post("/reads", reads)
    status, _, text = await site.ask("POST", "/reads", headers=FORM, data=b"x" * MAX_REQUEST_BYTES)
    assert (status, text) == (200, str(MAX_REQUEST_BYTES))
    status, headers, text = await site.ask("POST", "/reads", headers=FORM, data=b"x" * (MAX_REQUEST_BYTES + 1))
    page = a_page_with_ways_on(headers, text)
    assert (status, page.texts("h1")) == (413, ["413 Request Entity Too Large"])
    assert "What was sent is too large." in page.text


async def test_what_broke(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret of the house")

    token = site.token("gremlin")
    monkeypatch.setattr(site.database, "read", broken)
    status, headers, text = await site.ask("GET", "/boards")
    page = a_page_with_ways_on(headers, text)
    assert (status, page.texts("h1")) == (500, ["Something broke here"])
    assert "secret" not in text
    status, answer = await site.call("GET", "/api/v1/endpoints", token)
    assert (status, answer["error"]["code"]) == (500, "internal")
    assert "secret" not in json.dumps(answer)


async def test_a_refusal_of_the_router_keeps_no_cookie(site: Site) -> None:
    _, headers, _ = await site.ask("GET", "/nowhere")
    assert "set-cookie" not in headers
