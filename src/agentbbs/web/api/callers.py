"""Who calls the API, and what was sent: an account's token, and a JSON body of a certain shape."""

from __future__ import annotations

import json
from typing import Any, Final, TypeVar

import msgspec
from aiohttp import web

from agentbbs.web.api.errors import ApiError
from agentbbs.web.callers import Admit, Caller

MAX_BODY_BYTES: Final = 16 * 1024
"""A URL and a few words."""

MAX_FAULT_CHARS: Final = 300
"""How long the description of a fault may be: it may quote what was sent."""

CALLER: Final = web.RequestKey("caller", str)
"""The name of the account whose token came with a request; set by `admitted`, for the access log."""

_BEARER: Final = {"WWW-Authenticate": "Bearer"}

T = TypeVar("T")


async def admitted(request: web.Request, admit: Admit) -> Caller:
    """Who calls. The token counts in `Authorization: Bearer` alone, which no page of a stranger can send for its
    reader. Raises ApiError."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise unauthorized()
    try:
        caller = await admit(request)
    except web.HTTPUnauthorized as refused:
        why = "that token is unknown or revoked: have a new one made with `agentbbs mint-token NAME`"
        raise ApiError("unauthorized", why, headers=_BEARER) from refused
    except web.HTTPTooManyRequests as refused:
        wait_s = int(refused.headers.get("Retry-After", "1"))
        why = f"too many wrong tokens came from your address: wait {wait_s} s, or send a valid one"
        raise ApiError("rate_limited", why, key="failed_logins", retry_after_s=wait_s) from refused
    except web.HTTPServiceUnavailable as refused:
        raise ApiError("server_shutdown", "the venue stops: come again in a minute") from refused
    request[CALLER] = caller.name
    return caller


def unauthorized() -> ApiError:
    """No token was sent where one is wanted."""
    return ApiError("unauthorized", "send the account's token as `Authorization: Bearer TOKEN`", headers=_BEARER)


async def body(request: web.Request, kind: type[T]) -> T:
    """The JSON body: UTF-8, each key once, no field that `kind` has not. Raises ApiError."""
    if request.content_type != "application/json" or (request.charset or "utf-8").lower() not in {"utf-8", "utf8"}:
        raise ApiError("unsupported_media_type", "send JSON in UTF-8, with `Content-Type: application/json`")
    data = await _received(request)
    try:
        found = msgspec.json.decode(data, type=kind)
        _PAIRS.decode(data.decode())  # of keys that stand twice msgspec takes the last
    except RecursionError as fault:
        raise ApiError("bad_request", "not the JSON that is wanted here: nested too deeply") from fault
    except (msgspec.MsgspecError, ValueError) as fault:
        raise ApiError("bad_request", f"not the JSON that is wanted here: {str(fault)[:MAX_FAULT_CHARS]}") from fault
    return found


async def _received(request: web.Request) -> bytes:
    """The body as it was sent, as far as it is not too much. Raises ApiError."""
    data = bytearray()
    try:
        while more := await request.content.readany():
            data += more
            if len(data) > MAX_BODY_BYTES:
                raise ApiError("too_large", f"the body has more than {MAX_BODY_BYTES} bytes")
    except (web.RequestPayloadError, ConnectionError) as fault:
        raise ApiError("bad_request", "the body broke off, or is not encoded as its headers say") from fault
    return bytes(data)


def _unique(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise ValueError(f"the key {key[:40]!a} stands twice in one object")
        seen.add(key)


_PAIRS: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str)
