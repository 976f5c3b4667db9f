"""A venue with an arena: real endpoints behind TLS on this machine, rated, beside agents that connect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest
from structlog.testing import capture_logs
from tests.agentbbs.web.site import Endpoint

from agentbbs.client import connect
from agentbbs.config import Settings
from agentbbs.games.ttt import TTT
from agentbbs.hub.endpoint_probe import ProbeRefused, ProbeWanted
from agentbbs.play import offline_referee, replay
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Settled
from agentbbs.protocol.signing import Scheme, Signer, new_secret
from agentbbs.referee.endpoint_url import UrlRefused
from agentbbs.referee.probing import PER_HOUR
from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.serve import CannotStart, Venue
from agentbbs.store import accounts, endpoints, tokens

NOW_MS: Final = 1_767_268_800_000
SOON_S: Final = 20
SECRET: Final = new_secret(Scheme.HMAC, bytes(32))


def settings(data: Path, ca: ThrowawayCa | None = None, **more: str) -> Settings:
    """Only the game port and the pages are open."""
    off = dict.fromkeys(("AGENTBBS_SSH_ADDR", "AGENTBBS_TELNET_ADDR", "AGENTBBS_RLOGIN_ADDR"), "")
    dev = {} if ca is None else {"AGENTBBS_ARENA_DEV": "1", "AGENTBBS_ARENA_CA_FILE": str(ca.ca_file)}
    return Settings.from_env(
        {
            **off,
            **dev,
            "AGENTBBS_DATA": str(data),
            "AGENTBBS_GAME_WS_ADDR": "127.0.0.1:0",
            "AGENTBBS_WEB_ADDR": "127.0.0.1:0",
            "AGENTBBS_ARENA_DEADLINE_MS": "2000",
            **more,
        }
    )


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca"))


@pytest.fixture
async def agents(ca: ThrowawayCa) -> AsyncIterator[tuple[Endpoint, Endpoint]]:
    """Two endpoints that play the first legal move."""
    context = ca.server_context()
    async with Endpoint().served(context) as one, Endpoint().served(context) as other:
        yield one, other


class Told:
    """Matches that were stored."""

    def __init__(self) -> None:
        self.matches: list[FinishedMatch] = []
        self._came = asyncio.Event()

    def __call__(self, match: FinishedMatch, settled: Settled) -> None:
        del settled
        self.matches.append(match)
        self._came.set()

    async def first(self) -> FinishedMatch:
        await self._came.wait()
        return self.matches[0]


def account(venue: Venue, name: str) -> tuple[int, str]:
    """A new account, and a token for it."""
    with venue.database.begin() as conn:
        made = accounts.add(conn, name, now_ms=NOW_MS).id
        return made, tokens.mint(conn, made, NOW_MS)


def registered(venue: Venue, name: str, url: str) -> int:
    """The id of an endpoint that is there from the next look on."""
    owner, _ = account(venue, name)
    with venue.database.begin() as conn:
        return endpoints.register(conn, owner, "ttt", url, Scheme.HMAC, SECRET, NOW_MS).id


async def test_two_endpoints_play_a_rated_match_that_anybody_can_look_at(
    tmp_path: Path, ca: ThrowawayCa, agents: tuple[Endpoint, Endpoint]
) -> None:
    told = Told()
    async with asyncio.timeout(SOON_S), Venue(settings(tmp_path / "data", ca), told=told) as venue:
        for name, agent in zip(("ada", "bob"), agents, strict=True):
            registered(venue, name, agent.url)
        match = await told.first()
        assert match.rated
        assert {player.transport for player in match.players} == {ARENA_TRANSPORT}
        asked = [turn for agent in agents for turn in agent.heard]
        assert len(asked) == len(match.plies)
        assert {turn["deadline_ms"] for turn in asked} == {2000}
        assert all(headers["webhook-signature"].startswith("v1,") for agent in agents for headers in agent.headers)
        (link,) = {turn["replay_url"] for turn in asked}
        assert link == f"http://{venue.web}/m/{match.id}"
        async with aiohttp.ClientSession() as http:
            async with http.get(link) as page:
                assert page.status == 200
                assert page.headers["Server"] == "AgentBBS"
                assert "ada" in await page.text()
            async with http.get(f"{link}.json") as file:
                saved = replay.parse(await file.read())
        assert offline_referee.referee(saved) == ()
        assert {player.name for player in saved.players} == {"ada", "bob"}


async def test_an_endpoint_plays_an_agent_that_connects(
    tmp_path: Path, ca: ThrowawayCa, agents: tuple[Endpoint, Endpoint]
) -> None:
    told = Told()
    async with asyncio.timeout(SOON_S), Venue(settings(tmp_path / "data", ca), told=told) as venue:
        registered(venue, "gremlin", agents[0].url)
        _, token = account(venue, "ada")
        async with connect(f"ws://{venue.game_ws}/", token=token) as line:
            match = await line.join("ttt")
            assert match.opponent == "gremlin"
            async for turn in match:
                await match.move(turn.legal[0])
        stored = await told.first()
        assert stored.rated
        assert {player.transport for player in stored.players} == {ARENA_TRANSPORT, "websocket"}
        assert {turn["opponent"] for turn in agents[0].heard} == {"ada"}


async def test_a_venue_that_stops_while_it_asks_voids_the_match(
    tmp_path: Path, ca: ThrowawayCa, agents: tuple[Endpoint, Endpoint]
) -> None:
    told = Told()
    for agent in agents:
        agent.let.clear()
    async with asyncio.timeout(SOON_S):
        async with Venue(settings(tmp_path / "data", ca, AGENTBBS_DRAIN="0"), told=told) as venue:
            for name, agent in zip(("ada", "bob"), agents, strict=True):
                registered(venue, name, agent.url)
            await until(lambda: agents[0].heard or agents[1].heard)
        (match,) = told.matches
        assert (match.winner, match.rated) == (-1, False)


async def test_the_board_may_probe_within_bounds(
    tmp_path: Path, ca: ThrowawayCa, agents: tuple[Endpoint, Endpoint]
) -> None:
    async with asyncio.timeout(SOON_S), Venue(settings(tmp_path / "data", ca)) as venue:
        wanted = ProbeWanted(account=1, name="ada", url=agents[0].url, game=TTT, signers=(Signer(Scheme.HMAC, SECRET),))
        for _ in range(PER_HOUR):
            assert (await venue.arena.probe(wanted)).ok
        with pytest.raises(ProbeRefused):
            await venue.arena.probe(wanted)


async def test_without_the_switch_this_machine_is_not_called(tmp_path: Path, agents: tuple[Endpoint, Endpoint]) -> None:
    async with asyncio.timeout(SOON_S), Venue(settings(tmp_path / "data")) as venue:
        for url in (agents[0].url, "https://127.0.0.1/", "https://localhost/"):
            with pytest.raises(UrlRefused):
                await venue.arena.probe(ProbeWanted(account=1, name="ada", url=url, game=TTT, signers=()))
        assert agents[0].heard == []


async def test_the_switch_is_told_of_at_each_start(tmp_path: Path, ca: ThrowawayCa) -> None:
    for dev in (ca, None):
        data = tmp_path / ("quiet" if dev is None else "dev")
        with capture_logs() as logs:
            async with (
                asyncio.timeout(SOON_S),
                Venue(settings(data, dev)) as venue,
                aiohttp.ClientSession() as http,
                http.get(f"http://{venue.web}/arena") as page,
            ):
                assert ("switch for development" in await page.text()) == (dev is not None)
        warned = [entry for entry in logs if entry["event"] == "arena_for_development"]
        assert len(warned) == (1 if dev else 0)


async def test_a_ca_file_without_certificates_stops_the_start(tmp_path: Path, ca: ThrowawayCa) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate")
    with pytest.raises(CannotStart, match="AGENTBBS_ARENA_CA_FILE"):
        async with Venue(settings(tmp_path / "data", ca, AGENTBBS_ARENA_CA_FILE=str(wrong))):
            raise AssertionError("it opened")


async def test_pages_that_are_off_leave_the_referee_on(
    tmp_path: Path, ca: ThrowawayCa, agents: tuple[Endpoint, Endpoint]
) -> None:
    told = Told()
    public = "https://arena.example"
    more = {"AGENTBBS_WEB_ADDR": "", "AGENTBBS_PUBLIC_URL": public}
    async with asyncio.timeout(SOON_S), Venue(settings(tmp_path / "data", ca, **more), told=told) as venue:
        assert venue.web is None
        for name, agent in zip(("ada", "bob"), agents, strict=True):
            registered(venue, name, agent.url)
        match = await told.first()
        assert {turn["replay_url"] for turn in agents[0].heard} == {f"{public}/m/{match.id}"}


async def until(true: Callable[[], Any]) -> None:
    """Let the loop turn until `true()` holds; whoever calls has a limit."""
    loop = asyncio.get_running_loop()
    while not true():
        turned = loop.create_future()
        loop.call_later(0.005, turned.set_result, None)
        await turned
