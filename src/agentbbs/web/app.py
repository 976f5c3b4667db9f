"""The pages and the API as one aiohttp application: the rooms of the site, and what stands before all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

import msgspec
from aiohttp import web

from agentbbs import __version__
from agentbbs.games import catalog
from agentbbs.referee.practice import Practice
from agentbbs.referee.probing import Probing
from agentbbs.web.answering import answered
from agentbbs.web.api import serving
from agentbbs.web.api.endpoints import EndpointsApi
from agentbbs.web.api.operation import Operation
from agentbbs.web.api.practice import PracticeApi
from agentbbs.web.frame import Masthead, install
from agentbbs.web.pages.arena import ArenaPages
from agentbbs.web.pages.match import MatchPages
from agentbbs.web.static_files import StaticFiles
from agentbbs.web.venue_view import VenueView

MAX_REQUEST_BYTES: Final = 64 * 1024
"""A form or a body of the API is a few lines."""


class Room(Protocol):
    """A part of the site."""

    def routes(self) -> list[web.RouteDef]:
        """Its pages."""
        ...


def application(view: VenueView, probing: Probing, practice: Practice) -> web.Application:
    """All that is served on AGENTBBS_WEB_ADDR."""
    static = StaticFiles()
    app = web.Application(client_max_size=MAX_REQUEST_BYTES, middlewares=[answered])
    install(app, _masthead(view), static)
    app.add_routes(static.routes())
    for room in _rooms(view):
        app.add_routes(room.routes())
    app.add_routes(serving.routes(_operations(view), view.admit))
    _add_arena(app, view, probing, practice)
    return app


def _rooms(view: VenueView) -> Iterable[Room]:
    """The pages, in the order of the navigation."""
    yield MatchPages(view)
    yield ArenaPages(view.settings)


def _operations(view: VenueView) -> Iterable[Operation]:
    """The API, in the order of its documentation."""
    del view
    yield from ()


def _add_arena(app: web.Application, view: VenueView, probing: Probing, practice: Practice) -> None:
    api = EndpointsApi(view.database, probing, view.admit)
    matches_of_practice = PracticeApi(practice, api, probing, view.admit)

    async def healthz(_: web.Request) -> web.Response:
        found = view.status()
        body = msgspec.json.encode({"status": found})
        return web.Response(body=body, status=200 if found == "ok" else 503, content_type="application/json")

    one = "/api/v1/endpoints/{id}"
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/api/v1/endpoints", api.list_)
    app.router.add_post("/api/v1/endpoints", api.register)
    app.router.add_get(one, api.show)
    app.router.add_patch(one, api.change)
    app.router.add_delete(one, api.remove)
    for name in ("pause", "resume", "rotate", "probe"):
        app.router.add_post(f"{one}/{name}", getattr(api, name))
    app.router.add_post("/practice", matches_of_practice.start)


def _masthead(view: VenueView) -> Masthead:
    return Masthead(
        name="AgentBBS",
        version=__version__,
        games=tuple((game.id, game.title) for game in catalog.GAMES.values()),
        has_runs=view.settings.runs is not None,
        dev=view.settings.dev,
    )
