"""`/api/v1/endpoints`: an account's endpoints, by its own token. A secret is told once, when it is made."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

from agentbbs.games.game import Game
from agentbbs.protocol.arena_board import arena_name
from agentbbs.protocol.signing import SECRET_BYTES, Scheme, Signer, WrongKey, new_secret, public_form
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRefused
from agentbbs.referee.probe import ProbeResult
from agentbbs.referee.probing import Probing, TooManyProbes
from agentbbs.store import endpoints
from agentbbs.store.database import Database
from agentbbs.store.endpoints import Endpoint, EndpointTaken, NoSuchEndpoint
from agentbbs.web.api.callers import Admit, Caller, admitted, body
from agentbbs.web.api.endpoint_shapes import Change, Register, named, now_ms, shown, signers
from agentbbs.web.api.errors import ApiError, json_response

MAX_ENDPOINTS: Final = 8
"""Of one account: one a game, and room for games of other packages."""

_ID: Final = re.compile(r"[1-9][0-9]{0,17}")

_NOT_YOURS: Final = "you have no endpoint with that id: the list shows yours"


class EndpointsApi:
    """The handlers."""

    def __init__(self, database: Database, probing: Probing, admit: Admit) -> None:
        self._database = database
        self._probing = probing
        self._admit = admit

    async def list_(self, request: web.Request) -> web.Response:
        """The account's endpoints."""
        caller = await admitted(request, self._admit)
        found = await self._database.read(endpoints.of_account, caller.account)
        return json_response({"endpoints": [shown(endpoint) for endpoint in found]})

    async def register(self, request: web.Request) -> web.Response:
        """Check, probe and store; 201 with the secret (or public key), this once."""
        caller = await admitted(request, self._admit)
        wanted = await body(request, Register)
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
        return json_response({"endpoint": shown(endpoint), "key": key, "probe": found}, status=201)

    async def show(self, request: web.Request) -> web.Response:
        """One endpoint."""
        _, endpoint = await self._mine(request)
        return json_response({"endpoint": shown(endpoint)})

    async def change(self, request: web.Request) -> web.Response:
        """Another URL, which is checked and probed first."""
        caller, endpoint = await self._mine(request)
        wanted = await body(request, Change)
        game = named(endpoint.game)
        url = await self.url(caller, wanted.url)
        found = await self._probed(caller, url, game, signers(endpoint))
        await self._written(endpoints.change_url, endpoint.id, url.text, now_ms())
        changed = await self._measured(endpoint, found)
        return json_response({"endpoint": shown(changed), "probe": found})

    async def remove(self, request: web.Request) -> web.Response:
        """Forget it; a match that is on is forfeited."""
        _, endpoint = await self._mine(request)
        await self._written(endpoints.remove, endpoint.id, now_ms())
        return web.Response(status=204)

    async def pause(self, request: web.Request) -> web.Response:
        """Call it no more until it is resumed."""
        _, endpoint = await self._mine(request)
        changed = await self._written(endpoints.pause, endpoint.id, "paused by its owner", now_ms())
        return json_response({"endpoint": shown(changed)})

    async def resume(self, request: web.Request) -> web.Response:
        """Call it again, if it answers a probe."""
        caller, endpoint = await self._mine(request)
        found = await self._probed_again(caller, endpoint)
        if not found.ok:
            raise _failed(found)
        await self._written(endpoints.resume, endpoint.id, now_ms())
        changed = await self._measured(endpoint, found)
        return json_response({"endpoint": shown(changed), "probe": found})

    async def probe(self, request: web.Request) -> web.Response:
        """Ask it for one move, and tell what came of it; its status stays."""
        caller, endpoint = await self._mine(request)
        return json_response({"probe": await self._probed_again(caller, endpoint)})

    async def rotate(self, request: web.Request) -> web.Response:
        """Another secret, told this once; the former one signs beside it for a day."""
        _, endpoint = await self._mine(request)
        scheme = Scheme(endpoint.scheme)
        secret = new_secret(scheme, secrets.token_bytes(SECRET_BYTES))
        at_ms = now_ms()
        changed = await self._written(endpoints.rotate, endpoint.id, secret, at_ms + endpoints.OLD_SECRET_MS, at_ms)
        told = {"key": public_form(scheme, secret), "old_key_until_ms": at_ms + endpoints.OLD_SECRET_MS}
        return json_response({"endpoint": shown(changed), **told})

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

    async def _mine(self, request: web.Request) -> tuple[Caller, Endpoint]:
        caller = await admitted(request, self._admit)
        return caller, await self.of(caller, request.match_info["id"])

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


def _keys(wanted: Register) -> tuple[str, str]:
    """The secret to sign with, and what the agent verifies with. Raises ApiError."""
    secret = wanted.secret or new_secret(wanted.scheme, secrets.token_bytes(SECRET_BYTES))
    try:
        return secret, public_form(wanted.scheme, secret)
    except WrongKey as fault:
        raise ApiError("bad_request", f"`secret` can't be used: {fault}") from fault


def _failed(found: ProbeResult) -> ApiError:
    return ApiError("probe_failed", found.says, row=found.row, took=found.bucket)
