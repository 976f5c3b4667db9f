"""The pages and the API as one aiohttp application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import structlog
from aiohttp import web

from agentbbs.referee.practice import Practice
from agentbbs.referee.probing import Probing
from agentbbs.store.database import Database
from agentbbs.web.api_errors import ApiError
from agentbbs.web.arena_page import ArenaPages
from agentbbs.web.callers import MAX_BODY_BYTES, Admit
from agentbbs.web.endpoints_api import EndpointsApi
from agentbbs.web.match_page import Live, MatchPages
from agentbbs.web.page import page
from agentbbs.web.practice_api import PracticeApi

_log = structlog.get_logger(__name__)

_API: Final = ("/api/", "/practice")


class WebSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What pages and API tell of the venue."""

    public_url: str
    deadline_ms: int
    matches_per_hour: int
    dev: bool


def application(
    settings: WebSettings,
    database: Database,
    probing: Probing,
    practice: Practice,
    admit: Admit,
    *,
    live: Live,
    status: Callable[[], str],
) -> web.Application:
    """All that is served on AGENTBBS_WEB_ADDR. `live` has the matches that are on, `status` is the
    venue's."""
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[_answered])
    matches = MatchPages(database, live)
    arena = ArenaPages(
        deadline_ms=settings.deadline_ms,
        matches_per_hour=settings.matches_per_hour,
        dev=settings.dev,
        public_url=settings.public_url,
    )
    api = EndpointsApi(database, probing, admit)
    matches_of_practice = PracticeApi(practice, api, probing, admit)

    async def healthz(_: web.Request) -> web.Response:
        found = status()
        body = msgspec.json.encode({"status": found})
        return web.Response(body=body, status=200 if found == "ok" else 503, content_type="application/json")

    one = "/api/v1/endpoints/{id}"
    app.router.add_get("/", arena.home)
    app.router.add_get("/arena", arena.arena)
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/m/{match:[^/.]+}.json", matches.download)
    app.router.add_get("/m/{match:[^/.]+}", matches.show)
    app.router.add_get("/api/v1/endpoints", api.list_)
    app.router.add_post("/api/v1/endpoints", api.register)
    app.router.add_get(one, api.show)
    app.router.add_patch(one, api.change)
    app.router.add_delete(one, api.remove)
    for name in ("pause", "resume", "rotate", "probe"):
        app.router.add_post(f"{one}/{name}", getattr(api, name))
    app.router.add_post("/practice", matches_of_practice.start)
    return app


@web.middleware
async def _answered(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Every failure in the form of its address: JSON of the API, a page elsewhere."""
    for_programs = request.path.startswith(_API)
    try:
        return await handler(request)
    except ApiError as fault:
        return fault.response()
    except web.HTTPException as answer:
        if answer.content_type == "application/json" or answer.status < 400:
            raise
        return _api_refusal(answer) if for_programs else _page_refusal(answer)
    except Exception:
        _log.exception("page_failed", path=request.path)
        if for_programs:
            return ApiError("internal", "the venue failed at this: try again, and tell its operator").response()
        return page("Something broke here", "<p>It is in the venue's log. Try again in a moment.</p>", status=500)


def _api_refusal(answer: web.HTTPException) -> web.Response:
    if isinstance(answer, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(answer.allowed_methods))
        return ApiError("method_not_allowed", f"send one of {allowed}", headers={"Allow": allowed}).response()
    if answer.status == web.HTTPNotFound.status_code:
        return ApiError("not_found", "nothing is there: /arena lists what the API takes").response()
    return ApiError("bad_request", answer.reason).response()


def _page_refusal(answer: web.HTTPException) -> web.Response:
    refusal = page(f"{answer.status} {answer.reason}", '<p><a href="/">To the first page</a></p>', status=answer.status)
    if "Allow" in answer.headers:
        refusal.headers["Allow"] = answer.headers["Allow"]
    return refusal
