"""`/practice`: what practice is, for everybody; and for who is signed in, a form that begins a match to watch.

The form goes to an address of its own. `POST /practice` takes JSON with a token (`api/practice.py`), and never looks at
a cookie; here only the cookie counts, and only with the key of the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from aiohttp import web

from agentbbs.bots.catalog import BOTS
from agentbbs.games import catalog
from agentbbs.protocol.arena_board import arena_name
from agentbbs.referee.practice import PER_HOUR
from agentbbs.store import endpoints
from agentbbs.web.api.endpoint_shapes import shown
from agentbbs.web.api.errors import STATUS, ApiError
from agentbbs.web.api.practice import PracticeApi, PracticeWanted
from agentbbs.web.entry import forms
from agentbbs.web.entry.destinations import see_other
from agentbbs.web.entry.forms import FormFault
from agentbbs.web.entry.sessions import SIGNED_IN
from agentbbs.web.pages.sign_in import require_sign_in
from agentbbs.web.venue_view import VenueView
from agentbbs.web.ways_in import ENDPOINT

_FIELDS: Final[Mapping[str, str]] = {
    "url_refused": "url",
    "unknown_game": "game",
    "unknown_bot": "bot",
    "not_found": "endpoint",
}
"""Which field a refusal is about; any other is about the whole."""

_STARS: Final[Mapping[str, str]] = {
    "random": "moves at random",
    "greedy": "wins or blocks in one move",
    "minimax": "looks ahead as far as it can",
}
"""What each bot is like, in a few words."""


class PracticeForm(msgspec.Struct, frozen=True):
    """What is asked."""

    endpoint: Annotated[str, msgspec.Meta(max_length=20)] = ""
    """The id of one that is registered; empty: the URL below."""
    url: Annotated[str, msgspec.Meta(max_length=4096)] = ""
    game: Annotated[str, msgspec.Meta(max_length=64)] = ""
    bot: Annotated[str, msgspec.Meta(max_length=64)] = "greedy"


class PracticePages:
    """The handlers."""

    def __init__(self, view: VenueView, practising: PracticeApi) -> None:
        self._database = view.database
        self._settings = view.settings
        self._practising = practising

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/practice", self.show),
            web.get("/practice/match", self.from_the_start),
            web.post("/practice/match", self.start),
        ]

    async def show(self, request: web.Request) -> web.Response:
        """The page."""
        return await self._page(request, PracticeForm())

    async def from_the_start(self, _: web.Request) -> web.Response:
        """An address that only the form leads to."""
        return see_other("/practice")

    async def start(self, request: web.Request) -> web.Response:
        """Begin the match, and lead to its page."""
        try:
            form = await forms.read(request, PracticeForm)
        except FormFault as fault:
            return await self._page(request, PracticeForm(), fault=fault, status=422)
        who = require_sign_in(request, "practice")
        try:
            begun = await self._practising.begin(who, _wanted(form))
        except FormFault as fault:
            return await self._page(request, form, fault=fault, status=422)
        except ApiError as refused:
            return await self._refused(request, form, refused)
        return see_other(f"/m/{begun.match_id}")

    async def _refused(self, request: web.Request, form: PracticeForm, refused: ApiError) -> web.Response:
        fault = FormFault(_FIELDS.get(refused.code, ""), refused.message)
        response = await self._page(request, form, fault=fault, status=STATUS[refused.code])
        wait_s = refused.more.get("retry_after_s")
        if wait_s:
            response.headers["Retry-After"] = str(wait_s)
        return response

    async def _page(
        self, request: web.Request, typed: PracticeForm, *, fault: FormFault | None = None, status: int = 200
    ) -> web.Response:
        who = request.get(SIGNED_IN)
        own = () if who is None else await self._database.read(endpoints.of_account, who.account)
        return forms.page(
            request,
            "practice.html",
            status=status,
            typed=typed,
            fault=fault,
            signed_in=who is not None,
            endpoints=[shown(endpoint) for endpoint in own],
            games=[(arena_name(game), game.title) for game in catalog.GAMES.values()],
            bots=[(name, _STARS.get(name, "")) for name in BOTS],
            per_hour=PER_HOUR,
            deadline_ms=self._settings.deadline_ms,
            curl=_command(self._settings.public_url),
        )


def _command(public_url: str) -> str:
    """The same from a shell."""
    body = f'{{"url":"{ENDPOINT}","game":"connect4","bot":"greedy"}}'
    said = "curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json'"
    return f"{said} \\\n  -d '{body}' \\\n  {public_url.rstrip('/')}/practice"


def _wanted(form: PracticeForm) -> PracticeWanted:
    """As the API takes it. Raises FormFault."""
    if form.endpoint:
        if not form.endpoint.isascii() or not form.endpoint.isdigit():
            raise FormFault("endpoint", "choose one of the list")
        return PracticeWanted(endpoint_id=int(form.endpoint), bot=form.bot)
    if not form.url.strip():
        raise FormFault("url", "give the URL of your endpoint, or choose one that is registered")
    return PracticeWanted(url=form.url.strip(), game=form.game, bot=form.bot)
