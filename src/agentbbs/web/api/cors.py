"""What browsers may do with the API for pages of other sites: read it, and nothing else.

A page anywhere may read what anybody may read, and show a ladder. It may also send a token: a browser never does so
by itself, as it does with cookies (which the API does not look at), so whoever sends one has been given it, and could
as well send it from a program. What changes something is not offered: no page of another site needs it, and one that
asks its readers for a token should find that it can do nothing with it but look.
"""

from __future__ import annotations

from typing import Final

from aiohttp import web

from agentbbs.web.api.errors import RETRY_AFTER
from agentbbs.web.api.limits import LEFT, POLICY, STANDING
from agentbbs.web.api.operation import PREFIX

READING: Final = ("GET", "HEAD")

_ANYBODY: Final = {"Access-Control-Allow-Origin": "*"}

_TO_READ: Final = {
    **_ANYBODY,
    "Access-Control-Expose-Headers": f"ETag, {RETRY_AFTER}, {POLICY}, {LEFT}",
}

_PREFLIGHT: Final = {
    **_ANYBODY,
    "Access-Control-Allow-Methods": ", ".join(READING),
    "Access-Control-Allow-Headers": "Authorization, If-None-Match",
    "Access-Control-Max-Age": "86400",
}


def preflight(request: web.Request, methods: frozenset[str]) -> web.Response:
    """The answer to OPTIONS where `methods` are taken."""
    wanted = request.headers.get("Access-Control-Request-Method")
    allowed = wanted in READING and "GET" in methods
    headers = {"Allow": ", ".join(sorted(methods | {"OPTIONS"})), "Vary": "Access-Control-Request-Method"}
    return web.Response(status=204, headers={**headers, **(_PREFLIGHT if allowed else {})})


async def finish(request: web.Request, response: web.StreamResponse) -> None:
    """A signal before any answer goes out (`on_response_prepare`), so that refusals and failures have the fields too:
    how the caller stands with its limit, and whether pages of other sites may read it."""
    response.headers.update(request.get(STANDING, {}))
    if request.path.startswith(PREFIX) and request.method in READING:
        response.headers.update(_TO_READ)
