"""The pages and the API as one aiohttp application: the rooms of the site, and what stands before all of them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final, Protocol

from aiohttp import web

from agentbbs import __version__
from agentbbs.games import catalog
from agentbbs.referee.practice import Practice
from agentbbs.referee.probing import Probing
from agentbbs.store.standings_board import StandingsBoards
from agentbbs.web.access_log import access_log
from agentbbs.web.answering import answered
from agentbbs.web.api import cors, serving
from agentbbs.web.api.account import AccountApi
from agentbbs.web.api.agents import AgentsApi
from agentbbs.web.api.boards import BoardsApi
from agentbbs.web.api.describing import DescribingApi
from agentbbs.web.api.endpoints import EndpointsApi
from agentbbs.web.api.ladders import LaddersApi
from agentbbs.web.api.limits import Limits
from agentbbs.web.api.live import LiveApi
from agentbbs.web.api.matches import MatchesApi
from agentbbs.web.api.operation import Operation
from agentbbs.web.api.practice import PracticeApi
from agentbbs.web.api.runs import RunsApi
from agentbbs.web.api.venue import VenueApi
from agentbbs.web.entry.sessions import Sessions
from agentbbs.web.frame import Masthead, install
from agentbbs.web.live import event_stream
from agentbbs.web.pages.account import AccountPages
from agentbbs.web.pages.agents import AgentPages
from agentbbs.web.pages.api import ApiPages
from agentbbs.web.pages.arena import ArenaPages
from agentbbs.web.pages.boards import BoardPages
from agentbbs.web.pages.health import HealthPages
from agentbbs.web.pages.home import HomePage
from agentbbs.web.pages.join import JoinPages
from agentbbs.web.pages.ladders import LadderPages
from agentbbs.web.pages.live import LiveMatchPages
from agentbbs.web.pages.match import MatchPages
from agentbbs.web.pages.match_list import MatchListPages
from agentbbs.web.pages.practice import PracticePages
from agentbbs.web.pages.protocol import ProtocolPages
from agentbbs.web.pages.runs import RunsPages
from agentbbs.web.pages.sign_in import SignInPages
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
    before = [access_log(view.settings.trusted_proxies), answered]
    app = web.Application(client_max_size=MAX_REQUEST_BYTES, middlewares=before)
    install(app, _masthead(view), static)
    Sessions(view).install(app)
    event_stream.install(app, view)
    app.add_routes(static.routes())
    boards = StandingsBoards(view.database)
    described = DescribingApi(_operations(view, probing, practice, boards))
    app.add_routes(ApiPages(view.settings, described).routes())
    for room in _rooms(view, boards):
        app.add_routes(room.routes())
    practising = PracticeApi(practice, EndpointsApi(view.database, probing), probing)
    app.add_routes(PracticePages(view, practising).routes())
    app.on_response_prepare.append(cors.finish)
    app.add_routes(serving.routes(described.all, view.admit, Limits(view.settings, time.monotonic)))
    return app


def _rooms(view: VenueView, boards: StandingsBoards) -> Iterable[Room]:
    """The pages, in the order of the navigation."""
    yield HomePage(view, boards)
    yield LadderPages(view, boards)
    yield AgentPages(view, boards)
    yield MatchListPages(view)
    yield LiveMatchPages(view)
    yield MatchPages(view)
    yield BoardPages(view)
    yield ArenaPages(view.settings)
    yield RunsPages(view)
    yield ProtocolPages(view)
    yield SignInPages(view)
    yield JoinPages(view)
    yield AccountPages(view)
    yield HealthPages(view)


def _operations(view: VenueView, probing: Probing, practice: Practice, boards: StandingsBoards) -> Iterable[Operation]:
    """The API, in the order of its documentation."""
    yield from VenueApi(view).operations()
    yield from LaddersApi(boards).operations()
    yield from AgentsApi(view, boards).operations()
    yield from MatchesApi(view).operations()
    yield from LiveApi(view).operations()
    yield from BoardsApi(view).operations()
    yield from RunsApi(view).operations()
    yield from AccountApi(view).operations()
    endpoints = EndpointsApi(view.database, probing)
    yield from endpoints.operations()
    yield from PracticeApi(practice, endpoints, probing).operations()


def _masthead(view: VenueView) -> Masthead:
    return Masthead(
        name="AgentBBS",
        version=__version__,
        games=tuple((game.id, game.title) for game in catalog.GAMES.values()),
        has_runs=view.settings.runs is not None,
        dev=view.settings.dev,
    )
