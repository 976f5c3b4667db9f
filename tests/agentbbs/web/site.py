"""The pages and the API of a venue in the test's own event loop, and an HTTPS endpoint that does as it is told."""

from __future__ import annotations

import asyncio
import json
import random
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import web

from agentbbs.play.alarms import Alarms
from agentbbs.play.match import FORFEIT, Policy
from agentbbs.play.ports import Player
from agentbbs.play.runner import Runner
from agentbbs.play.seat import Chair, Seat
from agentbbs.play.session import UnknownBot
from agentbbs.play.spectators import Audience
from agentbbs.play.tally import Tally
from agentbbs.protocol.agentgames import Hello, Result, State
from agentbbs.protocol.errors import Code
from agentbbs.referee.endpoint_url import UrlRules
from agentbbs.referee.outbound import Outbound, OutboundRules
from agentbbs.referee.practice import Practice
from agentbbs.referee.probing import Probing
from agentbbs.referee.resolving import Resolver
from agentbbs.referee.slots import Slots
from agentbbs.servers.gate import Gate
from agentbbs.store import accounts, tokens
from agentbbs.store.database import Database
from agentbbs.store.matches import MatchWriter
from agentbbs.store.registration import Policy as RegistrationPolicy
from agentbbs.store.registration import Registrations
from agentbbs.store.token_cache import TokenCache
from agentbbs.web.app import application
from agentbbs.web.venue_view import VenueView, WebSettings

SOON_S: Final = 10
"""No answer takes nearly as long on the slowest machine; a test that waits longer has failed."""

DEADLINE_MS: Final = 2_000
NOW_MS: Final = 1_767_268_800_000
PUBLIC_URL: Final = "https://arena.example"
UNLIMITED: Final = 1_000_000
"""Reads, or writes, a minute: as good as no limit."""

Behaviour = Callable[[dict[str, Any]], web.Response]
"""What an endpoint makes of a request."""


def legal(turn: dict[str, Any]) -> web.Response:
    """The first legal move, as the protocol wants it."""
    return web.json_response({"move": turn["legal"][0], "nonce": turn["nonce"]})


class Endpoint:
    """An agent behind HTTPS; `behave` may be changed at any time."""

    def __init__(self) -> None:
        self.behave: Behaviour = legal
        self.heard: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.asked = asyncio.Event()
        """Set with each request."""
        self.let = asyncio.Event()
        """Answers wait for it."""
        self.let.set()
        self.url = ""

    async def _answer(self, request: web.Request) -> web.Response:
        turn = json.loads(await request.read())
        self.heard.append(turn)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.asked.set()
        await self.let.wait()
        return self.behave(turn)

    @asynccontextmanager
    async def served(self, context: ssl.SSLContext) -> AsyncIterator[Endpoint]:
        app = web.Application()
        app.router.add_post("/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
        await site.start()
        self.url = f"https://127.0.0.1:{runner.addresses[0][1]}/play"
        try:
            yield self
        finally:
            self.let.set()
            await runner.cleanup()


class FirstMove:
    """A house bot without a thought. Implements `play.seat.Seat`."""

    policy: Policy = FORFEIT

    def __init__(self, name: str) -> None:
        self.player = Player(None, name, "house")
        self.frames = 0
        self._chair: Chair | None = None

    def seated(self, chair: Chair, hello: Hello) -> None:
        del hello
        self._chair = chair

    def ask(self, state: State, strikes: int) -> bool:
        del strikes
        asyncio.get_running_loop().call_soon(self._move, state.ply)
        return True

    def _move(self, ply: int) -> None:
        if self._chair is not None:
            self._chair.move(self._chair.position.legal[0], ply)

    def show(self, state: State, *, over: bool) -> None:
        del state
        if over:
            self._chair = None

    def refuse(self, code: Code, why: str) -> None:
        raise AssertionError(f"{code}: {why}")

    def finished(self, result: Result) -> None:
        del result
        self._chair = None

    def unsettled(self, match_id: str) -> None:
        del match_id
        self._chair = None


class House:
    """Only `greedy` is at home."""

    def seat(self, bot: str) -> Seat:
        if bot != "greedy":
            raise UnknownBot(f"no house bot {bot[:40]!r}: practise with greedy")
        return FirstMove(bot)


class Site:
    """All that `application` serves, over a real database; ask it by `get`, `post` and `call`."""

    def __init__(
        self,
        database: Database,
        ca_file: Path | None,
        *,
        loopback: bool = True,
        dev: bool = True,
        runs: Path | None = None,
        policy: RegistrationPolicy = RegistrationPolicy.OPEN,
        per_minute: int = UNLIMITED,
        resolver: Resolver | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.database = database
        self.stopping = False
        self.alarms = Alarms(loop)
        self.writer = MatchWriter(database, loop)
        self.audience = Audience()
        self.runner = Runner(self.writer, self.alarms, self.audience, Tally(), move_timeout_ms=60_000)
        self.outbound = Outbound(OutboundRules(url=UrlRules(loopback=loopback), ca_file=ca_file), resolver=resolver)
        self.slots = Slots()
        probing = Probing(self.outbound, self.slots, loop.time, deadline_ms=DEADLINE_MS, public_url=PUBLIC_URL)
        practice = Practice(self.runner, House(), self.outbound, self.slots, self.alarms, random.Random(1))
        gate = Gate(TokenCache(database), loop.time, lambda: self.stopping, (), Tally())

        async def admit(request: web.Request) -> Any:
            return (await gate.admit(request))[1]

        self.view = VenueView(
            settings=WebSettings(
                public_url=PUBLIC_URL,
                deadline_ms=DEADLINE_MS,
                matches_per_hour=30,
                dev=dev,
                runs=runs,
                reads_per_minute=per_minute,
                writes_per_minute=per_minute,
            ),
            database=database,
            live=self.runner,
            audience=self.audience,
            admit=admit,
            check_token=gate.check,
            registrations=Registrations(database, policy),
            status=lambda: "stopping" if self.stopping else "ok",
            waiting=tuple,
        )
        self.app = application(self.view, probing, practice)
        self.base = ""
        """Where it is served."""
        self._http: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def served(self, within_s: float = 3 * SOON_S) -> AsyncIterator[Site]:
        """Serve it on this machine, for a test that ends in that time."""
        self.writer.start()
        runner = web.AppRunner(self.app, access_log=None, handle_signals=False, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        base = self.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            async with (
                asyncio.timeout(within_s),
                aiohttp.ClientSession(
                    base, timeout=aiohttp.ClientTimeout(SOON_S), cookie_jar=aiohttp.DummyCookieJar()
                ) as self._http,
            ):
                yield self
        finally:
            await self.runner.drain(0)
            await self.writer.close(SOON_S)
            await runner.cleanup()
            await self.outbound.close()
            self.alarms.stop()
            await self.database.close()

    def token(self, name: str) -> str:
        """A token of the account of that name, which is made if need be."""
        with self.database.begin() as conn:
            known = {account.name: account.id for account in accounts.all_accounts(conn)}
            account = known.get(name) or accounts.add(conn, name, now_ms=NOW_MS).id
            return tokens.mint(conn, account, NOW_MS)

    async def ask(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, data: bytes | None = None
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers (names in small letters) and text of the answer."""
        return (await self.exchange(method, path, headers=headers, data=data))[:3]

    async def exchange(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, data: bytes | None = None
    ) -> tuple[int, dict[str, str], str, list[str]]:
        """As `ask`, and every `Set-Cookie`."""
        assert self._http is not None
        async with self._http.request(method, path, headers=headers, data=data, allow_redirects=False) as answer:
            found = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, found, await answer.text(), answer.headers.getall("Set-Cookie", [])

    async def call(self, method: str, path: str, token: str, body: object = None) -> tuple[int, Any]:
        """Status and JSON of a request to the API."""
        headers = {"Authorization": f"Bearer {token}"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        status, _, text = await self.ask(method, path, headers=headers, data=data)
        return status, json.loads(text) if text else None
