"""`POST /practice`: an endpoint plays a house bot, unrated, by the same referee and the same protocol."""

from __future__ import annotations

import msgspec
from aiohttp import web

from agentbbs.games import catalog
from agentbbs.protocol.signing import Signer
from agentbbs.referee.endpoint_url import UrlRefused
from agentbbs.referee.outbound import Outbound
from agentbbs.referee.practice import Practice, PracticeRefused
from agentbbs.referee.webhook_seat import Target
from agentbbs.web.api_errors import ApiError, json_response
from agentbbs.web.callers import Admit, bearer_only, body
from agentbbs.web.endpoints_api import EndpointsApi, named, signers


class Wanted(msgspec.Struct, frozen=True):
    """The body: a `url` and a `game`, or an endpoint that is registered."""

    url: str | None = None
    endpoint_id: int | None = None
    game: str | None = None
    bot: str = "greedy"


class PracticeApi:
    """The handler."""

    def __init__(
        self,
        practice: Practice,
        registered: EndpointsApi,
        outbound: Outbound,
        admit: Admit,
        *,
        deadline_ms: int,
        public_url: str,
    ) -> None:
        self._practice = practice
        self._registered = registered
        self._outbound = outbound
        self._admit = admit
        self._deadline_ms = deadline_ms
        self._public_url = public_url

    async def start(self, request: web.Request) -> web.Response:
        """Begin a match; 201 with its id and where to watch it."""
        bearer_only(request)
        caller = await self._admit(request)
        wanted = await body(request, Wanted)
        keys: tuple[Signer, ...] = ()
        if wanted.endpoint_id is not None:
            endpoint = await self._registered.of(caller, str(wanted.endpoint_id))
            text, game, keys = endpoint.url, catalog.find(endpoint.game), signers(endpoint)
        elif wanted.url is not None and wanted.game is not None:
            text, game = wanted.url, named(wanted.game)
        else:
            raise ApiError("bad_request", 'send {"url": …, "game": …} or {"endpoint_id": …}')
        try:
            url = await self._outbound.check(text)
            target = Target(
                account=caller.account,
                name=caller.name,
                url=url,
                signers=keys,
                deadline_ms=self._deadline_ms,
                public_url=self._public_url,
            )
            match_id = self._practice.start(caller.account, target, game, wanted.bot)
        except UrlRefused as fault:
            raise ApiError("url_refused", fault.why, rule=fault.rule) from fault
        except PracticeRefused as fault:
            more = {"retry_after_s": fault.wait_s} if fault.wait_s else {}
            raise ApiError(fault.code, str(fault), **more) from fault
        told = {"match_id": match_id, "replay_url": f"{self._public_url}/m/{match_id}", "bot": wanted.bot}
        return json_response(told, status=201)
