"""Every fault of the table, as the referee takes it: the row that the table promises, and in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from agentbbs.protocol.arena import MoveRequest, encode_request
from agentbbs.protocol.arena_reply import Strike, judge
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRules, parse
from agentbbs.referee.faults.answers import ANSWERS
from agentbbs.referee.faults.server import FaultServer
from agentbbs.referee.faults.table import FAULTS, PORTS, Fault
from agentbbs.referee.outbound import Outbound, OutboundRules
from agentbbs.referee.throwaway_ca import ThrowawayCa

DEADLINE_S: Final = 0.4
LEGAL: Final = ("a", "b", "d")


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    """Whom the referee trusts."""
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca"))


@pytest.fixture
async def server(ca: ThrowawayCa) -> AsyncIterator[FaultServer]:
    """The fault server."""
    async with FaultServer(ca) as serving:
        yield serving


@pytest.fixture
async def outbound(ca: ThrowawayCa) -> AsyncIterator[Outbound]:
    """A referee that calls this machine."""
    async with Outbound(OutboundRules(url=UrlRules(loopback=True), ca_file=ca.ca_file)) as dialling:
        yield dialling


def at(text: str) -> EndpointUrl:
    """An endpoint on this machine."""
    return parse(text, UrlRules(loopback=True))


async def asked(outbound: Outbound, url: EndpointUrl, nonce: str = "7f3a", **fields: Any) -> StrikeRow | None:
    """The row of the strike that an endpoint gets for its answer; None for a good one."""
    request: dict[str, Any] = {"move_number": 1, "strikes": 0} | fields
    body = encode_request(
        MoveRequest(
            match_id="m",
            game="connect4",
            you="X",
            opponent="ada",
            board="",
            legal=list(LEGAL),
            deadline_ms=round(DEADLINE_S * 1000),
            nonce=nonce,
            replay_url="",
            **request,
        )
    )
    exchange = await outbound.post(url, body, {}, DEADLINE_S)
    assert exchange.ms < DEADLINE_S * 1000 + 2_000
    assert (exchange.answer is None) is (exchange.row is not None)
    if exchange.answer is None:
        assert exchange.detail
        assert "127.0.0.1" not in exchange.detail
        return exchange.row
    ruled = judge(exchange.answer, nonce=nonce, legal=LEGAL)
    if isinstance(ruled, Strike):
        return ruled.row
    assert ruled.move == LEGAL[0]
    return None


MOVE: Final = {"/thrice": 3}
"""Where a fault depends on the move."""


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.path for fault in FAULTS])
async def test_each_path_causes_its_row(server: FaultServer, outbound: Outbound, fault: Fault) -> None:
    found = await asked(outbound, at(server.url + fault.path), move_number=MOVE.get(fault.path, 1))
    assert found is fault.row


@pytest.mark.parametrize("fault", PORTS, ids=[fault.path for fault in PORTS])
async def test_each_port_causes_its_row(server: FaultServer, outbound: Outbound, fault: Fault) -> None:
    assert await asked(outbound, at(server.ports[fault.path] + "/ok")) is fault.row


async def test_all_of_them_one_after_another_through_one_referee(server: FaultServer, outbound: Outbound) -> None:
    """No fault spills over into the next request, whatever connection that takes."""
    for fault in FAULTS:
        if fault.row is not StrikeRow.TIMEOUT:
            url = at(server.url + fault.path)
            assert await asked(outbound, url, move_number=MOVE.get(fault.path, 1)) is fault.row, fault
            assert await asked(outbound, at(server.url + "/ok"), nonce="b") is None, fault


def test_the_table_is_whole() -> None:
    paths = [fault.path for fault in FAULTS]
    assert sorted(paths) == sorted(ANSWERS)
    assert len(set(paths)) == len(paths)
    elsewhere = {StrikeRow.ADDRESS_REFUSED}  # by the resolver of the referee's own tests
    assert {fault.row for fault in (*FAULTS, *PORTS)} | elsewhere == {*StrikeRow, None}


async def test_the_ports_are_those_of_the_table(server: FaultServer) -> None:
    assert list(server.ports) == [fault.path for fault in PORTS]


async def test_a_script_strikes_at_the_third_move_and_twice_at_the_ninth(
    server: FaultServer, outbound: Outbound
) -> None:
    script = [(1, 0), (3, 0), (3, 1), (5, 1), (7, 1), (9, 1), (9, 2)]
    url = at(server.url + "/thrice")
    found = [await asked(outbound, url, move_number=number, strikes=strikes) for number, strikes in script]
    assert [place for place, row in zip(script, found, strict=True) if row is not None] == [(3, 0), (9, 1), (9, 2)]
    assert [(turn["move_number"], turn["strikes"]) for turn in server.requests] == script


async def test_the_first_wrong_move_is_the_only_one(server: FaultServer, outbound: Outbound) -> None:
    url = at(server.url + "/first-wrong")
    assert await asked(outbound, url) is StrikeRow.ILLEGAL_MOVE
    assert await asked(outbound, url, strikes=1) is None


async def test_the_nonce_of_the_request_before_is_a_strike(server: FaultServer, outbound: Outbound) -> None:
    url = at(server.url + "/old-nonce")
    for nonce in ("first", "second", "third"):
        assert await asked(outbound, url, nonce=nonce) is StrikeRow.NONCE


async def test_a_connection_that_closes_later_never_costs_anything(server: FaultServer, outbound: Outbound) -> None:
    for number in range(4):
        assert await asked(outbound, at(server.url + "/closes-later"), nonce=str(number)) is None


@pytest.mark.parametrize(("body", "status"), [(b"{}", 400), (b"", 400), (b"\xff", 400), (b"[]", 400)])
async def test_what_is_no_move_request_is_told_so(
    server: FaultServer, outbound: Outbound, body: bytes, status: int
) -> None:
    exchange = await outbound.post(at(server.url + "/ok"), body, {}, DEADLINE_S)
    assert exchange.answer is not None
    assert exchange.answer.status == status
    assert server.requests == []


async def test_a_path_that_is_no_fault_is_told_so(server: FaultServer, outbound: Outbound) -> None:
    assert await asked(outbound, at(server.url + "/nowhere")) is StrikeRow.STATUS


async def test_it_ends_although_somebody_waits(ca: ThrowawayCa, outbound: Outbound) -> None:
    async with asyncio.timeout(10):
        async with FaultServer(ca) as server:
            waiting = asyncio.create_task(outbound.post(at(server.url + "/silent"), BODY, {}, 30))
            await until(lambda: bool(server.requests))
        exchange = await waiting
    assert exchange.row is StrikeRow.CONNECTION


BODY: Final = b'{"legal":["a"],"nonce":"n"}'


async def until(is_so: Any) -> None:
    """Turn the loop until something is so."""
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0.005)
