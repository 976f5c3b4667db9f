"""What goes out to an endpoint and what is made of the answer: against a server on loopback that keeps every byte."""

from __future__ import annotations

import asyncio
import errno
import gzip
import os
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import pytest
from tests.agentbbs.referee.https_peer import NAME, OK, OPEN, Line, Names, Peer, Script, answers, peer

from agentbbs.protocol.arena import MAX_BODY_BYTES
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRefused, UrlRules, parse
from agentbbs.referee.outbound import Exchange, Outbound, OutboundRules, OwnFault
from agentbbs.referee.throwaway_ca import ThrowawayCa

PATIENCE_S: Final = 10.0
BODY: Final = b'{"board":"secret-board"}'

Serve = Callable[[Script], AbstractAsyncContextManager[Peer]]


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    """Whom the referee trusts."""
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def serve(ca: ThrowawayCa) -> Serve:
    """A server by the name that the resolver knows."""
    context = ca.server_context(NAME, "127.0.0.1")
    return lambda script: peer(script, context)


@pytest.fixture
def names() -> Names:
    """The resolver."""
    return Names()


@pytest.fixture
async def outbound(ca: ThrowawayCa, names: Names) -> AsyncIterator[Outbound]:
    """A referee that calls this machine."""
    async with Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=names) as dialling:
        yield dialling


async def post(outbound: Outbound, url: EndpointUrl, headers: Any = None, timeout_s: float = PATIENCE_S) -> Exchange:
    """One exchange; whatever came of it, nothing of it is in its detail."""
    exchange = await outbound.post(url, BODY, headers or {}, timeout_s)
    for private in ("127.0.0.1", "10.0.0", "::", "secret", NAME, str(url.port)):
        assert private not in exchange.detail
    assert (exchange.row is None) is (exchange.answer is not None)
    return exchange


def http(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """An answer."""
    return "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]).encode() + body


# --- what the server sees


async def test_the_request_as_the_server_saw_it(serve: Serve, outbound: Outbound) -> None:
    async with serve(answers(OK)) as server:
        await post(outbound, server.url("/play?a=%20b"), {"webhook-id": "msg_1"})
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    line, *lines = head.decode().split("\r\n")
    assert line == "POST /play?a=%20b HTTP/1.1"
    assert {name.lower(): value for name, _, value in (header.partition(": ") for header in lines)} == {
        "host": f"{NAME}:{server.port}",
        "content-type": "application/json",
        "user-agent": "agentarena-referee/1",
        "content-length": str(len(BODY)),
        "webhook-id": "msg_1",
    }
    assert len(lines) == 5
    assert body == BODY


async def test_cookies_are_not_kept(serve: Serve, outbound: Outbound) -> None:
    async with serve(answers(http(b"{}", "Set-Cookie: me=you; Path=/"))) as server:
        for _ in range(2):
            await post(outbound, server.url())
    assert not any(b"cookie" in request.lower() for request in server.requests)


async def test_proxies_of_the_environment_are_ignored(
    serve: Serve, ca: ThrowawayCa, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with peer(answers(OK), None) as proxy, serve(answers(OK)) as server:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            for spelling in (name, name.lower()):
                monkeypatch.setenv(spelling, f"http://127.0.0.1:{proxy.port}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        async with Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=Names()) as outbound:
            exchange = await post(outbound, server.url())
    assert exchange.answer is not None
    assert (len(server.requests), proxy.lines) == (1, 0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["/elsewhere", "http://169.254.169.254/", "https://agent.example/"])
async def test_redirects_are_not_followed(serve: Serve, outbound: Outbound, status: int, location: str) -> None:
    async with serve(answers(http(b"{}", f"Location: {location}", status=f"{status} Moved"), OK)) as server:
        exchange = await post(outbound, server.url())
    assert exchange.answer is not None
    assert (exchange.answer.status, exchange.answer.location) == (status, True)
    assert (len(server.requests), server.lines) == (1, 1)


# --- connections that are kept


async def test_a_connection_is_used_again(serve: Serve, outbound: Outbound, names: Names) -> None:
    async with serve(answers(OK)) as server:
        for _ in range(5):
            assert (await post(outbound, server.url())).answer is not None
        assert server.lines == 1
    assert len(server.requests) == 5
    assert names.asked == [NAME]


async def dies_in_between(peer: Peer, line: Line) -> None:
    """Closes the first connection once the second request is there."""
    peer.requests.append(await line.request())
    await line.send(OK)
    peer.requests.append(await line.request())
    if line.number > 1:
        await line.send(OK)


async def test_a_kept_connection_that_died_costs_nothing(serve: Serve, outbound: Outbound) -> None:
    made: list[str] = []

    def fresh() -> Mapping[str, str]:
        made.append(f"msg_{len(made)}")
        return {"webhook-id": made[-1]}

    async with serve(dies_in_between) as server:
        for _ in range(2):
            exchange = await post(outbound, server.url(), fresh)
            assert (exchange.row, exchange.detail) == (None, "")
    assert server.lines == 2
    sent = [line for request in server.requests for line in request.split(b"\r\n") if b"webhook-id" in line.lower()]
    assert [line.split(b": ")[1].decode() for line in sent] == made == ["msg_0", "msg_1", "msg_2"]


async def cut_at_once(peer: Peer, line: Line) -> None:
    """Answers nothing."""
    peer.requests.append(await line.request())


async def test_a_new_connection_that_dies_is_not_tried_again(serve: Serve, outbound: Outbound) -> None:
    async with serve(cut_at_once) as server:
        exchange = await post(outbound, server.url())
    assert exchange.row is StrikeRow.CONNECTION
    assert (server.lines, len(server.requests)) == (1, 1)


async def cut_within_the_second(peer: Peer, line: Line) -> None:
    """Begins a second answer, and dies."""
    peer.requests.append(await line.request())
    await line.send(OK)
    peer.requests.append(await line.request())
    await line.send(OK[:10])


async def test_a_kept_connection_that_dies_within_an_answer_is_not_tried_again(
    serve: Serve, outbound: Outbound
) -> None:
    async with serve(cut_within_the_second) as server:
        assert (await post(outbound, server.url())).row is None
        assert (await post(outbound, server.url())).row in {StrikeRow.CONNECTION, StrikeRow.HTTP}
    assert (server.lines, len(server.requests)) == (1, 2)


# --- bodies


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP", "deflate"])
async def test_a_body_that_is_compressed_although_nobody_asked(
    serve: Serve, outbound: Outbound, encoding: str
) -> None:
    pack = zlib.compress if encoding == "deflate" else gzip.compress
    async with serve(answers(http(pack(b'{"move":"a"}'), f"Content-Encoding: {encoding}"))) as server:
        exchange = await post(outbound, server.url())
    assert exchange.answer is not None
    assert exchange.answer.body == b'{"move":"a"}'


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_bomb_goes_off_within_the_cap(serve: Serve, outbound: Outbound, encoding: str) -> None:
    bomb = (gzip.compress if encoding == "gzip" else zlib.compress)(bytes(16 * 1024 * 1024))
    async with serve(answers(http(bomb, f"Content-Encoding: {encoding}"))) as server:
        exchange = await post(outbound, server.url())
        await server.quiet()
    assert exchange.answer is not None
    assert len(exchange.answer.body) == MAX_BODY_BYTES + 1


@pytest.mark.parametrize(("size", "kept"), [(MAX_BODY_BYTES, True), (MAX_BODY_BYTES + 1, False), (1_000_000, False)])
async def test_no_more_than_the_cap_is_taken(serve: Serve, outbound: Outbound, size: int, kept: bool) -> None:
    async with serve(answers(http(b" " * size))) as server:
        exchange = await post(outbound, server.url())
        assert exchange.answer is not None
        assert len(exchange.answer.body) == min(size, MAX_BODY_BYTES + 1)
        if not kept:
            await server.quiet()
        assert server.open == kept


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"no gzip at all", "gzip"),
        (gzip.compress(b"{}")[:-9], "gzip"),
        (b"{}", "br"),
        (b"\xff\xff\xff", "deflate"),
    ],
)
async def test_a_body_that_can_not_be_decoded(serve: Serve, outbound: Outbound, body: bytes, encoding: str) -> None:
    async with serve(answers(http(body, f"Content-Encoding: {encoding}"))) as server:
        assert (await post(outbound, server.url())).row is StrikeRow.HTTP


# --- time, and what is left behind


async def holds(peer: Peer, line: Line) -> None:
    """Takes a request, and waits until the referee has gone."""
    peer.requests.append(await line.request())
    await line.gone()


async def until(is_so: Callable[[], object]) -> None:
    """Turn the loop until something is so."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():
            await asyncio.sleep(0.002)


def open_files() -> int:
    """Handles of this process."""
    return len(os.listdir("/proc/self/fd"))


async def test_who_is_cancelled_leaves_nothing_open(serve: Serve, outbound: Outbound) -> None:
    async with serve(holds) as server:
        before = open_files()
        tasks = [asyncio.create_task(post(outbound, server.url())) for _ in range(5)]
        await until(lambda: len(server.requests) == 5)
        for task in tasks:
            task.cancel()
        assert all(isinstance(one, asyncio.CancelledError) for one in await asyncio.gather(*tasks, return_exceptions=True))
        await server.quiet()
        await until(lambda: open_files() == before)


async def test_who_is_late_leaves_nothing_open(serve: Serve, outbound: Outbound) -> None:
    async with serve(holds) as server:
        before = open_files()
        exchange = await post(outbound, server.url(), timeout_s=0.2)
        assert exchange.row is StrikeRow.TIMEOUT
        assert 190 <= exchange.ms < 2_000
        await server.quiet()
        await until(lambda: open_files() == before)


async def test_the_look_up_of_the_name_is_within_the_deadline(ca: ThrowawayCa) -> None:
    async def never(_: str, __: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    async with Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=never) as outbound:
        exchange = await post(outbound, parse("https://agent.example:8443/", OPEN), timeout_s=0.1)
    assert exchange.row is StrikeRow.TIMEOUT
    assert exchange.ms < 2_000


async def test_nobody_listens(outbound: Outbound, serve: Serve) -> None:
    async with serve(holds) as server:
        url = server.url()
    exchange = await post(outbound, url)
    assert exchange.row is StrikeRow.CONNECTION
    assert "ECONNREFUSED" in exchange.detail


async def test_a_name_that_does_not_resolve(outbound: Outbound) -> None:
    exchange = await post(outbound, parse("https://nowhere.example:8443/", OPEN))
    assert exchange.row is StrikeRow.CONNECTION
    with pytest.raises(UrlRefused) as refused:
        await outbound.check("https://nowhere.example:8443/")
    assert refused.value.rule == "name"


# --- what is the venue's own fault


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS])
async def test_what_this_machine_lacks_is_nobodys_strike(
    outbound: Outbound, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(outbound._session, "post", fails)
    with pytest.raises(OwnFault, match=errno.errorcode[number]):
        await outbound.post(parse("https://agent.example:8443/", OPEN), BODY, {}, PATIENCE_S)


async def test_a_fault_of_ours_is_nobodys_strike(outbound: Outbound, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(outbound._session, "post", fails)
    with pytest.raises(OwnFault, match="ZeroDivisionError"):
        await outbound.post(parse("https://agent.example:8443/", OPEN), BODY, {}, PATIENCE_S)


async def test_a_referee_that_is_closed_strikes_nobody(ca: ThrowawayCa) -> None:
    async with Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=Names()) as outbound:
        pass
    await outbound.close()
    with pytest.raises(OwnFault):
        await outbound.post(parse("https://agent.example:8443/", OPEN), BODY, {}, PATIENCE_S)


# --- addresses

PUBLIC: Final = "93.184.216.34"
STRICT: Final = OutboundRules(url=UrlRules(ports=((1, 65535),)))

REFUSED: Final = (
    ["127.0.0.1"],
    ["10.0.0.5"],
    ["169.254.169.254"],
    ["100.64.0.1"],
    ["0.0.0.0"],  # noqa: S104 - refused, not bound
    ["::1"],
    ["::ffff:169.254.169.254"],
    ["::ffff:8.8.8.8"],
    ["2002:7f00:1::"],
    ["64:ff9b::7f00:1"],
    ["64:ff9b:1::a00:1"],
    ["2001:0:4136:e378:8000:63bf:80ff:fffe"],
    ["fe80::1%lo"],
    [PUBLIC, "10.0.0.5"],
    ["10.0.0.5", PUBLIC],
    [PUBLIC, "fd00::1"],
    [*[PUBLIC] * 200, "127.0.0.1"],
)


@pytest.mark.parametrize("addresses", REFUSED, ids=lambda found: found[-1])
async def test_a_name_that_leads_to_such_an_address_is_not_dialled(addresses: list[str]) -> None:
    names = Names({NAME: addresses})
    async with Outbound(STRICT, resolver=names) as outbound:
        with pytest.raises(UrlRefused) as refused:
            await outbound.check(f"https://{NAME}/")
        assert refused.value.rule == "address"
        assert not any(address in refused.value.why for address in addresses)
        exchange = await outbound.post(parse(f"https://{NAME}/", STRICT.url), BODY, {}, PATIENCE_S)
    assert exchange.row is StrikeRow.ADDRESS_REFUSED
    assert not any(address in exchange.detail for address in addresses)
    assert len(names.asked) == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.0.0.5", "169.254.169.254", "[fd00::1]", "[2002:7f00:1::]"])
async def test_an_address_in_the_url_is_looked_at_as_well(host: str) -> None:
    async with Outbound(STRICT, resolver=Names()) as outbound:
        with pytest.raises(UrlRefused) as refused:
            await outbound.check(f"https://{host}/")
        assert refused.value.rule == "address"
        exchange = await outbound.post(parse(f"https://{host}/", STRICT.url), BODY, {}, PATIENCE_S)
    assert exchange.row is StrikeRow.ADDRESS_REFUSED


async def test_a_name_that_is_bound_again_to_this_machine_is_not_dialled(serve: Serve) -> None:
    """First a public address, to be registered with, then this machine, to be dialled."""
    found = iter([[PUBLIC], ["127.0.0.1"]])

    async def rebinding(_: str, __: int) -> Sequence[str]:
        return next(found)

    async with serve(answers(OK)) as server, Outbound(STRICT, resolver=rebinding) as outbound:
        url = await outbound.check(f"https://{NAME}:{server.port}/")
        exchange = await post(outbound, url)
    assert exchange.row is StrikeRow.ADDRESS_REFUSED
    assert server.lines == 0


async def test_this_machine_is_dialled_only_where_that_is_allowed(serve: Serve, outbound: Outbound) -> None:
    async with serve(answers(OK)) as server:
        assert await outbound.check(server.url().text) == server.url()
        async with Outbound(STRICT, resolver=Names()) as strict:
            assert (await post(strict, server.url())).row is StrikeRow.ADDRESS_REFUSED
        assert server.lines == 0
