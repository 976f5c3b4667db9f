"""A game port in the test's own event loop: the real servers, lobby and runner over a log in memory."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest
from aiohttp import web
from websockets.asyncio.client import ClientConnection, connect

from agentbbs.play.alarms import Alarms
from agentbbs.play.lobby import Lobby
from agentbbs.play.ports import FinishedMatch, Settled, Standing
from agentbbs.play.runner import Runner
from agentbbs.play.seat import Seat
from agentbbs.play.session import UnknownBot
from agentbbs.play.spectators import Audience
from agentbbs.play.tally import Tally
from agentbbs.servers.gate import Gate
from agentbbs.servers.watch import OnNode, WatchEndpoints
from agentbbs.servers.websocket import PlayEndpoint

SOON_S = 10
"""No answer takes nearly as long on the slowest machine; a test that waits longer has failed."""


async def until(true: Callable[[], bool]) -> None:
    """Let the loop turn until `true()` holds; fails after SOON_S."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(SOON_S):
        while not true():
            turned = loop.create_future()
            loop.call_later(0.001, turned.set_result, None)
            await turned


class Account(msgspec.Struct, frozen=True):
    account: int
    name: str
    token_id: int = 1


class TokensInMemory:
    """`token-NAME` is the token of NAME, as long as NAME is not revoked."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.revoked: set[str] = set()

    async def check(self, token: str) -> Account | None:
        name = token.removeprefix("token-")
        if name == token or name in self.revoked:
            return None
        return Account(self.numbers.setdefault(name, len(self.numbers) + 1), name)


class LogInMemory:
    """Settles each match in the next turn of the loop, at the ratings of a first match."""

    def __init__(self) -> None:
        self.matches: list[FinishedMatch] = []

    def record(self, match: FinishedMatch, settled: Callable[[Settled | None], None]) -> None:
        self.matches.append(match)
        gain = 16.0 if match.rated and match.winner >= 0 else 0.0
        signs = (1, -1) if match.winner == 0 else (-1, 1)
        before = (Standing(), Standing())
        after = (Standing(1500 + signs[0] * gain, 1), Standing(1500 + signs[1] * gain, 1))
        asyncio.get_running_loop().call_soon(settled, Settled(before, after))

    async def standing(self, account: int, game: str) -> Standing:
        return Standing()


class NoHouse:
    def seat(self, bot: str) -> Seat:
        raise UnknownBot(f"no house bot {bot!r}")


class WriterAtRest:
    """The counts of a writer that has nothing to do."""

    commits = 1
    committed_matches = 2
    commit_seconds = 0.5
    commit_failures = 0
    largest_batch = 2
    pending = 0


class Healthy:
    """The health of a venue on which all is well."""

    status = "ok"
    writer = WriterAtRest()

    def __init__(self, tally: Tally) -> None:
        self.tally = tally


class GamePort:
    """One listening game port and everything behind it."""

    def __init__(
        self,
        *,
        move_timeout_ms: int = 15_000,
        queue_wait_s: float = 60,
        heartbeat_s: float = 20,
        resume_grace_s: float = 0,
    ) -> None:
        loop = asyncio.get_running_loop()
        self.tokens = TokensInMemory()
        self.log = LogInMemory()
        self.alarms = Alarms(loop)
        self.tally = Tally()
        self.audience = Audience()
        self.stopping = False
        self.runner = Runner(
            self.log, self.alarms, self.audience, self.tally, move_timeout_ms=move_timeout_ms, told=self._told
        )
        self.lobby = Lobby(
            self.runner,
            self.log,
            NoHouse(),
            self.alarms,
            random.Random(1),
            queue_wait_s=queue_wait_s,
            resume_grace_s=resume_grace_s,
        )
        gate = Gate(self.tokens, loop.time, lambda: self.stopping, ("127.0.0.0/8",), self.tally)
        self.play = PlayEndpoint(gate, self.lobby, self.alarms, self.tally, heartbeat_s=heartbeat_s)
        self.on_nodes: tuple[OnNode, ...] = ()
        """Who is on the BBS."""
        watch = WatchEndpoints(self.runner, self.lobby, self.audience, Healthy(self.tally), lambda: self.on_nodes)
        app = web.Application()
        app.router.add_get("/play", self.play.serve)
        app.router.add_get("/watch/{match}", watch.watch)
        app.router.add_get("/live", watch.live)
        app.router.add_get("/lobby", watch.lobby)
        app.router.add_get("/nodes", watch.nodes)
        app.router.add_get("/healthz", watch.healthz)
        app.router.add_get("/metrics", watch.metrics)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        self.host, self.port = "127.0.0.1", 0

    def _told(self, match: FinishedMatch, settled: Settled) -> None:
        self.lobby.told(match, settled)

    @property
    def http(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def ws(self) -> str:
        return f"ws://{self.host}:{self.port}"

    async def open(self) -> GamePort:
        await self._runner.setup()
        await web.TCPSite(self._runner, self.host, 0).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def close(self) -> None:
        self.alarms.stop()
        await self.play.shut_down(1)
        await self._runner.cleanup()

    async def agent(self, name: str, game: str | None = "ttt") -> Agent:
        """Connect an agent, which joins `game` at once if one is given."""
        query = f"?game={game}" if game else ""
        headers = {"Authorization": f"Bearer token-{name}"}
        return Agent(await connect(f"{self.ws}/play{query}", additional_headers=headers, ping_interval=None))


class Agent:
    """An agent that speaks through the `websockets` package."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def say(self, **message: object) -> None:
        await self.connection.send(json.dumps(message))

    async def hear(self) -> dict[str, Any]:
        """The next message."""
        message = await asyncio.wait_for(self.connection.recv(), SOON_S)
        heard: dict[str, Any] = json.loads(message)
        return heard

    async def hear_until(self, kind: str) -> dict[str, Any]:
        """The next message of type `kind`; those before it are dropped."""
        while True:
            heard = await self.hear()
            if heard["type"] == kind:
                return heard

    async def closed(self) -> tuple[int, str]:
        """Wait for the close; the code and the reason that the venue gave."""
        await asyncio.wait_for(self.connection.wait_closed(), SOON_S)
        return self.connection.close_code or 0, self.connection.close_reason or ""

    async def leave(self) -> None:
        await self.connection.close()


@pytest.fixture
async def port() -> AsyncIterator[GamePort]:
    """A game port with the default times."""
    opened = await GamePort().open()
    yield opened
    await opened.close()


@pytest.fixture
async def make_port() -> AsyncIterator[Callable[..., Any]]:
    """Open game ports with times of one's own."""
    opened: list[GamePort] = []

    async def make(**times: Any) -> GamePort:
        opened.append(await GamePort(**times).open())
        return opened[-1]

    yield make
    for port in opened:
        await port.close()


async def paired(port: GamePort, *names: str, game: str = "ttt") -> tuple[Agent, Agent]:
    """Two agents in a match, the one that moves first before the other."""
    one = await port.agent(names[0], game)
    await one.hear_until("queued")
    other = await port.agent(names[1], game)
    first = (await one.hear_until("hello"))["player"] == 0
    await other.hear_until("hello")
    return (one, other) if first else (other, one)
