"""Every fault of the table, as the referee takes it: the row that the table promises, and in time."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
import pytest_asyncio

from agentbbs.protocol.arena import NONCE_BYTES, MoveRequest, encode_request
from agentbbs.protocol.arena_reply import Strike, judge
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRules, parse
from agentbbs.referee.fault_server import FAULTS, Fault, FaultServer, NotHere
from agentbbs.referee.faults.answers import ANSWERS
from agentbbs.referee.outbound import Outbound, OutboundRules
from agentbbs.referee.throwaway_ca import ThrowawayCa

DEADLINE_S: Final = 0.4
LEGAL: Final = ("a", "b", "d")


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def serving(ca: ThrowawayCa) -> AsyncIterator[FaultServer]:
    """One fault server for all: certificates take their time."""
    async with FaultServer(ca) as serving:
        yield serving


@pytest.fixture
def server(serving: FaultServer) -> FaultServer:
    """The fault server, which has not been asked anything."""
    serving.requests.clear()
    return serving


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def outbound(ca: ThrowawayCa) -> AsyncIterator[Outbound]:
    """A referee that calls this machine."""
    async with Outbound(OutboundRules(url=UrlRules(loopback=True), ca_file=ca.ca_file)) as dialling:
        yield dialling


def at(text: str) -> EndpointUrl:
    """An endpoint on this machine."""
    return parse(text, UrlRules(loopback=True))


async def asked(
    outbound: Outbound, url: EndpointUrl, nonce: str = "", match: str = "m", **fields: Any
) -> StrikeRow | None:
    """The row of the strike that an endpoint gets for its answer; None for a good one."""
    nonce = nonce or secrets.token_hex(NONCE_BYTES)
    request: dict[str, Any] = {"move_number": 1, "strikes": 0} | fields
    body = encode_request(
        MoveRequest(
            match_id=match,
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


def url_of(server: FaultServer, fault: Fault) -> EndpointUrl:
    """Where a fault is committed at once, also one that waits for a certain move otherwise."""
    return at(server.url_of(fault.path) + ("?after=0" if fault.does or fault.after else ""))


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
async def test_each_fault_causes_its_row(server: FaultServer, outbound: Outbound, fault: Fault) -> None:
    assert await asked(outbound, url_of(server, fault)) is fault.row


async def test_all_of_them_one_after_another_through_one_referee(server: FaultServer, outbound: Outbound) -> None:
    """No fault spills over into the next request, whatever connection that takes."""
    for fault in FAULTS.values():
        if fault.row is not StrikeRow.TIMEOUT:
            assert await asked(outbound, url_of(server, fault)) is fault.row, fault
            assert await asked(outbound, at(server.url_of("/ok"))) is None, fault


async def test_the_table_is_whole() -> None:
    assert {path: fault.path for path, fault in FAULTS.items()} == {path: path for path in FAULTS}
    assert {fault.does or path for path, fault in FAULTS.items() if not fault.own_port} == set(ANSWERS)
    elsewhere = {StrikeRow.ADDRESS_REFUSED}  # by the resolver of the referee's own tests
    assert {fault.row for fault in FAULTS.values()} | elsewhere == {*StrikeRow, None}


@pytest.mark.parametrize("seat", [0, 1])
async def test_a_script_strikes_at_the_third_ply_and_twice_at_the_ninth(
    server: FaultServer, outbound: Outbound, seat: int
) -> None:
    script = [(ply + seat, strikes) for ply, strikes in ((1, 0), (3, 0), (3, 1), (5, 1), (7, 1), (9, 1), (9, 2))]
    url = at(server.url_of("/thrice"))
    found = [
        await asked(outbound, url, match=f"m{seat}", move_number=number, strikes=strikes) for number, strikes in script
    ]
    struck = [place for place, row in zip(script, found, strict=True) if row is not None]
    assert struck == [(3 + seat, 0), (9 + seat, 1), (9 + seat, 2)]
    assert [(one.turn.move_number, one.turn.strikes) for one in server.requests] == script


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "agent.example"])
async def test_it_is_for_this_machine_alone(ca: ThrowawayCa, host: str) -> None:
    with pytest.raises(NotHere):
        FaultServer(ca, host)


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
    assert not server.requests


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
        while not is_so():  # noqa: ASYNC110 - what it waits for is no event
            await asyncio.sleep(0.005)
