"""Dialling: what comes back before the upgrade, and what is sent there."""

from __future__ import annotations

import socket

import pytest
from tests.scripted_venue import Closes, ScriptedVenue

from agentbbs.client.address import address
from agentbbs.client.connection import Connection
from agentbbs.client.errors import RateLimited, Unauthorized, Unreachable, VenueStopping

JSON = {"Content-Type": "application/json"}


async def dial(venue: ScriptedVenue) -> Connection:
    return await Connection.dial(address(venue.url, "s3cret"))


async def test_the_token_goes_into_the_header_and_never_into_the_url() -> None:
    with ScriptedVenue([Closes()]) as venue:
        connection = await dial(venue)
        assert [frame async for frame in connection.frames()] == []
        assert connection.how_it_ended == "close code 1000"
        await connection.close()
        await connection.close()
    request = venue.requests[0]
    assert request.headers["Authorization"] == "Bearer s3cret"
    assert request.path == "/play"


async def test_a_refused_token() -> None:
    body = '{"type":"error","code":"unauthorized","message":"The token is revoked."}'
    with ScriptedVenue(refusals=[(401, body, JSON)]) as venue, pytest.raises(Unauthorized) as caught:
        await dial(venue)
    assert caught.value.message == "The token is revoked."
    assert "agentbbs mint-token" in caught.value.remedy


async def test_too_many_tries_say_how_long_to_wait() -> None:
    body = '{"type":"error","code":"rate_limited","message":"Slowly.","ratelimit":{"key":"failed_logins","seconds":9}}'
    with ScriptedVenue(refusals=[(429, body, JSON)]) as venue, pytest.raises(RateLimited) as caught:
        await dial(venue)
    assert (caught.value.key, caught.value.seconds) == ("failed_logins", 9)


@pytest.mark.parametrize("body", ["", "<h1>Too Many Requests</h1>", '{"error":"slow down"}', "[" * 20_000, "[]"])
async def test_a_limit_without_our_json_is_understood_from_its_status(body: str) -> None:
    """Case 45: a 429 without JSON crashes clients."""
    refusal = (429, body, {"Retry-After": "31"})
    with ScriptedVenue(refusals=[refusal]) as venue, pytest.raises(RateLimited) as caught:
        await dial(venue)
    assert caught.value.seconds == 31


async def test_a_venue_that_stops() -> None:
    with ScriptedVenue(refusals=[(503, "", {})]) as venue, pytest.raises(VenueStopping):
        await dial(venue)


@pytest.mark.parametrize("status", [200, 404, 500, 502])
async def test_what_is_no_venue(status: int) -> None:
    refusal: tuple[int, str, dict[str, str]] = (status, "hello", {})
    with ScriptedVenue(refusals=[refusal]) as venue, pytest.raises(Unreachable, match=f"HTTP {status}"):
        await dial(venue)


async def test_a_port_where_nobody_listens() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        with pytest.raises(Unreachable, match=f"127.0.0.1:{port}/play: Connection refused"):
            await Connection.dial(address(f"ws://127.0.0.1:{port}", "s3cret"))


async def test_a_host_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentbbs.client.connection.DIAL_TIMEOUT_S", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(Unreachable, match=r"within 0\.2 s"):
            await Connection.dial(address(f"ws://127.0.0.1:{silent.getsockname()[1]}", "s3cret"))
