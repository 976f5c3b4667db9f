"""`/api/v1/endpoints`: an account's endpoints, by its own token. A secret is told once, when it is made."""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Final

from agentbbs.games.game import Game
from agentbbs.protocol.arena_board import arena_name
from agentbbs.protocol.signing import SECRET_BYTES, Scheme, Signer, WrongKey, new_secret, public_form
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRefused
from agentbbs.referee.probe import ProbeResult
from agentbbs.referee.probing import Probing, TooManyProbes
from agentbbs.store import endpoints
from agentbbs.store.database import Database
from agentbbs.store.endpoints import Endpoint, EndpointTaken, NoSuchEndpoint
from agentbbs.web.api.endpoint_shapes import (
    EndpointChange,
    EndpointChanged,
    EndpointProbed,
    EndpointRegistered,
    EndpointRotated,
    Endpoints,
    EndpointWanted,
    OneEndpoint,
    named,
    now_ms,
    shown,
    signers,
)
from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.operation import Answer, Call, Operation
from agentbbs.web.callers import Caller

MAX_ENDPOINTS: Final = 8
"""Of one account: one a game, and room for games of other packages."""

_ID: Final = re.compile(r"[1-9][0-9]{0,17}")

_NOT_YOURS: Final = "you have no endpoint with that id: the list shows yours"


class EndpointsApi:
    """The operations."""

    def __init__(self, database: Database, probing: Probing) -> None:
        self._database = database
        self._probing = probing

    def operations(self) -> tuple[Operation, ...]:
        """All of them want a token, and show the endpoints of its account alone."""
        every, one = "/endpoints", "/endpoints/{id}"
        probed = ("url_refused", "probe_failed", "unknown_game")
        return (
            _operation("GET", every, "List your endpoints", self.list_, Endpoints),
            _operation(
                "POST",
                every,
                "Register an endpoint",
                self.register,
                EndpointRegistered,
                body=EndpointWanted,
                body_example={"url": "https://agent.example/play", "game": "connect4"},
                status=201,
                errors=(*probed, "taken"),
            ),
            _operation("GET", one, "Show an endpoint", self.show, OneEndpoint),
            _operation(
                "PATCH",
                one,
                "Change the URL of an endpoint",
                self.change,
                EndpointChanged,
                body=EndpointChange,
                body_example={"url": "https://agent.example/move"},
                errors=probed,
            ),
            _operation("DELETE", one, "Remove an endpoint", self.remove, None, status=204),
            _operation("POST", f"{one}/pause", "Pause an endpoint", self.pause, OneEndpoint),
            _operation("POST", f"{one}/resume", "Resume an endpoint", self.resume, EndpointChanged, errors=probed),
            _operation("POST", f"{one}/rotate", "Give an endpoint another key", self.rotate, EndpointRotated),
            _operation(
                "POST", f"{one}/probe", "Probe an endpoint", self.probe, EndpointProbed, errors=(*probed[:1], probed[2])
            ),
        )

    async def list_(self, call: Call) -> Endpoints:
        """The account's endpoints."""
        found = await self._database.read(endpoints.of_account, _caller(call).account)
        return Endpoints([shown(endpoint) for endpoint in found])

    async def register(self, call: Call) -> EndpointRegistered:
        """The URL is checked and asked for one move, then it is stored. The answer has the key that requests are
        verified with, this once."""
        caller, wanted = _caller(call), call.body
        game = named(wanted.game)
        await self._require_room(caller, game)
        secret, key = _keys(wanted)
        url = await self.url(caller, wanted.url)
        found = await self._probed(
            caller, url, game, (Signer(wanted.scheme, secret),), signature=wanted.check_signature
        )
        try:
            endpoint = await self._database.write(
                endpoints.register,
                caller.account,
                game.id,
                url.text,
                wanted.scheme.value,
                secret,
                now_ms(),
                latency_ms=found.latency_ms,
            )
        except EndpointTaken as fault:
            raise ApiError("taken", str(fault)) from fault
        return EndpointRegistered(shown(endpoint), key, found)

    async def show(self, call: Call) -> OneEndpoint:
        """One endpoint, without its secret."""
        return OneEndpoint(shown(await self._mine(call)))

    async def change(self, call: Call) -> EndpointChanged:
        """The new URL is checked and probed first."""
        caller, endpoint = _caller(call), await self._mine(call)
        game = named(endpoint.game)
        url = await self.url(caller, call.body.url)
        found = await self._probed(caller, url, game, signers(endpoint))
        await self._written(endpoints.change_url, endpoint.id, url.text, now_ms())
        return EndpointChanged(shown(await self._measured(endpoint, found)), found)

    async def remove(self, call: Call) -> None:
        """It is forgotten; a match that is on is forfeited."""
        endpoint = await self._mine(call)
        await self._written(endpoints.remove, endpoint.id, now_ms())

    async def pause(self, call: Call) -> OneEndpoint:
        """It is called no more until it is resumed."""
        endpoint = await self._mine(call)
        return OneEndpoint(shown(await self._written(endpoints.pause, endpoint.id, "paused by its owner", now_ms())))

    async def resume(self, call: Call) -> EndpointChanged:
        """It is called again, if it answers a probe."""
        endpoint = await self._mine(call)
        found = await self._probed_again(_caller(call), endpoint)
        if not found.ok:
            raise _failed(found)
        await self._written(endpoints.resume, endpoint.id, now_ms())
        return EndpointChanged(shown(await self._measured(endpoint, found)), found)

    async def probe(self, call: Call) -> EndpointProbed:
        """It is asked for one move, and the answer tells what came of it; its status stays."""
        endpoint = await self._mine(call)
        return EndpointProbed(await self._probed_again(_caller(call), endpoint))

    async def rotate(self, call: Call) -> EndpointRotated:
        """Another secret, told this once; the former one signs beside it for a day."""
        endpoint = await self._mine(call)
        scheme = Scheme(endpoint.scheme)
        secret = new_secret(scheme, secrets.token_bytes(SECRET_BYTES))
        at_ms = now_ms()
        until_ms = at_ms + endpoints.OLD_SECRET_MS
        changed = await self._written(endpoints.rotate, endpoint.id, secret, until_ms, at_ms)
        return EndpointRotated(shown(changed), public_form(scheme, secret), until_ms)

    async def of(self, caller: Caller, endpoint_id: str) -> Endpoint:
        """The caller's endpoint with that id. Raises ApiError, the same for one of somebody else."""
        number = int(endpoint_id) if _ID.fullmatch(endpoint_id) else 0
        try:
            endpoint = await self._database.read(endpoints.get, number)
        except NoSuchEndpoint as fault:
            raise ApiError("not_found", _NOT_YOURS) from fault
        if endpoint.account_id != caller.account:
            raise ApiError("not_found", _NOT_YOURS)
        return endpoint

    async def url(self, caller: Caller, text: str) -> EndpointUrl:
        """The endpoint that `text` names, if it may be called. Raises ApiError with the rule that it breaks."""
        try:
            return await self._probing.check(caller.account, text)
        except UrlRefused as fault:
            raise ApiError("url_refused", fault.why, rule=fault.rule) from fault
        except TooManyProbes as fault:
            raise ApiError("rate_limited", str(fault), retry_after_s=fault.wait_s) from fault

    async def _mine(self, call: Call) -> Endpoint:
        return await self.of(_caller(call), call.path["id"])

    async def _require_room(self, caller: Caller, game: Game) -> None:
        known = await self._database.read(endpoints.of_account, caller.account)
        if any(endpoint.game == game.id for endpoint in known):
            raise ApiError(
                "taken", f"there is an endpoint for {arena_name(game)} already: change its URL, or remove it"
            )
        if len(known) >= MAX_ENDPOINTS:
            raise ApiError("taken", f"an account has at most {MAX_ENDPOINTS} endpoints: remove one")

    async def _probed(
        self, caller: Caller, url: EndpointUrl, game: Game, keys: tuple[Signer, ...], *, signature: bool = False
    ) -> ProbeResult:
        """A probe that went well. Raises ApiError."""
        found = await self._ask(caller, url, game, keys, signature=signature)
        if not found.ok:
            raise _failed(found)
        return found

    async def _probed_again(self, caller: Caller, endpoint: Endpoint) -> ProbeResult:
        game = named(endpoint.game)
        return await self._ask(caller, await self.url(caller, endpoint.url), game, signers(endpoint))

    async def _ask(
        self, caller: Caller, url: EndpointUrl, game: Game, keys: tuple[Signer, ...], *, signature: bool = False
    ) -> ProbeResult:
        target = self._probing.target(caller.account, caller.name, url, keys)
        try:
            return await self._probing.probe(target, game, signature=signature)
        except TooManyProbes as fault:
            raise ApiError("rate_limited", str(fault), retry_after_s=fault.wait_s) from fault

    async def _measured(self, endpoint: Endpoint, found: ProbeResult) -> Endpoint:
        """Note how long the probe took; the endpoint as it is then."""
        await self._written(endpoints.note_latency, endpoint.id, found.latency_ms)
        measured: Endpoint = await self._written(endpoints.get, endpoint.id)
        return measured

    async def _written(self, change: Callable[..., Any], endpoint_id: int, *args: Any) -> Any:
        """What a function of the store returns. Raises ApiError where the endpoint was removed meanwhile."""
        try:
            return await self._database.write(change, endpoint_id, *args)
        except NoSuchEndpoint as fault:
            raise ApiError("not_found", _NOT_YOURS) from fault


def _operation(
    method: str, path: str, summary: str, handler: Callable[[Call], Awaitable[Answer]], answer: Any, **more: Any
) -> Operation:
    by_id: dict[str, Any] = {"anchors": {"id": _ID.pattern}, "examples": {"id": 7}} if "{id}" in path else {}
    return Operation(
        method=method,
        path=path,
        summary=summary,
        handler=handler,
        answer=answer,
        wants_token=True,
        tag="endpoints",
        **by_id,
        **more,
    )


def _caller(call: Call) -> Caller:
    """Who calls: every operation here wants a token."""
    assert call.caller is not None
    return call.caller


def _keys(wanted: EndpointWanted) -> tuple[str, str]:
    """The secret to sign with, and what the agent verifies with. Raises ApiError."""
    secret = wanted.secret or new_secret(wanted.scheme, secrets.token_bytes(SECRET_BYTES))
    try:
        return secret, public_form(wanted.scheme, secret)
    except WrongKey as fault:
        raise ApiError("bad_request", f"`secret` can't be used: {fault}") from fault


def _failed(found: ProbeResult) -> ApiError:
    return ApiError("probe_failed", found.says, row=found.row, took=found.bucket)
