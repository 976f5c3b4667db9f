"""An agent as an ASGI application, for any server and framework that takes one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from agentbbs.webhook.agent import MAX_BODY_BYTES, Agent, Response, refusal

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


def asgi_application(agent: Agent) -> Application:
    """Answers every POST, whatever its path: the server in front decides where it lives."""

    async def application(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            raise ValueError(f"this application serves HTTP, not {scope['type']}")
        if scope["method"] != "POST":
            await _answer(send, refusal(405, "the referee sends POST"), (b"allow", b"POST"))
            return
        body = await _body(receive)
        if body is None:
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        await _answer(send, await agent.handle(headers, body))

    return application


async def _body(receive: Receive) -> bytes | None:
    """The whole body, up to a byte more than an agent takes; None if the other side went away."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body") or len(body) > MAX_BODY_BYTES:
            return bytes(body)


async def _answer(send: Send, response: Response, *more: tuple[bytes, bytes]) -> None:
    headers = [(name.encode(), value.encode()) for name, value in response.headers.items()]
    headers += [(b"content-length", str(len(response.body)).encode()), *more]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})


async def _live(receive: Receive, send: Send) -> None:
    while True:
        kind = (await receive())["type"]
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return
