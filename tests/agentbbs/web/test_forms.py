"""Forms: only with the reader's own key, from this site, as a browser sends them; and every page's POST holds to it."""

from __future__ import annotations

import re

import pytest
from aiohttp import web

from agentbbs.web.entry import cookies, forms
from agentbbs.web.entry.destinations import AFTER, after, named

from .site import PUBLIC_URL, Site
from .visitor import FORM, FORM_TYPE, SESSION, Visitor

ELSEWHERE = "https://evil.example"


def posts_to_pages(app: web.Application) -> list[str]:
    """Every address that takes something other than a read and is not the API's."""
    found = set()
    for route in app.router.routes():
        if route.method in {"GET", "HEAD", "OPTIONS"} or route.resource is None:
            continue
        path = re.sub(r"\{[^{}]*\}", "1", route.resource.canonical)
        if not path.startswith("/api/") and path != "/practice":
            found.add(f"{route.method} {path}")
    return sorted(found)


async def test_every_form_of_the_site_is_held_to_its_key(site: Site) -> None:
    """Walks the router: a page that takes a POST and does not read it by `forms.read` fails here."""
    visitor = Visitor(site)
    await visitor.sign_in("gremlin")
    key = (await visitor.get("/account")).form_key()
    found = posts_to_pages(site.app)
    assert {"POST /sign-in", "POST /sign-out", "POST /join", "POST /account/tokens"} <= set(found)
    for one in found:
        method, path = one.split(" ")
        assert method == "POST", one
        bare = {"Content-Type": FORM_TYPE}
        for headers, data in (
            (bare, b""),
            (bare, b"form_key="),
            (bare, b"form_key=" + b"0" * 64),
            ({**bare, "Origin": ELSEWHERE}, f"form_key={key}".encode()),
            ({**bare, "Origin": "null"}, f"form_key={key}".encode()),
            ({**bare, "Sec-Fetch-Site": "cross-site"}, f"form_key={key}".encode()),
            ({**bare, "Sec-Fetch-Site": "same-site"}, f"form_key={key}".encode()),
        ):
            answer = await visitor.send(path, data, dict(headers))
            assert answer.status == 403, (one, headers, data)
            assert "load it again" in answer.page.text
    assert (await visitor.get("/account")).status == 200


async def test_a_key_of_another_reader_is_none(site: Site) -> None:
    one, two = Visitor(site), Visitor(site)
    theirs = (await one.get("/sign-in")).form_key()
    await two.get("/sign-in")
    assert (await two.post("/sign-in/key", {"name": "gremlin"}, key=theirs)).status == 403


async def test_a_key_without_its_cookie_is_none(site: Site) -> None:
    visitor = Visitor(site)
    key = (await visitor.get("/sign-in")).form_key()
    visitor.cookies.clear()
    assert (await visitor.post("/sign-in/key", {"name": "gremlin"}, key=key)).status == 403


async def test_a_form_shown_before_signing_in_is_void_after(site: Site) -> None:
    visitor = Visitor(site)
    before = (await visitor.get("/sign-in")).form_key()
    await visitor.sign_in("gremlin")
    assert (await visitor.post("/sign-out", key=before)).status == 403


async def test_the_cookie_of_a_form_is_hard_to_get_at(site: Site) -> None:
    answer = await Visitor(site).get("/sign-in")
    cookie = answer.cookies[FORM]
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, True, "Lax", "/")
    assert cookie["domain"] == ""
    assert answer.headers["cache-control"] == "no-store"
    assert cookie.value not in answer.text


async def test_a_page_without_a_form_sets_no_cookie(site: Site) -> None:
    for path in ("/", "/arena", "/nowhere", "/healthz"):
        assert "set-cookie" not in (await Visitor(site).get(path)).headers


async def test_a_second_page_keeps_the_first_ones_key(site: Site) -> None:
    visitor = Visitor(site)
    first = await visitor.get("/sign-in")
    second = await visitor.get("/join")
    assert first.form_key() == second.form_key()
    assert FORM not in second.cookies


@pytest.mark.parametrize("planted", ["", "x", "a" * 42, "a" * 44, "a b" * 20, "ü" * 43])
async def test_a_cookie_that_was_not_given_out_makes_no_key(site: Site, planted: str) -> None:
    visitor = Visitor(site)
    visitor.cookies[FORM] = planted.encode().decode("latin-1")
    assert FORM in (await visitor.get("/sign-in")).cookies


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ("name=a&then=home", 200),
        ("name=a&name=b&then=home", 400),
        ("name=a&strange=1", 400),
        ("then=home", 400),
        ("name=%ff", 400),
        ("name=a&" + "&".join(f"f{n}=1" for n in range(forms.MAX_FIELDS + 1)), 400),
        ("name=a&&then=home", 400),
        ("name", 400),
        ("name=" + "a" * (forms.MAX_FORM_BYTES + 1), 413),
        ("name=" + "a" * 1000, 422),
        ("name=%00&then=home", 422),
    ],
)
async def test_a_form_is_as_the_page_made_it(site: Site, data: str, status: int) -> None:
    visitor = Visitor(site)
    key = (await visitor.get("/sign-in")).form_key()
    body = data.replace("name=a", "name=abc").encode()
    answer = await visitor.send("/sign-in/key", body + f"&form_key={key}".encode(), {"Content-Type": FORM_TYPE})
    assert answer.status == status, answer.text
    assert answer.page.texts("h1")


async def test_the_key_may_not_come_in_the_address(site: Site) -> None:
    visitor = Visitor(site)
    key = (await visitor.get("/sign-in")).form_key()
    answer = await visitor.send(f"/sign-in/key?form_key={key}", b"name=abc", {"Content-Type": FORM_TYPE})
    assert answer.status == 403


@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x", "text/plain", "application/json", ""])
async def test_only_a_form_is_a_form(site: Site, kind: str) -> None:
    visitor = Visitor(site)
    key = (await visitor.get("/sign-in")).form_key()
    answer = await visitor.send("/sign-in/key", f"name=abc&form_key={key}".encode(), {"Content-Type": kind})
    assert answer.status == 415


@pytest.mark.parametrize("origin", [PUBLIC_URL, None])
async def test_this_sites_own_origin_is_taken(site: Site, origin: str | None) -> None:
    visitor = Visitor(site)
    key = (await visitor.get("/sign-in")).form_key()
    headers = {"Content-Type": FORM_TYPE} | ({"Origin": origin} if origin else {})
    assert (await visitor.send("/sign-in/key", f"name=abc&form_key={key}".encode(), headers)).status == 200


@pytest.mark.parametrize(
    ("origin", "url", "host", "own"),
    [
        ("https://a.example", "https://a.example", "a.example", True),
        ("https://a.example", "https://a.example/", "127.0.0.1:8080", True),
        ("http://127.0.0.1:8080", "https://a.example", "127.0.0.1:8080", True),
        ("http://localhost:8080", "http://127.0.0.1:8080", "LocalHost:8080", True),
        ("https://a.example:8443", "https://a.example:8443", "x", True),
        ("http://[::1]:8080", "http://[::1]:8080", "x", True),
        ("https://a.example", "https://a.example:443", "x", True),
        ("https://b.example", "https://a.example", "a.example", False),
        ("https://a.example.evil.example", "https://a.example", "a.example", False),
        ("https://a.example:8443", "https://a.example", "a.example", False),
        ("http://a.example", "https://a.example", "127.0.0.1", False),
        ("null", "https://a.example", "a.example", False),
        ("null", "https://a.example", "", False),
        ("", "https://a.example", "", False),
        ("http://", "https://a.example", "", False),
        ("https://a.example/", "https://a.example", "a.example", False),
    ],
)
def test_what_is_this_site(origin: str, url: str, host: str, own: bool) -> None:
    assert forms.same_site(origin, url, host) is own


def test_keys_differ_and_do_not_tell_the_cookie() -> None:
    one, two = cookies.new_secret(), cookies.new_secret()
    assert forms.key_of(one) != forms.key_of(two)
    assert forms.key_of(one) == forms.key_of(one)
    assert one not in forms.key_of(one)


@pytest.mark.parametrize("then", ["https://evil.example", "//evil.example", "/\\evil.example", "", "javascript:1", "x"])
def test_nobody_is_sent_elsewhere(then: str) -> None:
    assert named(then) == "account"
    assert after(then) == "/account"
    assert all(re.fullmatch(r"/\w*", path) for path in AFTER.values())


def test_cookies_without_tls_have_plain_names() -> None:
    assert cookies.named(cookies.SESSION, secure=True) == SESSION
    assert cookies.named(cookies.SESSION, secure=False) == "agentbbs"
    response = web.Response()
    cookies.give(response, cookies.SESSION, "x", secure=False, max_age_s=5)
    written = response.cookies["agentbbs"].OutputString()
    assert "Secure" not in written
    assert "HttpOnly" in written
    assert "SameSite=Lax" in written
