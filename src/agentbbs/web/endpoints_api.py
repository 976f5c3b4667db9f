"""`/api/v1/endpoints`: an account's endpoints, by its own token. A secret is told once, when it is made."""

from __future__ import annotations

import secrets
import time
from typing import Final

import msgspec
from aiohttp import web

from agentbbs.games import catalog
from agentbbs.games.game import Game
from agentbbs.protocol.arena_board import arena_name, game_named
from agentbbs.protocol.signing import SECRET_BYTES, Scheme, Signer, new_secret, public_form
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRefused
from agentbbs.referee.outbound import Outbound
from agentbbs.referee.probe import ProbeResult, probe
from agentbbs.referee.webhook_seat import Target
from agentbbs.store import endpoints
from agentbbs.store.database import Database
from agentbbs.store.endpoints import Endpoint, EndpointTaken, NoSuchEndpoint
from agentbbs.web.api_errors import ApiError, json_response
from agentbbs.web.callers import Admit, Caller, bearer_only, body

OLD_SECRET_MS: Final = 24 * 3600 * 1000
"""How long requests are signed with the former secret too, after a rotation."""

MAX_ENDPOINTS: Final = 8
"""Of one account: one a game, and room for games of other packages."""

MAX_PROBES_PER_HOUR: Final = 20
"""Of one account: the venue is no tool to knock at doors with."""

HOUR_S: Final = 3600.0


class Register(msgspec.Struct, frozen=True):
    """The body of a registration."""

    url: str
    game: str
    scheme: Scheme = Scheme.HMAC
    check_signature: bool = False
    """Refuse the endpoint unless it refuses a request that is signed wrongly; with a `secret` that it knows already."""
    secret: str | None = None


class Change(msgspec.Struct, frozen=True):
    """The body of a change."""

    url: str


class Shown(msgspec.Struct, frozen=True):
    """One endpoint as its owner sees it. Times are Unix milliseconds."""

    id: int
    game: str
    url: str
    scheme: str
    status: str
    why: str | None
    latency_ms: int | None
    created_ms: int
    updated_ms: int


class Probes:
    """How many probes an account has had in the last hour."""

    def __init__(self) -> None:
        self._at: dict[int, list[float]] = {}

    def take(self, account: int) -> None:
        """One more. Raises ApiError."""
        now = time.monotonic()
        recent = [at for at in self._at.get(account, ()) if at > now - HOUR_S]
        if len(recent) >= MAX_PROBES_PER_HOUR:
            wait_s = max(1, round(recent[0] + HOUR_S - now))
            why = (
                f"{MAX_PROBES_PER_HOUR} probes an hour: wait {wait_s} s, and try the agent with `agentbbs check-agent`"
            )
            raise ApiError("rate_limited", why, retry_after_s=wait_s)
        self._at[account] = [*recent, now]


class EndpointsApi:
    """The handlers."""

    def __init__(
        self, database: Database, outbound: Outbound, admit: Admit, *, deadline_ms: int, public_url: str
    ) -> None:
        self._database = database
        self._outbound = outbound
        self._admit = admit
        self._deadline_ms = deadline_ms
        self._public_url = public_url
        self._probes = Probes()

    async def list_(self, request: web.Request) -> web.Response:
        """The account's endpoints."""
        caller = await self._caller(request)
        found = await self._database.read(endpoints.of_account, caller.account)
        return json_response({"endpoints": [shown(endpoint) for endpoint in found]})

    async def register(self, request: web.Request) -> web.Response:
        """Check, probe and store; 201 with the secret (or public key), this once."""
        caller = await self._caller(request)
        wanted = await body(request, Register)
        game = named(wanted.game)
        known = await self._database.read(endpoints.of_account, caller.account)
        if any(endpoint.game == game.id for endpoint in known):
            raise ApiError(
                "taken", f"there is an endpoint for {arena_name(game)} already: change its URL, or remove it"
            )
        if len(known) >= MAX_ENDPOINTS:
            raise ApiError("taken", f"an account has at most {MAX_ENDPOINTS} endpoints: remove one")
        secret = wanted.secret or new_secret(wanted.scheme, secrets.token_bytes(SECRET_BYTES))
        try:
            public = public_form(wanted.scheme, secret)
        except ValueError as fault:
            raise ApiError("bad_request", str(fault)) from fault
        url = await self._url(wanted.url)
        signers = (Signer(wanted.scheme, secret),)
        found = await self._probed(caller, url, game, signers, signature=wanted.check_signature)
        try:
            endpoint = await self._database.write(
                endpoints.register,
                caller.account,
                game.id,
                url.text,
                wanted.scheme,
                secret,
                _now_ms(),
                latency_ms=found.latency_ms,
            )
        except EndpointTaken as fault:
            raise ApiError("taken", str(fault)) from fault
        told = {"endpoint": shown(endpoint), "key": public, "probe": found}
        return json_response(told, status=201)

    async def show(self, request: web.Request) -> web.Response:
        """One endpoint."""
        return json_response({"endpoint": shown(await self._mine(request))})

    async def change(self, request: web.Request) -> web.Response:
        """Another URL, which is checked and probed first."""
        caller = await self._caller(request)
        endpoint = await self._mine(request)
        url = await self._url((await body(request, Change)).url)
        found = await self._probed(caller, url, catalog.find(endpoint.game), signers(endpoint))
        changed = await self._database.write(endpoints.change_url, endpoint.id, url.text, _now_ms())
        return json_response({"endpoint": shown(changed), "probe": found})

    async def remove(self, request: web.Request) -> web.Response:
        """Forget it; a match that is on is forfeited."""
        endpoint = await self._mine(request)
        await self._database.write(endpoints.remove, endpoint.id, _now_ms())
        return web.Response(status=204)

    async def pause(self, request: web.Request) -> web.Response:
        """Call it no more until it is resumed."""
        endpoint = await self._mine(request)
        changed = await self._database.write(endpoints.pause, endpoint.id, "paused by its owner", _now_ms())
        return json_response({"endpoint": shown(changed)})

    async def resume(self, request: web.Request) -> web.Response:
        """Call it again, if it answers a probe."""
        caller = await self._caller(request)
        endpoint = await self._mine(request)
        url = await self._url(endpoint.url)
        found = await self._probed(caller, url, catalog.find(endpoint.game), signers(endpoint))
        changed = await self._database.write(endpoints.resume, endpoint.id, _now_ms())
        return json_response({"endpoint": shown(changed), "probe": found})

    async def probe(self, request: web.Request) -> web.Response:
        """Ask it for one move, and tell what came of it; nothing changes."""
        caller = await self._caller(request)
        endpoint = await self._mine(request)
        self._probes.take(caller.account)
        url = await self._url(endpoint.url)
        target = self._target(caller, url, signers(endpoint))
        return json_response({"probe": await probe(self._outbound, target, catalog.find(endpoint.game))})

    async def rotate(self, request: web.Request) -> web.Response:
        """Another secret, told this once; the former one signs beside it for a day."""
        endpoint = await self._mine(request)
        scheme = Scheme(endpoint.scheme)
        secret = new_secret(scheme, secrets.token_bytes(SECRET_BYTES))
        until_ms = _now_ms() + OLD_SECRET_MS
        changed = await self._database.write(endpoints.rotate, endpoint.id, secret, until_ms, _now_ms())
        told = {"endpoint": shown(changed), "key": public_form(scheme, secret), "old_key_until_ms": until_ms}
        return json_response(told)

    async def _caller(self, request: web.Request) -> Caller:
        bearer_only(request)
        return await self._admit(request)

    async def _mine(self, request: web.Request) -> Endpoint:
        caller = await self._caller(request)
        return await self.of(caller, request.match_info["id"])

    async def of(self, caller: Caller, endpoint_id: str) -> Endpoint:
        """The caller's endpoint with that id. Raises ApiError, the same for one of somebody else."""
        number = int(endpoint_id[:9]) if endpoint_id.isascii() and endpoint_id.isdecimal() else 0
        try:
            endpoint = await self._database.read(endpoints.get, number)
        except NoSuchEndpoint as fault:
            raise ApiError("not_found", "you have no endpoint with that id: the list shows yours") from fault
        if endpoint.account_id != caller.account:
            raise ApiError("not_found", "you have no endpoint with that id: the list shows yours")
        return endpoint

    async def _url(self, text: str) -> EndpointUrl:
        try:
            return await self._outbound.check(text)
        except UrlRefused as fault:
            raise ApiError("url_refused", fault.why, rule=fault.rule) from fault

    async def _probed(
        self, caller: Caller, url: EndpointUrl, game: Game, signers: tuple[Signer, ...], *, signature: bool = False
    ) -> ProbeResult:
        self._probes.take(caller.account)
        found = await probe(self._outbound, self._target(caller, url, signers), game, signature=signature)
        if not found.ok:
            raise ApiError("probe_failed", found.says, row=found.row, took=found.bucket)
        return found

    def _target(self, caller: Caller, url: EndpointUrl, signers: tuple[Signer, ...]) -> Target:
        return Target(
            account=caller.account,
            name=caller.name,
            url=url,
            signers=signers,
            deadline_ms=self._deadline_ms,
            public_url=self._public_url,
        )


def named(name: str) -> Game:
    """The game of that name. Raises ApiError."""
    try:
        return game_named(name)
    except catalog.UnknownGame as fault:
        raise ApiError(
            "unknown_game", str(fault), games=[arena_name(catalog.find(one)) for one in fault.ids]
        ) from fault


def signers(endpoint: Endpoint) -> tuple[Signer, ...]:
    """What requests to this endpoint are signed with now."""
    return tuple(Signer(Scheme(endpoint.scheme), secret) for secret in endpoint.secrets(_now_ms()))


def shown(endpoint: Endpoint) -> Shown:
    """The fields that its owner sees."""
    return Shown(
        id=endpoint.id,
        game=arena_name(catalog.find(endpoint.game)),
        url=endpoint.url,
        scheme=endpoint.scheme,
        status=endpoint.status,
        why=endpoint.why,
        latency_ms=endpoint.latency_ms,
        created_ms=endpoint.created_ms,
        updated_ms=endpoint.updated_ms,
    )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
