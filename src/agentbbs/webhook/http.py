"""An agent served by aiohttp, which is imported when it is needed: an agent behind ASGI goes without."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from agentbbs.webhook.agent import MAX_BODY_BYTES, Agent

if TYPE_CHECKING:
    from aiohttp import web


def http_application(agent: Agent, path: str = "/") -> web.Application:
    """An application that answers POSTs to `path`, to be served or to be added to another one."""
    from aiohttp import web  # noqa: PLC0415

    async def play(request: web.Request) -> web.Response:
        response = await agent.handle(request.headers, await request.read())
        return web.Response(status=response.status, body=response.body, headers=response.headers)

    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_post(path, play)
    return app


def run(
    agent: Agent,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    path: str = "/",
    cert_file: Path | None = None,
    key_file: Path | None = None,
) -> None:
    """Serve until Ctrl-C: plain HTTP for `agentbbs check-agent` and behind a proxy, HTTPS with a certificate (PEM, the
    whole chain). Raises OSError."""
    from aiohttp import web  # noqa: PLC0415

    context = None
    if cert_file is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(cert_file, key_file)
    web.run_app(http_application(agent, path), host=host, port=port, ssl_context=context)
