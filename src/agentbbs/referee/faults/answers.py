"""What the fault server does for each path of the table, once a request is there."""

from __future__ import annotations

import asyncio
import functools
import gzip
import zlib
from collections.abc import Awaitable, Callable
from typing import Final

from agentbbs.protocol import arena
from agentbbs.referee.faults import raw_http
from agentbbs.referee.faults.bodies import BODIES, Body, Turn, legal, padded
from agentbbs.referee.faults.conversation import Conversation
from agentbbs.referee.faults.table import REDIRECTS, STATUSES

BOMB_BYTES: Final = 16 * 1024 * 1024
"""What the bomb unpacks to: blanks, which JSON allows behind an object."""

_MEMBERS: Final = 16
"""Of gzip, which the bomb is put together from (RFC 1952, section 2.2): one is quickly made."""

DRIP_S: Final = 0.02
"""Between the pieces of what drips."""

LATE_S: Final = 0.2
"""How long after the deadline a late answer comes."""

METADATA: Final = "http://169.254.169.254/latest/meta-data/"
"""Where a redirect of an attacker leads to."""

_HTTP2: Final = bytes.fromhex("00000c0400000000000003000000640004000100000000080700000000000000000000000001")
"""The first frames of an HTTP/2 server: SETTINGS, and GOAWAY (RFC 9113, sections 6.5 and 6.8)."""

Answer = Callable[[Conversation, Turn], Awaitable[None]]
_Bytes = Callable[[Turn], bytes]


def _body(make: Body, *headers: str) -> Answer:
    return _sends(lambda turn: raw_http.answer(make(turn), *headers))


def _sends(make: _Bytes, *, close: bool = False) -> Answer:
    async def answer(line: Conversation, turn: Turn) -> None:
        await line.send(make(turn))
        if close:
            line.end()

    return answer


def _stalls(make: _Bytes) -> Answer:
    async def answer(line: Conversation, turn: Turn) -> None:
        await line.send(make(turn))
        await line.hold()
        line.end()

    return answer


def _drips(before: bytes, piece: bytes) -> Answer:
    async def answer(line: Conversation, _: Turn) -> None:
        await line.send(before)
        while await line.hold(DRIP_S):
            await line.send(piece)
        line.end()

    return answer


def _floods(make: _Bytes, piece: bytes) -> Answer:
    async def answer(line: Conversation, turn: Turn) -> None:
        line.end()
        await line.send(make(turn))
        while not line.writer.is_closing():
            await line.send(piece)
            await asyncio.sleep(0)  # to send may wait for nobody

    return answer


async def _late(line: Conversation, turn: Turn) -> None:
    if await line.hold(turn.deadline_ms / 1000 + LATE_S):
        await line.send(raw_http.answer(legal(turn)))


async def _half_time(line: Conversation, turn: Turn) -> None:
    if await line.hold(turn.deadline_ms / 2000):
        await line.send(raw_http.answer(legal(turn)))


async def _byte_by_byte(line: Conversation, turn: Turn) -> None:
    data = raw_http.answer(legal(turn))
    for at in range(len(data)):
        await line.send(data[at : at + 1])
        await asyncio.sleep(0)


async def _close(line: Conversation, _: Turn) -> None:
    line.end()


async def _reset(line: Conversation, _: Turn) -> None:
    line.reset()


async def _body_reset(line: Conversation, turn: Turn) -> None:
    await line.send(raw_http.answer(legal(turn), length=len(legal(turn)) + 100))
    await line.hold(DRIP_S)  # so that what was sent arrives before the reset
    line.reset()


async def _closes_later(line: Conversation, turn: Turn) -> None:
    if line.asked == 1:
        await line.send(raw_http.answer(legal(turn)))
    else:
        line.end()


async def _old_nonce(line: Conversation, turn: Turn) -> None:
    await line.send(raw_http.answer(legal(turn, nonce=line.old_nonce or "0" * 2 * arena.NONCE_BYTES)))


def _status(status: int, *headers: str) -> Answer:
    return _sends(lambda turn: raw_http.answer(legal(turn), *headers, status=status))


def _chunked_extras(turn: Turn) -> bytes:
    body = legal(turn)
    chunks = raw_http.chunk(body[:5], ";note=odd") + raw_http.chunk(body[5:], ';note="quite odd"')
    return raw_http.chunked_head("Trailer: X-Odd") + chunks + raw_http.chunk(b"") + b"X-Odd: 1\r\n\r\n"


def _gzip(make: Body) -> _Bytes:
    return lambda turn: raw_http.answer(make(turn), "Content-Encoding: gzip")


@functools.cache
def _blanks() -> bytes:
    return gzip.compress(b" " * (BOMB_BYTES // _MEMBERS)) * _MEMBERS


def _claims(make: Callable[[int], int | str], *headers: str) -> _Bytes:
    return lambda turn: raw_http.answer(legal(turn), *headers, length=make(len(legal(turn))))


def _chunks(make: Callable[[bytes], bytes]) -> _Bytes:
    return lambda turn: raw_http.chunked_head() + make(legal(turn))


_HTTP10: Final = raw_http.head(raw_http.JSON, version="1.0")
_HEAD_CUT: Final = b"HTTP/1.1 200 OK\r\nContent-Type: appl"
_HALF_HEAD: Final = b"HTTP/1.1 200 OK\r\n"
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n" * 100
_BLANKS: Final = b" " * 4096

_RIGHT: Final[dict[str, Answer]] = {
    "/content-type": _sends(
        lambda turn: raw_http.head("Content-Type: text/plain", f"Content-Length: {len(legal(turn))}") + legal(turn)
    ),
    "/cookie": _body(legal, "Set-Cookie: crumb=1; Path=/; Secure"),
    "/refresh": _body(legal, f"Refresh: 0; url={METADATA}"),
    "/early-hints": _sends(
        lambda turn: raw_http.head("Link: </style.css>; rel=preload", status=103) + raw_http.answer(legal(turn))
    ),
    "/chunked": _sends(lambda turn: raw_http.chunked((legal(turn)[:5], legal(turn)[5:]))),
    "/chunked-extras": _sends(_chunked_extras),
    "/byte-by-byte": _byte_by_byte,
    "/gzip": _sends(_gzip(lambda turn: gzip.compress(legal(turn)))),
    "/deflate": _body(lambda turn: zlib.compress(legal(turn)), "Content-Encoding: deflate"),
    "/http10-close": _sends(lambda turn: _HTTP10 + legal(turn), close=True),
    "/closes-after": _sends(lambda turn: raw_http.answer(legal(turn), "Connection: keep-alive"), close=True),
    "/closes-later": _closes_later,
    "/half-time": _half_time,
}

_TRANSPORT: Final[dict[str, Answer]] = {
    "/silent": _stalls(lambda _: b""),
    "/drip": _drips(_HALF_HEAD, b"X-Drip: 1\r\n"),
    "/drip-body": _drips(raw_http.answer(b"", length=arena.MAX_BODY_BYTES), b" "),
    "/stall": _stalls(lambda turn: raw_http.answer(b"", length=len(legal(turn)))),
    "/stall-chunk": _stalls(_chunks(lambda body: raw_http.chunk(body[:5]))),
    "/late": _late,
    "/close": _close,
    "/reset": _reset,
    "/head-cut": _sends(lambda _: _HEAD_CUT, close=True),
    "/garbage": _sends(lambda _: b"220 mail.example ESMTP ready\r\n\r\n", close=True),
    "/no-head": _sends(legal, close=True),
    "/http2": _sends(lambda _: _HTTP2, close=True),
    "/head-without-end": _floods(lambda _: _HALF_HEAD, b"X-More: " + b"x" * 1000 + b"\r\n"),
    "/interim-without-end": _floods(lambda _: b"", _CONTINUE),
    "/length-long": _sends(_claims(lambda size: size + 100), close=True),
    "/length-short": _sends(_claims(lambda size: size - 3), close=True),
    "/length-negative": _sends(_claims(lambda size: -size), close=True),
    "/length-twice": _sends(_claims(lambda size: size, "Content-Length: 5"), close=True),
    "/chunk-size": _sends(_chunks(lambda body: b"five\r\n" + body), close=True),
    "/chunk-cut": _sends(_chunks(lambda body: raw_http.chunk(body)[:-5]), close=True),
    "/body-reset": _body_reset,
    "/gzip-broken": _sends(_gzip(legal)),
    "/gzip-cut": _sends(_gzip(lambda turn: gzip.compress(legal(turn))[:-12])),
    "/unknown-encoding": _body(legal, "Content-Encoding: br"),
}

_ANSWERS: Final[dict[str, Answer]] = {
    **{f"/status-{status}": _status(status) for status in STATUSES},
    **{f"/redirect-{status}": _status(status, f"Location: {METADATA}") for status in REDIRECTS},
    "/redirect-relative": _status(307, "Location: /ok"),
    "/redirect-chain": _status(302, "Location: /redirect-relative"),
    "/redirect-nowhere": _status(302),
    "/chunks-without-end": _floods(_chunks(raw_http.chunk), raw_http.chunk(_BLANKS)),
    "/body-without-end": _floods(lambda turn: _HTTP10 + legal(turn), _BLANKS),
    "/gzip-large": _sends(_gzip(lambda turn: gzip.compress(padded(turn, arena.MAX_BODY_BYTES + 1)))),
    "/gzip-bomb": _sends(_gzip(lambda turn: gzip.compress(legal(turn)) + _blanks())),
    "/old-nonce": _old_nonce,
}

ANSWERS: Final[dict[str, Answer]] = {
    **{path: _body(make) for path, make in BODIES.items()},
    **_RIGHT,
    **_TRANSPORT,
    **_ANSWERS,
}
"""By path: every fault of the table but those of `own_port` and those that do what another one does."""
