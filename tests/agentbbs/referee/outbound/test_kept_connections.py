"""Connections that are kept: reused, found dead, and flooded."""

from __future__ import annotations

import asyncio
import ssl

import pytest
from tests.agentbbs.referee.https_peer import (
    CHUNKED,
    HEAD,
    NAME,
    OK,
    Line,
    Names,
    Peer,
    answers,
    asked,
    body,
    hangs_up,
    peer,
)

from agentbbs.protocol.arena_reply import Answer
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee import connector
from agentbbs.referee.outbound import Outbound


async def test_a_connection_is_kept(outbound: Outbound, tls: ssl.SSLContext, names: Names) -> None:
    async with peer(answers(OK, body(b"sorry", status="500 So"), CHUNKED + b"2\r\n{}\r\n0\r\n\r\n", OK), tls) as one:
        for _ in range(4):
            await asked(outbound, one)

        assert (len(one.requests), one.lines, names.asked) == (4, 1, [NAME])


@pytest.mark.parametrize("ending", ["Connection: close", "none"])
async def test_a_connection_that_the_server_closes_is_dialled_again(
    outbound: Outbound, tls: ssl.SSLContext, ending: str
) -> None:
    content = body(b"{}", ending) if ":" in ending else OK
    async with peer(answers(content, close=True), tls) as one:
        for _ in range(3):
            assert (await asked(outbound, one)).answer is not None
            await one.quiet()

        assert one.lines == 3


async def test_a_kept_connection_that_turns_out_dead_is_dialled_again_within_the_deadline(
    outbound: Outbound, tls: ssl.SSLContext
) -> None:
    """The server closes as the next request is on its way."""

    async def closes_when_asked_again(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        await line.send(OK)
        one.requests.append(await line.request())

    async with peer(closes_when_asked_again, tls) as one:
        for _ in range(4):
            assert (await asked(outbound, one)).answer is not None

        assert one.lines == 4


async def test_a_new_connection_that_dies_is_not_dialled_again(outbound: Outbound, tls: ssl.SSLContext) -> None:
    async with peer(hangs_up, tls) as one:
        assert (await asked(outbound, one)).row is StrikeRow.CONNECTION
        assert one.lines == 1


async def test_a_kept_connection_that_dies_within_the_answer_is_not_dialled_again(
    outbound: Outbound, tls: ssl.SSLContext
) -> None:
    async with peer(answers(OK, HEAD), tls) as one:
        await asked(outbound, one)

    async def breaks_off(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        await line.send(OK)
        one.requests.append(await line.request())
        await line.send(HEAD)

    async with peer(breaks_off, tls) as one:
        assert (await asked(outbound, one)).answer is not None
        assert (await asked(outbound, one)).row is StrikeRow.HTTP
        assert one.lines == 1


async def test_dead_connections_of_a_shared_host_are_all_passed_over(outbound: Outbound, tls: ssl.SSLContext) -> None:
    together = asyncio.Barrier(3)

    async def once(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        if line.number <= 3:
            await together.wait()
        await line.send(OK)
        if line.number <= 3:
            await line.request()
        else:
            await line.gone()

    async with peer(once, tls) as one:
        await asyncio.gather(*(asked(outbound, one) for _ in range(3)))
        assert (await asked(outbound, one)).answer is not None
        assert one.lines == 4


@pytest.mark.parametrize(
    ("said", "first"),
    [
        (OK, Answer(200, b"{}")),
        (body(b""), Answer(200, b"")),
        (b"HTTP/1.1 204 So\r\n\r\n", Answer(204, b"")),
        (body(b"", status="404 So"), Answer(404, b"")),
    ],
)
async def test_an_answer_that_nobody_asked_for_answers_nothing(
    outbound: Outbound, tls: ssl.SSLContext, said: bytes, first: Answer
) -> None:
    """What a server sends before the next request goes out is not its answer."""
    sent = asyncio.Event()

    async def sends_two(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        await line.send(said)
        if line.number == 1:
            await asyncio.sleep(0.02)  # so that the answer has been taken, and the connection is idle
            await line.send(body(b"stale"))
            sent.set()
        await line.gone()

    async with peer(sends_two, tls) as one:
        assert (await asked(outbound, one)).answer == first
        await sent.wait()
        for _ in range(20):
            await asyncio.sleep(0)  # what is in the socket already is read
        assert (await asked(outbound, one)).answer == first
        assert one.lines == 2


@pytest.mark.parametrize("first", [OK, b"HTTP/1.1 204 So\r\n\r\n", body(b"", status="404 So")])
async def test_a_flood_on_an_idle_connection_closes_it(outbound: Outbound, tls: ssl.SSLContext, first: bytes) -> None:
    flooded: list[int] = []

    async def floods(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        await line.send(first)
        await asyncio.sleep(0.05)
        for number in range(1000):
            flooded.append(number)
            await line.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)

    async with peer(floods, tls) as one:
        assert (await asked(outbound, one)).answer is not None
        await one.quiet()

    assert len(flooded) < 1000


async def test_an_answer_that_waits_when_the_question_goes_out_is_dropped(
    outbound: Outbound, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it would be where the library takes a second answer for one to come."""
    unmetered = connector._Metered.__base__
    assert unmetered is not None
    monkeypatch.setattr(connector._Metered, "data_received", unmetered.data_received)  # type: ignore[attr-defined]
    sent = asyncio.Event()

    async def sends_two(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        await line.send(OK)
        if line.number == 1:
            await asyncio.sleep(0.02)
            await line.send(body(b"stale"))
            sent.set()
        await line.gone()

    async with peer(sends_two, tls) as one:
        await asked(outbound, one)
        await sent.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        assert (await asked(outbound, one)).answer == Answer(200, b"{}")
        assert one.lines == 2
