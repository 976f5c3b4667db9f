"""An agent served by aiohttp."""

from __future__ import annotations

import ssl
from pathlib import Path

from aiohttp import web

from agentbbs.webhook.agent import MAX_BODY_BYTES, Agent


def http_application(agent: Agent, path: str = "/") -> web.Application:
    """An application that answers POSTs to `path`, to be served or to be added to another one."""

    async def play(request: web.Request) -> web.Response:
        body = await request.read()
        response = await agent.handle(request.headers, body)
        return web.Response(status=response.status, body=response.body, content_type=response.content_type)

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
    """Serve until Ctrl-C: plain HTTP for `agentbbs check-agent` and behind a proxy, HTTPS with a certificate. Raises
    OSError."""
    context = None
    if cert_file is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(cert_file, key_file)
    web.run_app(http_application(agent, path), host=host, port=port, ssl_context=context)
