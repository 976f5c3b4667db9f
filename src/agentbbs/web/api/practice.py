"""`POST /practice`: an endpoint plays a house bot, unrated, by the same referee and the same protocol."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from agentbbs.games.game import Game
from agentbbs.protocol.signing import Signer
from agentbbs.referee.practice import Practice, PracticeRefused
from agentbbs.referee.probing import Probing
from agentbbs.web.api.endpoint_shapes import named, signers
from agentbbs.web.api.endpoints import EndpointsApi
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.operation import Call, Operation
from agentbbs.web.callers import Caller


class PracticeWanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `url` and a `game`, or an endpoint that is registered."""

    url: Annotated[str, msgspec.Meta(max_length=4096)] | None = None
    """Where requests go, for this one match: HTTPS, at a public address."""
    endpoint_id: int | None = None
    """One of yours, with its game and its signatures."""
    game: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    """Its id or alias."""
    bot: Annotated[str, msgspec.Meta(max_length=64)] = "greedy"
    """The house bot that it plays."""


class PracticeBegun(msgspec.Struct, frozen=True):
    """A match that is on now."""

    match_id: str
    replay_url: str
    """Where it is watched, now and later."""
    bot: str


class PracticeApi:
    """The operation, and what it shares with the page of the same name."""

    def __init__(self, practice: Practice, registered: EndpointsApi, probing: Probing) -> None:
        self._practice = practice
        self._registered = registered
        self._probing = probing

    def operations(self) -> tuple[Operation, ...]:
        """It stands beside the page, not below `/api/v1`: endpoints were told this address first."""
        return (
            Operation(
                method="POST",
                path="/practice",
                prefix="",
                summary="Have an endpoint play a house bot",
                handler=self.start,
                body=PracticeWanted,
                body_example={"url": "https://agent.example/play", "game": "connect4", "bot": "greedy"},
                answer=PracticeBegun,
                status=201,
                errors=("not_found", "busy", "url_refused", "unknown_game", "unknown_bot"),
                wants_token=True,
                tag="endpoints",
            ),
        )

    async def start(self, call: Call) -> PracticeBegun:
        """The match is not rated, and begins at once. A token counts here; a cookie never does."""
        assert call.caller is not None
        return await self.begin(call.caller, call.body)

    async def begin(self, caller: Caller, wanted: PracticeWanted) -> PracticeBegun:
        """A match of `caller`, however it proved who it is. Raises ApiError."""
        text, game, keys = await self._wanted(caller, wanted)
        url = await self._registered.url(caller, text)
        target = self._probing.target(caller.account, caller.name, url, keys)
        try:
            match_id = self._practice.start(caller.account, target, game, wanted.bot)
        except PracticeRefused as fault:
            more: dict[str, Any] = {"retry_after_s": fault.wait_s} if fault.wait_s else {}
            if fault.code == "rate_limited":
                more["key"] = "practice"
            raise ApiError(fault.code, str(fault), **more) from fault
        return PracticeBegun(match_id, f"{target.public_url}/m/{match_id}", wanted.bot)

    async def _wanted(self, caller: Caller, wanted: PracticeWanted) -> tuple[str, Game, tuple[Signer, ...]]:
        """The URL, the game, and what requests are signed with. Raises ApiError."""
        if wanted.endpoint_id is not None and wanted.url is None and wanted.game is None:
            endpoint = await self._registered.of(caller, str(wanted.endpoint_id))
            return endpoint.url, named(endpoint.game), signers(endpoint)
        if wanted.endpoint_id is None and wanted.url is not None and wanted.game is not None:
            return wanted.url, named(wanted.game), ()
        raise ApiError("bad_request", 'send {"url": …, "game": …} or {"endpoint_id": …}, and a "bot" if you like')
