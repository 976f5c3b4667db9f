"""Who asked for what, as one line of log a request: what stands before everything else that is served.

A line has method, path, status, milliseconds, bytes (headers included where the answer was a stream), the client's
address as trusted proxies tell it, and the name of the account, if any. The path is as it was sent, escapes and all,
without the query: that may hold a token. What asks every few seconds, and the files of the site, are told at the level
`debug`. A stream is told when it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from aiohttp import web
from aiohttp.typedefs import Middleware

from agentbbs.calls.address import client_address
from agentbbs.web.api.callers import CALLER
from agentbbs.web.frame import READER

MAX_PATH_CHARS: Final = 200
"""No path of ours is nearly as long."""

MAX_METHOD_CHARS: Final = 16
"""As long as any method that is registered with IANA, but for one of WebDAV."""

CUT_OFF: Final = 499
"""What nginx writes where a client went before there was an answer."""

_QUIET: Final = ("/static/", "/healthz", "/readyz", "/favicon.ico")

_log = structlog.get_logger(__name__)


def access_log(trusted_proxies: tuple[str, ...]) -> Middleware:
    """The middleware; it goes before all others."""

    @web.middleware
    async def logged(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        began = time.perf_counter()
        status, size = CUT_OFF, 0
        try:
            response = await handler(request)
            status, size = response.status, await _size(request, response)
        except web.HTTPException as answer:  # an answer as well: a redirect, a refusal by the API
            status, size = answer.status, await _size(request, answer)
            raise
        except (asyncio.CancelledError, ConnectionError):
            raise
        except BaseException:
            status = web.HTTPInternalServerError.status_code
            raise
        finally:
            took_ms = round((time.perf_counter() - began) * 1000, 1)
            _say(request, status, size, took_ms, client_of(request, trusted_proxies))
        return response

    return logged


def client_of(request: web.Request, trusted_proxies: tuple[str, ...]) -> str:
    """The address that a request came from."""
    forwarded = ",".join(request.headers.getall("X-Forwarded-For", ()))
    return client_address(request.remote or "", forwarded, trusted_proxies)


async def _size(request: web.Request, response: web.StreamResponse) -> int:
    """How much goes out. A stream has gone out already; it is ended here, which aiohttp would do next."""
    if response.prepared:
        with contextlib.suppress(ConnectionError):
            await response.write_eof()
        return response.body_length
    return 0 if request.method == "HEAD" else response.content_length or 0


def _say(request: web.Request, status: int, size: int, took_ms: float, address: str) -> None:
    path = request.rel_url.raw_path
    say = _log.debug if path.startswith(_QUIET) else _log.info
    say(
        "request",
        method=request.method[:MAX_METHOD_CHARS],
        path=path[:MAX_PATH_CHARS],
        status=status,
        ms=took_ms,
        bytes=size,
        address=address,
        user=request.get(READER) or request.get(CALLER),
    )
