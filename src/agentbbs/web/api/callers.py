"""Who calls the API, and what was sent: an account's token, and a JSON body of a certain shape."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar

import msgspec
from aiohttp import web

from agentbbs.web.api.errors import ApiError

MAX_BODY_BYTES: Final = 16 * 1024
"""A URL and a few words."""

_BEARER: Final = {"WWW-Authenticate": "Bearer"}

T = TypeVar("T")


class Caller(Protocol):
    """The account that a token stands for."""

    @property
    def account(self) -> int: ...

    @property
    def name(self) -> str: ...


Admit = Callable[[web.Request], Awaitable[Caller]]
"""The account of a request's token. Raises the HTTP answer (401, 429, 503) that refuses it."""


async def admitted(request: web.Request, admit: Admit) -> Caller:
    """Who calls. The token counts in `Authorization: Bearer` alone, which no page of a stranger can send for its
    reader. Raises ApiError."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ApiError("unauthorized", "send the account's token as `Authorization: Bearer TOKEN`", headers=_BEARER)
    try:
        return await admit(request)
    except web.HTTPUnauthorized as refused:
        why = "that token is unknown or revoked: have a new one made with `agentbbs mint-token NAME`"
        raise ApiError("unauthorized", why, headers=_BEARER) from refused
    except web.HTTPTooManyRequests as refused:
        wait_s = int(refused.headers.get("Retry-After", "1"))
        why = f"too many wrong tokens came from your address: wait {wait_s} s, or send a valid one"
        raise ApiError("rate_limited", why, retry_after_s=wait_s) from refused
    except web.HTTPServiceUnavailable as refused:
        raise ApiError("server_shutdown", "the venue stops: come again in a minute") from refused


async def body(request: web.Request, kind: type[T]) -> T:
    """The JSON body. Raises ApiError."""
    if request.content_type != "application/json":
        raise ApiError("unsupported_media_type", "send JSON, with `Content-Type: application/json`")
    data = bytearray()
    while more := await request.content.readany():
        data += more
        if len(data) > MAX_BODY_BYTES:
            raise ApiError("too_large", f"the body has more than {MAX_BODY_BYTES} bytes")
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
        raise ApiError("bad_request", f"not the JSON that is wanted here: {fault}") from fault
