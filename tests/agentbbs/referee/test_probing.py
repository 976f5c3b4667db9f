"""What an account may ask the referee to look at, by the hour, and never beside another request to the same agent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from agentbbs.games.catalog import find
from agentbbs.protocol.arena_reply import Answer
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRefused, UrlRules, parse
from agentbbs.referee.outbound import Exchange, Outbound, OutboundRules
from agentbbs.referee.probing import CHECKS_PER_HOUR, HOUR_S, PER_HOUR, Probing, TooManyProbes
from agentbbs.referee.slots import Slots

URL: Final = "https://agent.example/play"
SOON_S: Final = 10


class _Counting(Outbound):
    """Dials nobody: each POST is answered with a status, when `let` allows it."""

    def __init__(self) -> None:
        super().__init__(OutboundRules(), resolver=self._resolve)
        self.looked_up: list[str] = []
        self.posted = 0
        self.asked = asyncio.Event()
        self.let = asyncio.Event()
        self.let.set()

    async def _resolve(self, host: str, port: int) -> Sequence[str]:
        del port
        self.looked_up.append(host)
        return ["93.184.215.14"]

    async def post(self, url: EndpointUrl, body: bytes, headers: Mapping[str, str] | Any, timeout_s: float) -> Exchange:
        del url, body, headers, timeout_s
        self.posted += 1
        self.asked.set()
        await self.let.wait()
        return Exchange(Answer(404, b""), None, "", 1)


class _Hours:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def _probing(outbound: Outbound, slots: Slots, now: _Hours) -> Probing:
    return Probing(outbound, slots, now, deadline_ms=1000, public_url="https://arena.example")


async def test_look_ups_are_rationed_by_account_and_given_back_after_an_hour() -> None:
    now = _Hours()
    async with _Counting() as outbound:
        probing = _probing(outbound, Slots(), now)
        for number in range(CHECKS_PER_HOUR):
            now.at += 1
            assert (await probing.check(1, f"https://agent{number}.example/")).host == f"agent{number}.example"
        with pytest.raises(TooManyProbes, match="URLs an hour") as refused:
            await probing.check(1, URL)
        assert refused.value.wait_s == HOUR_S - CHECKS_PER_HOUR + 1
        await probing.check(2, URL)
        now.at += refused.value.wait_s
        await probing.check(1, URL)
        assert len(outbound.looked_up) == CHECKS_PER_HOUR + 2


async def test_what_is_no_url_costs_nothing() -> None:
    async with _Counting() as outbound:
        probing = _probing(outbound, Slots(), _Hours())
        for _ in range(2 * CHECKS_PER_HOUR):
            with pytest.raises(UrlRefused):
                await probing.check(1, "http://agent.example/")
        await probing.check(1, URL)
        assert outbound.looked_up == ["agent.example"]


async def test_probes_are_rationed_by_account() -> None:
    now = _Hours()
    async with _Counting() as outbound:
        probing = _probing(outbound, Slots(), now)
        url = parse(URL, UrlRules())
        for _ in range(PER_HOUR):
            found = await probing.probe(probing.target(1, "ada", url, ()), find("ttt"))
            assert (found.ok, found.row) == (False, "status")
        posted = outbound.posted
        with pytest.raises(TooManyProbes, match="probes an hour"):
            await probing.probe(probing.target(1, "ada", url, ()), find("ttt"))
        assert outbound.posted == posted
        await probing.probe(probing.target(2, "bob", url, ()), find("ttt"))
        now.at += HOUR_S
        await probing.probe(probing.target(1, "ada", url, ()), find("ttt"))


async def test_a_probe_waits_for_the_request_that_is_on_its_way_to_the_same_agent() -> None:
    slots, url = Slots(), parse(URL, UrlRules())
    async with asyncio.timeout(SOON_S), _Counting() as outbound:
        probing = _probing(outbound, slots, _Hours())
        target = probing.target(1, "ada", url, ())
        async with slots.hold(target.agent, url):
            probe = asyncio.create_task(probing.probe(target, find("ttt")))
            done, _ = await asyncio.wait([probe, asyncio.create_task(outbound.asked.wait())], timeout=0.05)
            assert not done
            assert outbound.posted == 0
        await probe
        assert outbound.posted == 2
