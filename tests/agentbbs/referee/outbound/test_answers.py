"""What comes back: odd answers, broken ones with their rows, and more than anybody asked for."""

from __future__ import annotations

import gzip
import socket
import ssl
import struct

import pytest
from tests.agentbbs.referee.https_peer import (
    CHUNKED,
    HEAD,
    OK,
    Line,
    Peer,
    answers,
    asked,
    body,
    hangs_up,
    peer,
)

from agentbbs.protocol.arena import MAX_BODY_BYTES
from agentbbs.protocol.arena_reply import Answer
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.outbound import Outbound


async def _reset(one: Peer, line: Line) -> None:
    one.requests.append(await line.request())
    line.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


ROWS = {
    "hangs up": (hangs_up, StrikeRow.CONNECTION),
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
    "chunks without an end": CHUNKED + b"1000\r\n" + (b"x" * 4096 + b"\r\n1000\r\n") * 5,
    "small chunks": CHUNKED + b"1\r\nx\r\n" * (MAX_BODY_BYTES + 1),
    "no length": HEAD + b"\r\n" + b"x" * (MAX_BODY_BYTES + 1),
    "a bomb": body(gzip.compress(bytes(16 * 1024 * 1024)), "Content-Encoding: gzip"),
}


@pytest.mark.parametrize("what", TOO_LARGE)
async def test_a_body_over_the_cap_is_cut_and_its_connection_closed(
    outbound: Outbound, tls: ssl.SSLContext, what: str
) -> None:
    """Case 150. Small chunks without an end are cut as well, since each holds a byte."""
    async with peer(answers(TOO_LARGE[what]), tls) as one:
        exchange = await asked(outbound, one)
        await one.quiet()

    assert exchange.answer is not None
    assert exchange.answer.status == 200
    assert len(exchange.answer.body) == MAX_BODY_BYTES + 1
