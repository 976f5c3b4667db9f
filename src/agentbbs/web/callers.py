"""Who calls the API, and what was sent: an account's token, and a JSON body of a certain shape."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar

import msgspec
from aiohttp import web

from agentbbs.web.api_errors import ApiError

MAX_BODY_BYTES: Final = 16 * 1024
"""A URL and a few words."""

T = TypeVar("T")


class Caller(Protocol):
    """The account that a token stands for."""

    @property
    def account(self) -> int: ...

    @property
    def name(self) -> str: ...


Admit = Callable[[web.Request], Awaitable[Caller]]
"""The account of a request's token. Raises the HTTP answer that refuses it."""


def bearer_only(request: web.Request) -> None:
    """Raise ApiError where the token is not in the one header that no page of a stranger can send for its reader."""
    if not request.headers.get("Authorization", "").lower().startswith("bearer "):
        raise ApiError("unauthorized", "send the account's token as `Authorization: Bearer TOKEN`")


async def body(request: web.Request, kind: type[T]) -> T:
    """The JSON body. Raises ApiError."""
    if request.content_type != "application/json":
        raise ApiError("unsupported_media_type", "send JSON, with `Content-Type: application/json`")
    data = await request.content.read(MAX_BODY_BYTES + 1)
    while len(data) <= MAX_BODY_BYTES and (more := await request.content.read(MAX_BODY_BYTES + 1)):
        data += more
    if len(data) > MAX_BODY_BYTES:
        raise ApiError("bad_request", f"the body has more than {MAX_BODY_BYTES} bytes")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise ApiError("bad_request", f"not the JSON that is wanted here: {fault}") from fault
