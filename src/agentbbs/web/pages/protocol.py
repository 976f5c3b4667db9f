"""`/protocol`: both wires, their errors and strikes, and the JSON Schemas, made from the tables that the venue runs on.

The pages are those of docs/, out of the same functions: what `make docs` writes and what a reader sees here is one.
"""

from __future__ import annotations

import asyncio
import re
from functools import cache
from typing import Final

from aiohttp import web

from agentbbs.play import arena_page, protocol_page
from agentbbs.protocol.arena import FAULTS
from agentbbs.protocol.errors import CODES
from agentbbs.protocol.strikes import STRIKES
from agentbbs.web import headers
from agentbbs.web.api.errors import ERRORS
from agentbbs.web.frame import render
from agentbbs.web.links import venue_url
from agentbbs.web.prose import Prose, inline, prose
from agentbbs.web.venue_view import VenueView

PAGES: Final = {"agentgames": protocol_page, "arena": arena_page}
"""What makes the page of each wire, by the last part of its address."""

SCHEMA_TITLES: Final = {
    "agentgames-client.json": "AgentGames: what an agent sends",
    "agentgames-venue.json": "AgentGames: what the venue sends",
    "agentarena-request.json": "Agent Arena: the request of the referee",
    "agentarena-reply.json": "Agent Arena: the reply of an agent",
}

_OF_THE_FILE: Final = re.compile(r"^\*This page is made .*\*\n\n", re.MULTILINE)
"""A word to who would change the file."""


class ProtocolPages:
    """The handlers of `/protocol` and of what lies below it."""

    def __init__(self, view: VenueView) -> None:
        self._settings = view.settings

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/protocol", self.index),
            web.get("/protocol/errors", self.errors),
            web.get("/protocol/strikes", self.strikes),
            web.get("/protocol/{wire:" + "|".join(PAGES) + "}", self.wire),
            web.get("/protocol/schema/{name}", self.schema),
        ]

    async def index(self, request: web.Request) -> web.Response:
        """Which wire is whose, and where everything is."""
        return render(
            request,
            "protocol.html",
            settings=self._settings,
            venue_url=venue_url(self._settings),
            schemas=SCHEMA_TITLES,
        )

    async def wire(self, request: web.Request) -> web.Response:
        """A protocol, whole."""
        wire = request.match_info["wire"]
        made = await asyncio.to_thread(words, wire)  # 40 ms the first time, which no match has to wait for
        return render(request, "protocol_words.html", words=made, settings=self._settings, wire=wire)

    async def errors(self, request: web.Request) -> web.Response:
        """Every code of the wire and of the API."""
        return render(
            request,
            "protocol_errors.html",
            wire=[(code, inline(entry.meaning), inline(entry.remedy), entry.closes) for code, entry in CODES.items()],
            api=[(code, info.status, inline(info.meaning), inline(info.remedy)) for code, info in ERRORS.items()],
        )

    async def strikes(self, request: web.Request) -> web.Response:
        """Every row of the strike table."""
        return render(request, "protocol_strikes.html", strikes=strike_rows(), faults=FAULTS)

    async def schema(self, request: web.Request) -> web.Response:
        """A JSON Schema, as a file."""
        name = request.match_info["name"]
        found = (await asyncio.to_thread(schemas)).get(name)
        if found is None:
            raise web.HTTPNotFound(text="No schema has that name: /protocol lists them.")
        sent_as = {**headers.PAGE, "Content-Disposition": f'attachment; filename="{name}"'}
        return web.Response(text=found, content_type="application/schema+json", headers=sent_as)


def strike_rows() -> list[dict[str, object]]:
    """The strike table, for a template."""
    return [
        {
            "row": info.row,
            "says": inline(info.says),
            "remedy": inline(info.remedy),
            "transport": info.transport,
            "sick": info.sick,
        }
        for info in STRIKES.values()
    ]


@cache
def schemas() -> dict[str, str]:
    """Every JSON Schema by the name of its file."""
    return {**protocol_page.schemas(), **arena_page.schemas()}


@cache
def words(wire: str) -> Prose:
    """The page of a wire, with links to pages of the site."""
    links = {PAGES[name].PAGE.name: f"/protocol/{name}" for name in PAGES}
    links |= {f"schema/{name}": f"/protocol/schema/{name}" for name in SCHEMA_TITLES}
    return prose(_OF_THE_FILE.sub("", PAGES[wire].page()), links)
