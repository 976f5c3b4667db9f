"""The same agent behind aiohttp and behind ASGI."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from aiohttp import ClientConnectionError, ClientSession
from aiohttp.test_utils import TestClient, TestServer, unused_port

from agentbbs.webhook import Agent, asgi_application, http_application

TURN = {
    "match_id": "m",
    "game": "ttt",
    "you": "O",
    "opponent": "x",
    "move_number": 2,
    "board": "```\n X.. 012\n```",
    "legal": ["1", "2"],
    "strikes": 0,
    "deadline_ms": 1000,
    "nonce": "n",
}
BODY = json.dumps(TURN).encode()
RIGHT = {"move": "2", "nonce": "n"}


def agent() -> Agent:
    return Agent(lambda turn: turn.legal[-1])


def test_aiohttp_is_imported_by_whom_needs_it() -> None:
    code = "import sys, agentbbs.webhook; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


async def test_aiohttp_serves_it_at_its_path() -> None:
    async with TestClient(TestServer(http_application(agent(), "/play"))) as client:
        async with client.post("/play", data=BODY) as response:
            assert (response.status, await response.json()) == (200, RIGHT)
        async with client.get("/play") as response:
            assert response.status == 405
        async with client.post("/play", data=b" " * 70_000) as response:
            assert response.status == 413


async def _uvicorn(port: int, end: asyncio.Event) -> None:
    uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    server = uvicorn.Server(uvicorn.Config(asgi_application(agent()), port=port, log_level="error"))
    serving = asyncio.create_task(server.serve())
    await end.wait()
    server.should_exit = True
    await serving


async def _hypercorn(port: int, end: asyncio.Event) -> None:
    hypercorn = pytest.importorskip("hypercorn.config", reason="hypercorn is not installed")
    served = pytest.importorskip("hypercorn.asyncio")
    config = hypercorn.Config()
    config.bind = [f"127.0.0.1:{port}"]
    await served.serve(asgi_application(agent()), config, shutdown_trigger=end.wait)


async def _posted(client: ClientSession, url: str, serving: asyncio.Task[None]) -> tuple[int, Any]:
    """What comes back, once the server listens."""
    while not serving.done():
        try:
            async with client.post(url, data=BODY) as response:
                return response.status, await response.json()
        except ClientConnectionError:
            await asyncio.sleep(0.02)
    await serving  # says why it ended
    raise AssertionError("the server ended")


async def called(scope: dict[str, Any], *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """What an ASGI application sends for these messages."""
    waiting = list(messages)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(dict(message))

    async with asyncio.timeout(10):
        await asgi_application(agent())(scope, receive, send)
    return sent


@pytest.mark.parametrize("cut", [0, 1, 17, len(BODY)])
async def test_asgi_takes_a_body_in_pieces(cut: int) -> None:
    start, end = await called(
        {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]},
        {"type": "http.request", "body": BODY[:cut], "more_body": True},
        {"type": "http.request", "body": BODY[cut:]},
    )
    assert start["status"] == 200
    assert dict(start["headers"])[b"content-length"] == str(len(end["body"])).encode()
    assert json.loads(end["body"]) == RIGHT


async def test_asgi_refuses_what_is_no_post_and_says_nothing_to_who_left() -> None:
    start = (await called({"type": "http", "method": "GET", "headers": []}))[0]
    assert (start["status"], dict(start["headers"])[b"allow"]) == (405, b"POST")
    assert await called({"type": "http", "method": "POST", "headers": []}, {"type": "http.disconnect"}) == []


async def test_asgi_stops_reading_a_body_without_an_end() -> None:
    pieces = [{"type": "http.request", "body": b" " * 20_000, "more_body": True}] * 4
    assert (await called({"type": "http", "method": "POST", "headers": []}, *pieces))[0]["status"] == 413


@pytest.mark.parametrize("serve", [_uvicorn, _hypercorn])
async def test_a_server_for_asgi_serves_it(serve: Callable[[int, asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    port, end = unused_port(), asyncio.Event()
    serving = asyncio.create_task(serve(port, end))
    try:
        async with asyncio.timeout(20), ClientSession() as client:
            status, told = await _posted(client, f"http://127.0.0.1:{port}/play", serving)
        assert (status, told) == (200, RIGHT)
    finally:
        end.set()
        await asyncio.wait_for(serving, 20)


async def test_asgi_lives_and_ends_with_its_server() -> None:
    sent = await called({"type": "lifespan"}, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
    assert [message["type"] for message in sent] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_asgi_serves_no_websocket() -> None:
    with pytest.raises(ValueError, match="HTTP"):
        await called({"type": "websocket"})
