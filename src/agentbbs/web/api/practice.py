"""`POST /practice`: an endpoint plays a house bot, unrated, by the same referee and the same protocol."""

from __future__ import annotations

from typing import Any

import msgspec
from aiohttp import web

from agentbbs.games.game import Game
from agentbbs.protocol.signing import Signer
from agentbbs.referee.practice import Practice, PracticeRefused
from agentbbs.referee.probing import Probing
from agentbbs.web.api.callers import Admit, Caller, admitted, body
from agentbbs.web.api.endpoint_shapes import named, signers
from agentbbs.web.api.endpoints import EndpointsApi
from agentbbs.web.api.errors import ApiError, json_response


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body: a `url` and a `game`, or an endpoint that is registered."""

    url: str | None = None
    endpoint_id: int | None = None
    game: str | None = None
    bot: str = "greedy"


class PracticeApi:
    """The handler."""

    def __init__(self, practice: Practice, registered: EndpointsApi, probing: Probing, admit: Admit) -> None:
        self._practice = practice
        self._registered = registered
        self._probing = probing
        self._admit = admit

    async def start(self, request: web.Request) -> web.Response:
        """Begin a match; 201 with its id and where to watch it."""
        caller = await admitted(request, self._admit)
        wanted = await body(request, Wanted)
        text, game, keys = await self._wanted(caller, wanted)
        url = await self._registered.url(caller, text)
        target = self._probing.target(caller.account, caller.name, url, keys)
        try:
            match_id = self._practice.start(caller.account, target, game, wanted.bot)
        except PracticeRefused as fault:
            more: dict[str, Any] = {"retry_after_s": fault.wait_s} if fault.wait_s else {}
            raise ApiError(fault.code, str(fault), **more) from fault
        told = {"match_id": match_id, "replay_url": f"{target.public_url}/m/{match_id}", "bot": wanted.bot}
        return json_response(told, status=201)

    async def _wanted(self, caller: Caller, wanted: Wanted) -> tuple[str, Game, tuple[Signer, ...]]:
        """The URL, the game, and what requests are signed with. Raises ApiError."""
        if wanted.endpoint_id is not None and wanted.url is None and wanted.game is None:
            endpoint = await self._registered.of(caller, str(wanted.endpoint_id))
            return endpoint.url, named(endpoint.game), signers(endpoint)
        if wanted.endpoint_id is None and wanted.url is not None and wanted.game is not None:
            return wanted.url, named(wanted.game), ()
        raise ApiError("bad_request", 'send {"url": …, "game": …} or {"endpoint_id": …}, and a "bot" if you like')
