"""One line a request: who asked for what and what came of it, and never a query."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
import pytest
from aiohttp import web
from structlog.testing import capture_logs

from agentbbs.web.access_log import CUT_OFF, MAX_PATH_CHARS, access_log
from agentbbs.web.api.callers import CALLER
from agentbbs.web.frame import READER

from .site import SOON_S, Site

PAGE: Final = "x" * 100


class Server:
    """A few ways to answer, behind the log."""

    def __init__(self, *trusted: str) -> None:
        self.app = web.Application(middlewares=[access_log(trusted)])
        self.began, self.let, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        for path in ("/page", "/static/1/site.css", "/healthz", "/readyz", "/favicon.ico", "/odd/{rest:.*}"):
            self.app.router.add_get(path, self.page)
        self.app.router.add_get("/away", self.away)
        self.app.router.add_get("/broken", self.broken)
        self.app.router.add_get("/events", self.events)

    async def page(self, request: web.Request) -> web.Response:
        if "Authorization" in request.headers:
            request[CALLER] = "gremlin"
        if request.cookies:
            request[READER] = "ada"
        return web.Response(text=PAGE)

    async def away(self, _: web.Request) -> web.Response:
        raise web.HTTPSeeOther("/page")

    async def broken(self, _: web.Request) -> web.Response:
        raise RuntimeError("a fault of ours")

    async def events(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"data: 1\n\n")
        self.began.set()
        try:
            await self.let.wait()
            await response.write(b"data: 2\n\n")
        finally:
            self.ended.set()
        return response

    @asynccontextmanager
    async def asked(self, *, cancelling: bool = False) -> AsyncIterator[aiohttp.ClientSession]:
        runner = web.AppRunner(
            self.app, access_log=None, handle_signals=False, shutdown_timeout=0.1, handler_cancellation=cancelling
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        base = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            async with asyncio.timeout(SOON_S), aiohttp.ClientSession(base) as http:
                yield http
        finally:
            await runner.cleanup()


async def lines(server: Server, path: str, **how: Any) -> list[dict[str, Any]]:
    """What is logged of one request."""
    with capture_logs() as logged:
        async with server.asked() as http, http.request("GET", path, allow_redirects=False, **how) as answer:
            await answer.read()
    return [dict(line) for line in logged if line["event"] == "request"]


async def test_a_line_says_who_asked_for_what() -> None:
    (line,) = await lines(Server(), "/page?token=secret")
    assert line.pop("ms") >= 0
    assert line == {
        "event": "request",
        "log_level": "info",
        "method": "GET",
        "path": "/page",
        "status": 200,
        "bytes": len(PAGE),
        "address": "127.0.0.1",
        "user": None,
    }


async def test_no_query_is_ever_written() -> None:
    for path in ("/page?token=secret", "/page?secret", "/nowhere?a=secret#secret"):
        assert "secret" not in str(await lines(Server(), path))


async def test_the_account_is_named_however_it_came() -> None:
    (line,) = await lines(Server(), "/page", headers={"Authorization": "Bearer x"})
    assert line["user"] == "gremlin"
    (line,) = await lines(Server(), "/page", headers={"Cookie": "session=x"})
    assert line["user"] == "ada"


@pytest.mark.parametrize(
    ("trusted", "address"), [((), "127.0.0.1"), (("127.0.0.1",), "198.51.100.9"), (("192.0.2.1",), "127.0.0.1")]
)
async def test_the_address_is_what_trusted_proxies_say(trusted: tuple[str, ...], address: str) -> None:
    headers = {"X-Forwarded-For": "203.0.113.1, 198.51.100.9"}
    (line,) = await lines(Server(*trusted), "/page", headers=headers)
    assert line["address"] == address


@pytest.mark.parametrize("path", ["/static/1/site.css", "/healthz", "/readyz", "/favicon.ico"])
async def test_what_is_asked_all_the_time_is_told_quietly(path: str) -> None:
    (line,) = await lines(Server(), path)
    assert line["log_level"] == "debug"


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/away", 303), ("/broken", 500)])
async def test_what_is_no_page_is_told_too(path: str, status: int) -> None:
    (line,) = await lines(Server(), path)
    assert (line["status"], line["log_level"]) == (status, "info")


async def test_a_path_can_not_forge_a_line_or_fill_the_log() -> None:
    (line,) = await lines(Server(), "/odd/%1b%5b2J%0astatus=200")
    assert line["path"].isprintable()
    assert line["path"].lower() == "/odd/%1b%5b2j%0astatus=200"
    (line,) = await lines(Server(), "/odd/" + "x" * 1000)
    assert len(line["path"]) == MAX_PATH_CHARS


async def test_a_head_sends_no_body() -> None:
    with capture_logs() as logged:
        async with Server().asked() as http, http.head("/page"):
            pass
    assert [line["bytes"] for line in logged] == [0]


async def test_a_stream_is_told_at_its_end() -> None:
    server = Server()
    with capture_logs() as logged:
        async with server.asked() as http, http.get("/events") as answer:
            await server.began.wait()
            assert logged == []
            server.let.set()
            assert await answer.read() == b"data: 1\n\ndata: 2\n\n"
    (line,) = logged
    assert (line["status"], line["path"]) == (200, "/events")
    assert line["bytes"] > len("data: 1\n\ndata: 2\n\n")


async def test_a_stream_that_is_cut_off_is_told_as_such() -> None:
    server = Server()
    with capture_logs() as logged:
        async with server.asked(cancelling=True) as http:
            async with http.get("/events"):
                await server.began.wait()
            await server.ended.wait()  # the reader has gone
    assert [line["status"] for line in logged if line["event"] == "request"] == [CUT_OFF]


async def test_the_site_has_it(site: Site) -> None:
    with capture_logs() as logged:
        await site.ask("GET", "/nowhere?token=secret")
    (line,) = [line for line in logged if line["event"] == "request"]
    assert (line["path"], line["status"]) == ("/nowhere", 404)
    assert line["bytes"] > 0, "the page was made before the line was written"


async def test_the_site_names_who_calls_the_api(site: Site) -> None:
    token = site.token("gremlin")
    with capture_logs() as logged:
        await site.call("GET", "/api/v1/endpoints", token)
    (line,) = [line for line in logged if line["event"] == "request"]
    assert line["user"] == "gremlin"
    assert token not in str(logged)
