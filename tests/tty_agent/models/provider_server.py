"""A provider on loopback that answers as a script says, and keeps what it was sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web


class Says(msgspec.Struct, frozen=True):
    """One HTTP answer; `body` is sent as JSON unless it is text."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = {}


class Resets(msgspec.Struct, frozen=True):
    """The connection is cut instead of an answer."""


class Hangs(msgspec.Struct, frozen=True):
    """No answer ever comes."""


class Sent(msgspec.Struct, frozen=True):
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


class ProviderServer:
    """Gives its answers in order; a request beyond them is a 599, which no test expects."""

    def __init__(self, *answers: Says | Resets | Hangs) -> None:
        self._answers = list(answers)
        self.requests: list[Sent] = []
        self.address = ""
        self.asked = asyncio.Event()
        """Set once there was a request."""
        self._over = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """The next answer of the script."""
        self.requests.append(Sent(request.path, dict(request.headers), await request.json()))
        self.asked.set()
        answer = self._answers.pop(0) if self._answers else Says("the script is over", status=599)
        match answer:
            case Says(body, status, headers) if isinstance(body, str):
                return web.Response(text=body, status=status, headers=headers)
            case Says(body, status, headers):
                return web.json_response(body, status=status, headers=headers)
            case Resets():
                assert request.transport is not None
                request.transport.abort()
            case Hangs():
                await self._over.wait()
        return web.Response()

    def stop(self) -> None:
        """Let hanging answers go."""
        self._over.set()


@asynccontextmanager
async def provider_server(*answers: Says | Resets | Hangs) -> AsyncIterator[ProviderServer]:
    """A running ProviderServer; `address` is its root."""
    provider = ProviderServer(*answers)
    app = web.Application()
    app.router.add_route("POST", "/{path:.*}", provider.answer)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield provider
    finally:
        provider.stop()
        await runner.cleanup()
