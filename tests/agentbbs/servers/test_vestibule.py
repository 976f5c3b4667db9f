"""Connections that never become anybody are cut; those that do are left alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from agentbbs.play.alarms import Alarms
from agentbbs.servers.vestibule import Vestibule

from .conftest import SOON_S, until

SILENCE_S = 0.2


class Hall:
    """A small server behind a vestibule: `/` answers, `/ws` upgrades and echoes."""

    def __init__(self) -> None:
        self.vestibule = Vestibule(Alarms(asyncio.get_running_loop()), max_silence_s=SILENCE_S, look_s=SILENCE_S / 4)
        app = web.Application(middlewares=[self.vestibule.middleware])
        app.router.add_get("/", self._answer)
        app.router.add_get("/ws", self._upgrade)
        self.runner = web.AppRunner(app, access_log=None)
        self.port = 0

    async def _answer(self, _: web.Request) -> web.Response:
        return web.Response(text="here")

    async def _upgrade(self, request: web.Request) -> web.StreamResponse:
        ws: web.WebSocketResponse[bool] = web.WebSocketResponse()
        await ws.prepare(request)
        self.vestibule.upgraded(request)
        async for message in ws:
            await ws.send_str(message.data)
        return ws

    async def open(self) -> None:
        await self.runner.setup()
        server = self.runner.server
        assert server is not None
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(self.vestibule.around(server), "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self.server.close()
        await self.runner.cleanup()


@pytest.fixture
async def hall() -> AsyncIterator[Hall]:
    opened = Hall()
    await opened.open()
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    "said", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"]
)
async def test_who_says_nothing_whole_is_cut(hall: Hall, said: bytes) -> None:
    """Silence, half a line, headers without end, and one whole request with silence after it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", hall.port)
    writer.write(said)
    async with asyncio.timeout(SOON_S):
        try:
            while await reader.read(4096):
                pass
        except ConnectionResetError:
            pass
    await until(lambda: len(hall.vestibule) == 0)
    writer.close()


async def test_who_asks_again_in_time_stays(hall: Hall) -> None:
    loop = asyncio.get_running_loop()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1)) as http:
        for _ in range(6):
            async with http.get(f"http://127.0.0.1:{hall.port}/") as answer:
                assert await answer.text() == "here"
            soon = loop.time() + SILENCE_S / 2
            await until(lambda soon=soon: loop.time() > soon)  # type: ignore[misc]
        assert len(hall.vestibule) == 1


async def test_an_upgraded_connection_is_let_through(hall: Hall) -> None:
    loop = asyncio.get_running_loop()
    async with aiohttp.ClientSession() as http, http.ws_connect(f"ws://127.0.0.1:{hall.port}/ws") as ws:
        await ws.send_str("one")
        await ws.receive_str(timeout=SOON_S)
        assert len(hall.vestibule) == 0
        later = loop.time() + 3 * SILENCE_S
        await until(lambda: loop.time() > later)
        await ws.send_str("two")
        assert await ws.receive_str(timeout=SOON_S) == "two"
