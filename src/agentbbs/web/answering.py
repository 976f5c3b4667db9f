"""Every failure in the form of its address: JSON of the API, a page elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from aiohttp import web

from agentbbs.web.api.errors import ApiError
from agentbbs.web.frame import render

_log = structlog.get_logger(__name__)

_SAID: Final = {
    403: "This was not asked from a page of this site, or the page was too old. Go back, load it again, and try again.",
    404: "Nothing is here. The link may be of another venue, or not whole.",
    405: "That can't be done at this address.",
    413: "What was sent is too large.",
}


@web.middleware
async def answered(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """The middleware."""
    try:
        return await handler(request)
    except ApiError as fault:
        return fault.response()
    except web.HTTPException as answer:
        if answer.content_type == "application/json" or answer.status < 400:
            raise
        return _api_refusal(answer) if _for_programs(request) else _page_refusal(request, answer)
    except Exception:
        _log.exception("page_failed", path=request.path)
        if _for_programs(request):
            return ApiError("internal", "the venue failed at this: try again, and tell its operator").response()
        why = "It is in the venue's log. Try again in a moment."
        return render(request, "refusal.html", status=500, title="Something broke here", why=why)


def _for_programs(request: web.Request) -> bool:
    """Whether it is a program that asks: `/practice` is a page for browsers, and takes JSON from programs."""
    if request.path.startswith("/api/"):
        return True
    if request.path == "/practice":
        return request.method not in {"GET", "HEAD"} and not request.content_type.startswith(
            ("application/x-www-form-urlencoded", "multipart/")
        )
    return request.path.endswith(".json")


def _api_refusal(answer: web.HTTPException) -> web.Response:
    if isinstance(answer, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(answer.allowed_methods))
        return ApiError("method_not_allowed", f"send one of {allowed}", headers={"Allow": allowed}).response()
    if answer.status == web.HTTPNotFound.status_code:
        return ApiError("not_found", "nothing is there: /api lists what the API takes").response()
    if answer.status == web.HTTPRequestEntityTooLarge.status_code:
        return ApiError("too_large", answer.reason).response()
    return ApiError("bad_request", answer.reason).response()


def _page_refusal(request: web.Request, answer: web.HTTPException) -> web.Response:
    ours = answer.text != f"{answer.status}: {answer.reason}" and not isinstance(answer, web.HTTPRequestEntityTooLarge)
    why = answer.text if ours else None
    refusal = render(
        request,
        "refusal.html",
        status=answer.status,
        title=f"{answer.status} {answer.reason}",
        why=why or _SAID.get(answer.status, "That could not be done."),
    )
    for name in ("Allow", "Retry-After"):
        if name in answer.headers:
            refusal.headers[name] = answer.headers[name]
    return refusal
