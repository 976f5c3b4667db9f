"""Calls to real HTTPS servers on loopback: what goes out, what comes of it, and what is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gzip
import os
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.agentbbs.referee.https_peer import NAME, OK, OPEN, Line, Names, Peer, answers, peer

from agentbbs.protocol.arena import MAX_BODY_BYTES
from agentbbs.protocol.arena_reply import Answer
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee import outbound as outbound_module
from agentbbs.referee.connector import CheckedResolver
from agentbbs.referee.endpoint_url import UrlRefused, UrlRules, parse
from agentbbs.referee.outbound import Exchange, Outbound, OutboundRules, OwnFault
from agentbbs.referee.throwaway_ca import ThrowawayCa

BODY = b'{"protocol":"agentarena/1"}'
DEADLINE_S = 3.0
SHORT_S = 0.3

PUBLIC = UrlRules(ports=((1, 65535),))


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def tls(ca: ThrowawayCa) -> ssl.SSLContext:
    return ca.server_context(NAME, "localhost", "127.0.0.1")


@pytest.fixture(scope="module", autouse=True)
def trusted_once() -> Iterator[None]:
    """The authorities of the system are read once for all tests: that takes longer than most of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outbound_module, "_trust", functools.cache(outbound_module._trust))
        yield


@pytest.fixture
def names() -> Names:
    return Names()


@pytest.fixture
async def outbound(ca: ThrowawayCa, names: Names) -> AsyncIterator[Outbound]:
    async with Outbound(OutboundRules(url=OPEN, ca_file=ca.ca_file), resolver=names) as dialling:
        yield dialling


async def asked(outbound: Outbound, one: Peer, timeout_s: float = DEADLINE_S) -> Exchange:
    return await outbound.post(one.url(), BODY, {}, timeout_s)


def body(content: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(content) if length is None else length}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


# --- what goes out ---------------------------------------------------------------------------------------------------


async def test_the_request_is_this_and_nothing_else(outbound: Outbound, tls: ssl.SSLContext) -> None:
    async with peer(answers(OK), tls) as one:
        exchange = await outbound.post(
            one.url("/play?key=%2Fa&b=c%20d"), BODY, {"webhook-id": "msg_1", "webhook-timestamp": "7"}, DEADLINE_S
        )
        sent = one.requests[0]

    assert exchange.answer == Answer(200, b"{}")
    assert (exchange.row, exchange.detail) == (None, "")
    first, *headers = sent.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert first == b"POST /play?key=%2Fa&b=c%20d HTTP/1.1"
    assert sorted(headers) == sorted(
        [
            f"Host: {NAME}:{one.port}".encode(),
            b"content-type: application/json",
            b"user-agent: agentarena-referee/1",
            b"webhook-id: msg_1",
            b"webhook-timestamp: 7",
            f"Content-Length: {len(BODY)}".encode(),
        ]
    )
    assert sent.endswith(b"\r\n\r\n" + BODY)


async def test_the_name_of_the_url_goes_into_tls_and_host_and_the_checked_address_is_dialled(
    ca: ThrowawayCa, outbound: Outbound, names: Names
) -> None:
    """Case 144: another address than the one that was looked at can't be dialled."""
    seen: list[str | None] = []
    context = ca.server_context(NAME)
    context.sni_callback = lambda _, name, __: seen.append(name)
    async with peer(answers(OK), context, host="127.0.0.2") as one:
        names.table[NAME] = ["127.0.0.2"]
        exchange = await asked(outbound, one)

    assert exchange.answer is not None
    assert seen == [NAME]
    assert f"Host: {NAME}:{one.port}\r\n".encode() in one.requests[0]
    assert names.asked == [NAME], "resolved once, and not again by somebody else"


async def test_headers_are_made_anew_for_each_sending(outbound: Outbound, tls: ssl.SSLContext) -> None:
    made: list[int] = []

    def sign() -> dict[str, str]:
        made.append(len(made))
        return {"webhook-id": f"msg_{len(made)}"}

    async def closes_when_asked_again(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        await line.send(OK)
        if line.number == 1:
            await line.request()  # then it hangs up
        else:
            await line.gone()

    async with peer(closes_when_asked_again, tls) as one:
        for _ in range(2):
            exchange = await outbound.post(one.url(), BODY, sign, DEADLINE_S)
            assert exchange.answer is not None

    assert len(made) == 3
    assert [b"msg_1" in one.requests[0], b"msg_3" in one.requests[1]] == [True, True]


async def test_proxies_of_the_environment_are_ignored(
    outbound: Outbound, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".netrc").write_text(f"machine {NAME} login ada password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    async with peer(answers(OK), None) as proxy, peer(answers(OK), tls) as one:
        for variable in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.port}")
        exchange = await asked(outbound, one)

        assert exchange.answer is not None
        assert proxy.lines == 0
        assert b"authorization" not in one.requests[0].lower()


async def test_cookies_are_not_kept(outbound: Outbound, tls: ssl.SSLContext) -> None:
    async with peer(answers(body(b"{}", "Set-Cookie: a=b; Path=/", "Set-Cookie: c=d")), tls) as one:
        for _ in range(2):
            await asked(outbound, one)
        assert b"cookie" not in b"".join(one.requests).lower()


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
@pytest.mark.parametrize("target", ["http://169.254.169.254/latest/meta-data/", "https://127.0.0.1/", "/other", "//x"])
async def test_a_redirect_is_not_followed(
    outbound: Outbound, tls: ssl.SSLContext, names: Names, status: int, target: str
) -> None:
    """Case 145."""
    async with peer(answers(body(b"", f"Location: {target}", status=f"{status} Moved")), tls) as one:
        exchange = await asked(outbound, one)

        assert exchange.answer == Answer(status, b"", location=True)
        assert len(one.requests) == 1
        assert names.asked == [NAME]


async def test_a_refresh_header_means_nothing(outbound: Outbound, tls: ssl.SSLContext) -> None:
    """Case 145."""
    async with peer(answers(body(b"{}", "Refresh: 0; url=http://169.254.169.254/")), tls) as one:
        assert (await asked(outbound, one)).answer == Answer(200, b"{}")
        assert len(one.requests) == 1


# --- addresses -------------------------------------------------------------------------------------------------------

PRIVATE: Sequence[Sequence[str]] = (
    ["127.0.0.1"],
    ["::1"],
    ["10.0.0.1"],
    ["::ffff:127.0.0.1"],
    ["::ffff:169.254.169.254"],
    ["169.254.169.254"],
    ["64:ff9b::7f00:1"],
    ["2002:7f00:1::"],
    ["2001:0:4136:e378:8000:63bf:80ff:fffe"],
    ["93.184.216.34", "127.0.0.1"],
    ["127.0.0.1", "93.184.216.34"],
    ["93.184.216.34", "::ffff:10.0.0.1"],
    ["fe80::1%lo"],
    ["127.1"],
    ["2130706433"],
    ["localhost"],
    ["0.0.0.0"],
    [*(f"93.184.216.{number}" for number in range(100)), "10.0.0.1"],
)
"""Cases 138, 142, 143: answers of name servers."""


@pytest.mark.parametrize("addresses", PRIVATE, ids=lambda each: each[-1])
async def test_a_name_that_leads_to_an_address_that_is_not_public_is_refused(
    addresses: Sequence[str], tls: ssl.SSLContext
) -> None:
    async with (
        peer(answers(OK), tls) as one,
        Outbound(OutboundRules(url=PUBLIC), resolver=Names({NAME: addresses})) as dialling,
    ):
        exchange = await asked(dialling, one)
        with pytest.raises(UrlRefused) as caught:
            await dialling.check(one.url().text)

        assert (exchange.answer, exchange.row) == (None, StrikeRow.ADDRESS_REFUSED)
        assert caught.value.rule == "address"
        assert one.lines == 0
    for told in (exchange.detail, caught.value.why):
        assert not any(address in told for address in addresses if address != "localhost")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[64:ff9b::7f00:1]", "0.0.0.0", "[::ffff:7f00:1]"]
)
async def test_an_address_in_the_url_is_looked_at_as_well(host: str) -> None:
    """The library asks no resolver about it."""
    async with Outbound(OutboundRules(url=PUBLIC), resolver=Names()) as dialling:
        text = f"https://{host}:8443/"
        try:
            url = parse(text, PUBLIC)
        except UrlRefused:
            pytest.skip("this Python spells the address in another way")
        exchange = await dialling.post(url, BODY, {}, DEADLINE_S)
        with pytest.raises(UrlRefused):
            await dialling.check(text)

    assert exchange.row is StrikeRow.ADDRESS_REFUSED


async def test_a_name_that_turns_private_is_refused_when_it_is_dialled(tls: ssl.SSLContext) -> None:
    """Case 144: public at registration, private at the match; and back again, which nobody asks twice."""
    turning = [["93.184.216.34"], ["127.0.0.1"], ["93.184.216.34"]]
    asked_for: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked_for.append(host)
        return turning[len(asked_for) - 1]

    async with (
        peer(answers(OK), tls) as one,
        Outbound(OutboundRules(url=PUBLIC), resolver=rebinding) as dialling,
    ):
        url = await dialling.check(one.url().text)
        exchange = await dialling.post(url, BODY, {}, DEADLINE_S)

        assert exchange.row is StrikeRow.ADDRESS_REFUSED
        assert len(asked_for) == 2
        assert one.lines == 0


async def test_the_socket_itself_is_refused_should_an_address_slip_through(
    tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second lock: without the first one nothing is dialled either."""
    slipped: list[str] = []

    async def unchecked(self: object, host: str, port: int = 0, family: int = 0) -> list[dict[str, object]]:
        return [
            {"hostname": host, "host": address, "port": port, "family": socket.AF_INET, "proto": 0, "flags": 0}
            for address in slipped
        ]

    monkeypatch.setattr(CheckedResolver, "resolve", unchecked)
    async with peer(answers(OK), tls) as one, Outbound(OutboundRules(url=PUBLIC), resolver=Names()) as dialling:
        for bad in (["127.0.0.1"], ["127.0.0.1", "127.0.0.2", "10.0.0.1"]):
            slipped[:] = bad
            assert (await asked(dialling, one)).row is StrikeRow.ADDRESS_REFUSED
        assert one.lines == 0


async def test_an_address_that_does_not_answer_is_passed_over(
    outbound: Outbound, tls: ssl.SSLContext, names: Names
) -> None:
    names.table[NAME] = ["127.0.0.9", "127.0.0.1"]
    async with peer(answers(OK), tls) as one:
        assert (await asked(outbound, one)).answer is not None


async def test_plain_http_never_leaves_this_machine() -> None:
    rules = UrlRules(ports=((1, 65535),), loopback=True, plain_http=True)
    names = Names({"localhost": ["93.184.216.34"]})
    async with peer(answers(OK), None) as one, Outbound(OutboundRules(url=rules), resolver=names) as dialling:
        url = one.url(host="localhost", scheme="http", rules=rules)
        assert (await dialling.post(url, BODY, {}, DEADLINE_S)).row is StrikeRow.ADDRESS_REFUSED
        with pytest.raises(UrlRefused, match="this machine alone"):
            await dialling.check(url.text)
        names.table["localhost"] = ["127.0.0.1"]
        assert (await dialling.check(url.text)) == url
        assert (await dialling.post(url, BODY, {}, DEADLINE_S)).answer == Answer(200, b"{}")


async def test_a_url_is_checked_by_its_rules_its_name_and_its_addresses(outbound: Outbound, names: Names) -> None:
    names.table["nothing.example"] = []
    for text, rule in (
        ("http://agent.example:8443/", "scheme"),
        ("https://nobody.example/", "name"),
        ("https://nothing.example/", "name"),
        ("https://10.0.0.1/", "address"),
    ):
        with pytest.raises(UrlRefused) as caught:
            await outbound.check(text)
        assert caught.value.rule == rule
    assert (await outbound.check(f"https://{NAME}/")).host == NAME


async def test_a_check_that_lacks_a_file_handle_blames_nobody() -> None:
    async def fails(host: str, port: int) -> Sequence[str]:
        raise OSError(24, "Too many open files")

    async with Outbound(OutboundRules(), resolver=fails) as dialling:
        with pytest.raises(UrlRefused) as caught:
            await dialling.check(f"https://{NAME}/")
    assert caught.value.rule == "referee"


# --- failures, each with its row -------------------------------------------------------------------------------------


async def _reset(one: Peer, line: Line) -> None:
    one.requests.append(await line.request())
    line.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _hangs_up(one: Peer, line: Line) -> None:
    one.requests.append(await line.request())


HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

ROWS = {
    "hangs up": (_hangs_up, StrikeRow.CONNECTION),
    "reset": (_reset, StrikeRow.CONNECTION),
    "head that breaks off": (answers(HEAD + b"Content-Le", close=True), StrikeRow.HTTP),
    "garbage": (answers(b"220 mail.example ESMTP\r\n"), StrikeRow.HTTP),
    "http 2": (answers(b"\0\0\x12\4\0\0\0\0\0\0\3\0\0\0d\0\4@\0\0"), StrikeRow.HTTP),
    "length too long": (answers(body(b"{}", length=20), close=True), StrikeRow.HTTP),
    "length too short": (answers(body(b"{}garbage", length=2)), StrikeRow.HTTP),
    "negative length": (answers(body(b"{}", length=-2)), StrikeRow.HTTP),
    "two lengths": (answers(HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), StrikeRow.HTTP),
    "length and chunks": (
        answers(HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        StrikeRow.HTTP,
    ),
    "no chunk": (answers(CHUNKED + b"ZZ\r\n{}\r\n0\r\n\r\n"), StrikeRow.HTTP),
    "chunks that break off": (answers(CHUNKED + b"2\r\n{}\r\n", close=True), StrikeRow.HTTP),
    "one long line": (answers(HEAD + b"X: " + b"y" * 100_000), StrikeRow.HTTP),
    "endless headers": (answers(HEAD + b"X: y\r\n" * 100_000), StrikeRow.HTTP),
    "endless interim answers": (answers(b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000), StrikeRow.HTTP),
    "gzip that is none": (answers(body(b"{}", "Content-Encoding: gzip")), StrikeRow.HTTP),
    "gzip that breaks off": (answers(body(gzip.compress(b"{}")[:-3], "Content-Encoding: gzip")), StrikeRow.HTTP),
    "brotli": (answers(body(b"{}", "Content-Encoding: br")), StrikeRow.HTTP),
}


@pytest.mark.parametrize("what", ROWS)
async def test_a_broken_answer_has_its_row(outbound: Outbound, tls: ssl.SSLContext, what: str) -> None:
    script, row = ROWS[what]
    async with peer(script, tls) as one:
        exchange = await asked(outbound, one)
        await one.quiet()

    assert (exchange.answer, exchange.row) == (None, row)
    assert exchange.detail
    assert "127.0.0.1" not in exchange.detail


ANSWERS = {
    "chunked": (answers(CHUNKED + b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"), Answer(200, b"{}")),
    "http 1.0": (answers(b"HTTP/1.0 200 OK\r\n\r\n{}", close=True), Answer(200, b"{}")),
    "no length": (answers(HEAD + b"\r\n{}", close=True), Answer(200, b"{}")),
    "no body": (answers(body(b"")), Answer(200, b"")),
    "gzip": (answers(body(gzip.compress(b"{}"), "Content-Encoding: gzip")), Answer(200, b"{}")),
    "interim answers": (answers(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n" + OK), Answer(200, b"{}")),
    "upgrade": (answers(b"HTTP/1.1 101 So\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx"), Answer(101, b"")),
    "no content": (answers(b"HTTP/1.1 204 So\r\n\r\n"), Answer(204, b"")),
    "error": (answers(body(b"sorry", status="500 So")), Answer(500, b"")),
    "error that breaks off": (answers(body(b"sorry", status="503 So", length=99), close=True), Answer(503, b"")),
    "the cap": (answers(body(b"x" * MAX_BODY_BYTES)), Answer(200, b"x" * MAX_BODY_BYTES)),
}


@pytest.mark.parametrize("what", ANSWERS)
async def test_an_odd_answer_is_one(outbound: Outbound, tls: ssl.SSLContext, what: str) -> None:
    script, answer = ANSWERS[what]
    async with peer(script, tls) as one:
        exchange = await asked(outbound, one)

    assert (exchange.answer, exchange.row, exchange.detail) == (answer, None, "")


TOO_LARGE = {
    "one byte": body(b"x" * (MAX_BODY_BYTES + 1)),
    "a length of a terabyte": body(b"x" * (MAX_BODY_BYTES + 1), length=1 << 40),
    "much at once": body(b"x" * 2_000_000),
    "chunks without an end": CHUNKED + b"1000\r\n" + b"x" * 4096 + b"\r\n" + b"1000\r\n" + b"x" * 4096 * 4,
    "small chunks": CHUNKED + b"1\r\nx\r\n" * (MAX_BODY_BYTES + 1),
    "no length": HEAD + b"\r\n" + b"x" * (MAX_BODY_BYTES + 1),
    "a bomb": body(gzip.compress(bytes(16 * 1024 * 1024)), "Content-Encoding: gzip"),
}


@pytest.mark.parametrize("what", TOO_LARGE)
async def test_a_body_over_the_cap_is_cut_and_its_connection_closed(
    outbound: Outbound, tls: ssl.SSLContext, what: str
) -> None:
    """Case 150. Small chunks without an end are cut as well, since each holds a byte."""
    if what == "chunks without an end":
        content = CHUNKED + b"1000\r\n" + (b"x" * 4096 + b"\r\n1000\r\n") * 5
    else:
        content = TOO_LARGE[what]
    async with peer(answers(content), tls) as one:
        exchange = await asked(outbound, one)
        await one.quiet()

    assert exchange.answer is not None
    assert exchange.answer.status == 200
    assert len(exchange.answer.body) == MAX_BODY_BYTES + 1


async def test_a_connection_that_is_refused_has_its_row(outbound: Outbound) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        url = parse(f"https://{NAME}:{taken.getsockname()[1]}/", OPEN)
        exchange = await outbound.post(url, BODY, {}, DEADLINE_S)

    assert (exchange.row, exchange.detail) == (StrikeRow.CONNECTION, "the connection failed (ECONNREFUSED)")


async def test_a_name_that_does_not_resolve_has_its_row(outbound: Outbound) -> None:
    url = parse("https://nobody.example/", OPEN)
    exchange = await outbound.post(url, BODY, {}, DEADLINE_S)

    assert (exchange.row, exchange.detail) == (StrikeRow.CONNECTION, "the name does not resolve")


def _expired(ca: ThrowawayCa, _: Path) -> ssl.SSLContext:
    return ca.server_context(NAME, expired=True)


def _for_somebody_else(ca: ThrowawayCa, _: Path) -> ssl.SSLContext:
    return ca.server_context("other.example")


def _by_nobody(_: ThrowawayCa, folder: Path) -> ssl.SSLContext:
    return ThrowawayCa.make(folder).server_context(NAME)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_expired, "the certificate is not accepted: it has expired"),
        (_for_somebody_else, "the certificate is not accepted: it is for another host name"),
        (_by_nobody, "the certificate is not accepted"),
    ],
)
async def test_tls_that_fails_has_its_row(
    outbound: Outbound,
    ca: ThrowawayCa,
    tmp_path: Path,
    make: Callable[[ThrowawayCa, Path], ssl.SSLContext],
    says: str,
) -> None:
    async with peer(answers(OK), make(ca, tmp_path)) as one:
        exchange = await asked(outbound, one)

    assert exchange.row is StrikeRow.TLS
    assert says in exchange.detail
    assert not one.requests, "nothing was said to somebody unknown"


def _old_tls(ca: ThrowawayCa, _: Path) -> ssl.SSLContext:
    context = ca.server_context(NAME)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("AES128-SHA:@SECLEVEL=0")  # needs an RSA key, which it has not: no cipher in common
    return context


def _wants_a_certificate(ca: ThrowawayCa, _: Path) -> ssl.SSLContext:
    context = ca.server_context(NAME)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(ca.ca_file)
    return context


@pytest.mark.parametrize("make", [_old_tls, _wants_a_certificate])
async def test_an_alert_of_the_server_has_its_row(
    outbound: Outbound, ca: ThrowawayCa, tmp_path: Path, make: Callable[[ThrowawayCa, Path], ssl.SSLContext]
) -> None:
    """In the handshake, or, as TLS 1.3 has it, behind it."""

    def refuse(listening: socket.socket) -> None:
        taken, _ = listening.accept()
        with make(ca, tmp_path).wrap_socket(taken, server_side=True, do_handshake_on_connect=False) as line:
            line.settimeout(DEADLINE_S)
            with contextlib.suppress(ssl.SSLError):
                line.do_handshake()
            with contextlib.suppress(OSError):
                while socket.socket.recv(line, 65536):  # below TLS: a close with bytes unread would be a reset
                    pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        refusing = asyncio.create_task(asyncio.to_thread(refuse, listening))
        url = parse(f"https://{NAME}:{listening.getsockname()[1]}/", OPEN)
        exchange = await outbound.post(url, BODY, {}, DEADLINE_S)
        await refusing

    assert (exchange.row, exchange.detail) == (StrikeRow.TLS, "the TLS handshake failed")


async def test_a_certificate_for_another_address_is_told_without_it(outbound: Outbound, ca: ThrowawayCa) -> None:
    async with peer(answers(OK), ca.server_context(NAME)) as one:
        exchange = await outbound.post(one.url(host="127.0.0.1"), BODY, {}, DEADLINE_S)

    assert exchange.row is StrikeRow.TLS
    assert exchange.detail == "the certificate is not accepted: it is for another address"


async def test_a_server_without_tls_has_its_row(outbound: Outbound) -> None:
    async def mail(_: Peer, line: Line) -> None:
        await line.send(b"220 mail.example ESMTP\r\n")
        await line.gone()

    async with peer(mail, None) as one:
        assert (await asked(outbound, one)).row is StrikeRow.TLS


async def test_only_the_authorities_of_the_system_are_trusted_without_a_ca_file(tls: ssl.SSLContext) -> None:
    async with peer(answers(OK), tls) as one, Outbound(OutboundRules(url=OPEN), resolver=Names()) as dialling:
        assert (await asked(dialling, one)).row is StrikeRow.TLS


async def test_a_ca_file_is_for_development_alone(ca: ThrowawayCa) -> None:
    with pytest.raises(ValueError, match="development"):
        Outbound(OutboundRules(url=PUBLIC, ca_file=ca.ca_file))


# --- one deadline ----------------------------------------------------------------------------------------------------


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


# --- connections that are kept ---------------------------------------------------------------------------------------


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
    async with peer(_hangs_up, tls) as one:
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


async def test_an_answer_that_nobody_asked_for_answers_nothing(outbound: Outbound, tls: ssl.SSLContext) -> None:
    """What a server sends before the next request goes out is not its answer."""
    sent = asyncio.Event()

    async def sends_two(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        await line.send(OK)
        if line.number == 1:
            await line.send(body(b"stale"))
            sent.set()
        await line.gone()

    async with peer(sends_two, tls) as one:
        assert (await asked(outbound, one)).answer == Answer(200, b"{}")
        await sent.wait()
        assert (await asked(outbound, one)).answer == Answer(200, b"{}")
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


# --- ends ------------------------------------------------------------------------------------------------------------


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
