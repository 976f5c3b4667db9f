"""One deadline for all stages, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.agentbbs.referee.https_peer import (
    BODY,
    CHUNKED,
    DEADLINE_S,
    HEAD,
    NAME,
    OK,
    OPEN,
    SHORT_S,
    Line,
    Names,
    Peer,
    answers,
    asked,
    body,
    peer,
)

from agentbbs.protocol.arena_reply import Answer
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.endpoint_url import parse
from agentbbs.referee.outbound import Exchange, Outbound, OutboundRules, OwnFault
from agentbbs.referee.throwaway_ca import ThrowawayCa


async def _silent(_: Peer, line: Line) -> None:
    await line.gone()


async def _drips_headers(_: Peer, line: Line) -> None:
    await line.request()
    await line.send(HEAD)
    while not line.reader.at_eof():
        await line.send(b"X: y\r\n")
        await asyncio.sleep(0.02)


async def _drips_body(_: Peer, line: Line) -> None:
    await line.request()
    await line.send(CHUNKED)
    while not line.reader.at_eof():
        await line.send(b"1\r\n \r\n")
        await asyncio.sleep(0.02)


async def _stalls_in_body(_: Peer, line: Line) -> None:
    await line.request()
    await line.send(body(b"{", length=2))
    await line.gone()


async def _drips_interim_answers(_: Peer, line: Line) -> None:
    await line.request()
    while not line.reader.at_eof():
        await line.send(b"HTTP/1.1 102 Processing\r\n\r\n")
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("script", [_silent, _drips_headers, _drips_body, _stalls_in_body, _drips_interim_answers])
async def test_a_slow_answer_ends_at_the_deadline_and_leaves_nothing_open(
    outbound: Outbound, tls: ssl.SSLContext, script: Callable[[Peer, Line], object]
) -> None:
    """Case 149."""
    async with peer(script, tls) as one:  # type: ignore[arg-type]
        exchange = await asked(outbound, one, SHORT_S)
        await one.quiet()

    assert (exchange.answer, exchange.row) == (None, StrikeRow.TIMEOUT)
    assert SHORT_S * 1000 - 20 <= exchange.ms < SHORT_S * 1000 + 1000


async def test_tls_that_stalls_ends_at_the_deadline(outbound: Outbound) -> None:
    """Case 149."""
    async with peer(_silent, None) as one:
        exchange = await asked(outbound, one, SHORT_S)
        await one.quiet()

    assert exchange.row is StrikeRow.TIMEOUT


async def test_a_port_that_takes_nobody_ends_at_the_deadline(outbound: Outbound) -> None:
    """Case 149: a queue that is full, so that the first packet has no answer."""
    with contextlib.ExitStack() as open_ones:
        full = open_ones.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):
            queued = open_ones.enter_context(socket.socket())
            queued.setblocking(False)
            queued.connect_ex(full.getsockname())
        url = parse(f"https://{NAME}:{full.getsockname()[1]}/", OPEN)
        exchange = await outbound.post(url, BODY, {}, SHORT_S)

    assert exchange.row is StrikeRow.TIMEOUT


async def test_slow_name_servers_end_at_the_deadline(ca: ThrowawayCa) -> None:
    """Case 149."""

    async def slow(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    async with Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=slow) as dialling:
        exchange = await dialling.post(parse(f"https://{NAME}/", OPEN), BODY, {}, SHORT_S)

    assert exchange.row is StrikeRow.TIMEOUT


async def test_slow_stages_share_one_deadline(ca: ThrowawayCa, tls: ssl.SSLContext) -> None:
    """Case 149: each stage alone would be in time."""

    async def slow(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(0.2)
        return ["127.0.0.1"]

    async def slow_answer(_: Peer, line: Line) -> None:
        await line.request()
        await asyncio.sleep(0.2)
        await line.send(OK)

    async with (
        peer(slow_answer, tls) as one,
        Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=slow) as dialling,
    ):
        assert (await asked(dialling, one, SHORT_S)).row is StrikeRow.TIMEOUT
        assert (await asked(dialling, one, DEADLINE_S)).answer is not None


async def test_a_look_up_that_had_to_wait_for_others_is_no_strike(ca: ThrowawayCa) -> None:
    async def slow(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    async with Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=slow) as dialling:
        dialling._lookups._most = 1
        dialling._lookups._places = asyncio.Semaphore(1)
        results = await asyncio.gather(
            dialling.post(parse("https://slow.example/", OPEN), BODY, {}, SHORT_S),
            dialling.post(parse("https://agent.example/", OPEN), BODY, {}, SHORT_S),
            return_exceptions=True,
        )

    assert isinstance(results[0], Exchange)
    assert results[0].row is StrikeRow.TIMEOUT
    assert isinstance(results[1], OwnFault)


async def test_an_answer_that_came_while_the_venue_was_busy_is_in_time(outbound: Outbound, tls: ssl.SSLContext) -> None:
    busy, answered, asked_for = threading.Event(), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer_then(listening: socket.socket) -> None:
        taken, _ = listening.accept()
        with tls.wrap_socket(taken, server_side=True) as line:
            line.recv(65536)
            loop.call_soon_threadsafe(asked_for.set)
            busy.wait(DEADLINE_S)
            for part in (CHUNKED, b"1\r\n{\r\n", b"1\r\n}\r\n", b"0\r\n\r\n"):
                line.sendall(part)
            answered.set()
            line.settimeout(DEADLINE_S)
            line.recv(1)  # until the other side closes

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = asyncio.create_task(asyncio.to_thread(answer_then, listening))
        url = parse(f"https://{NAME}:{listening.getsockname()[1]}/", OPEN)
        call = asyncio.create_task(outbound.post(url, BODY, {}, SHORT_S))
        await asyncio.wait_for(asked_for.wait(), DEADLINE_S)
        busy.set()
        answered.wait(DEADLINE_S)
        time.sleep(SHORT_S)  # noqa: ASYNC251 - the venue is busy, that is the case
        exchange = await call
        await outbound.close()
        await answering

    assert exchange.answer == Answer(200, b"{}")


@pytest.mark.parametrize("stage", ["names", "tls", "head", "body"])
async def test_a_call_that_is_called_off_leaves_nothing_open(ca: ThrowawayCa, tls: ssl.SSLContext, stage: str) -> None:
    reached = asyncio.Event()

    async def names(host: str, port: int) -> Sequence[str]:
        if stage == "names":
            reached.set()
            await asyncio.Event().wait()
        return ["127.0.0.1"]

    async def script(_: Peer, line: Line) -> None:
        if stage != "tls":
            await line.request()
        if stage == "body":
            await line.send(body(b"{", length=2))
        reached.set()
        await line.gone()

    async with (
        peer(script, None if stage == "tls" else tls) as one,
        Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=names) as dialling,
    ):
        call = asyncio.create_task(asked(dialling, one))
        await asyncio.wait_for(reached.wait(), DEADLINE_S)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await one.quiet()


async def test_closing_is_no_strike_for_who_waits(ca: ThrowawayCa, tls: ssl.SSLContext) -> None:
    async def held(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        reached.set()
        await line.gone()

    reached = asyncio.Event()
    async with peer(held, tls) as one:
        dialling = Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=Names())
        call = asyncio.create_task(asked(dialling, one))
        await asyncio.wait_for(reached.wait(), DEADLINE_S)
        await dialling.close()
        await dialling.close()
        with pytest.raises(OwnFault):
            await call
        with pytest.raises(OwnFault):
            await asked(dialling, one)
        await one.quiet()


async def test_no_file_handle_is_no_strike(
    outbound: Outbound, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object, **__: object) -> socket.socket:
        raise OSError(24, os.strerror(24))

    async with peer(answers(OK), tls) as one:
        monkeypatch.setattr("agentbbs.referee.connector.socket.socket", none_left)
        with pytest.raises(OwnFault, match="EMFILE"):
            await asked(outbound, one)
        monkeypatch.undo()
        assert (await asked(outbound, one)).answer is not None


async def test_no_file_handle_for_one_of_several_addresses_is_no_strike(
    outbound: Outbound, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several faults the library makes one that tells nothing."""
    names.table[NAME] = ["127.0.0.1", "127.0.0.2"]
    real, tried = socket.socket, []

    def first_fails(*how: Any) -> socket.socket:
        tried.append(how)
        if len(tried) == 1:
            raise OSError(24, os.strerror(24))
        return real(*how)

    with real() as taken:
        taken.bind(("127.0.0.2", 0))  # and does not listen
        url = parse(f"https://{NAME}:{taken.getsockname()[1]}/", OPEN)
        with monkeypatch.context() as patch:
            patch.setattr("agentbbs.referee.connector.socket.socket", first_fails)
            with pytest.raises(OwnFault):
                await outbound.post(url, BODY, {}, DEADLINE_S)
