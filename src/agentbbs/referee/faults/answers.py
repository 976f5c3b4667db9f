"""What the fault server writes for each path: raw bytes, so that it can lie."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from agentbbs.protocol.arena import MAX_BODY_BYTES
from agentbbs.referee.faults.table import REDIRECTS, STATUSES

BOMB_BYTES: Final = 16 * 1024 * 1024
DRIP_S: Final = 0.05
LATE_S: Final = 0.2
"""How long after the deadline a late answer comes."""

Turn = dict[str, Any]
"""A request of the referee, as JSON has it."""


class Conversation:
    """One connection: what it has been asked, and where its answers go."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.last_nonce = ""
        self.asked = 0
        self.open = True

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def end(self) -> None:
        self.open = False


Answer = Callable[[Conversation, Turn], Awaitable[None]]


def http(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """An HTTP answer; `length` is what it claims to be."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", *headers]
    lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def legal(turn: Turn, **more: Any) -> bytes:
    """The right body: the first legal move."""
    return json.dumps({"move": turn["legal"][0], "nonce": turn["nonce"]} | more).encode()


def _plain(make: Callable[[Turn], bytes]) -> Answer:
    async def answer(line: Conversation, turn: Turn) -> None:
        await line.send(http(make(turn)))

    return answer


def _raw(make: Callable[[Turn], bytes], *, close: bool = False) -> Answer:
    async def answer(line: Conversation, turn: Turn) -> None:
        await line.send(make(turn))
        if close:
            line.end()

    return answer


def _padded(turn: Turn, size: int) -> bytes:
    body = legal(turn, pad="")
    return legal(turn, pad="x" * (size - len(body)))


def _chunked(turn: Turn) -> bytes:
    body = legal(turn)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:5], body[5:]))
    return head + chunks + b"0\r\n\r\n"


async def _endless_chunks(line: Conversation, _: Turn) -> None:
    await line.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await line.send(b"1000\r\n" + b" " * 4096 + b"\r\n")


async def _nothing(_: Conversation, __: Turn) -> None:
    await asyncio.Event().wait()


async def _drip(line: Conversation, _: Turn) -> None:
    await line.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await line.send(b"X-Drip: 1\r\n")
        await asyncio.sleep(DRIP_S)


async def _stall(line: Conversation, turn: Turn) -> None:
    await line.send(http(b"", length=len(legal(turn))))
    await asyncio.Event().wait()


async def _late(line: Conversation, turn: Turn) -> None:
    await asyncio.sleep(turn["deadline_ms"] / 1000 + LATE_S)
    await line.send(http(legal(turn)))


async def _close(line: Conversation, _: Turn) -> None:
    line.end()


async def _reset(line: Conversation, _: Turn) -> None:
    line.writer.transport.abort()
    line.end()


async def _closes_later(line: Conversation, turn: Turn) -> None:
    if line.asked == 1:
        await line.send(http(legal(turn)))
    else:
        line.end()


def _old_nonce(line: Conversation, turn: Turn) -> bytes:
    return legal(turn, nonce=line.last_nonce or "0" * 32)


async def _answer_old(line: Conversation, turn: Turn) -> None:
    await line.send(http(_old_nonce(line, turn)))


def _scripted(turn: Turn) -> bytes:
    """Illegal once at move 3 and, twice, at move 9 or the one beside it (whoever moves first has the odd ones)."""
    number, strikes = turn["move_number"], turn["strikes"]
    wrong = (number in {3, 4} and strikes == 0) or (number in {9, 10} and strikes < 3)
    return legal(turn, move="?") if wrong else legal(turn)


def _first_wrong(turn: Turn) -> bytes:
    return legal(turn, move="?") if turn["strikes"] == 0 else legal(turn)


def _status(status: str, *headers: str) -> Answer:
    bodiless = status.startswith("204")  # what came behind it would be the next answer (RFC 9110, section 15.3.5)
    return _raw(lambda turn: http(b"" if bodiless else legal(turn), *headers, status=status))


_BOMB: Final = gzip.compress(b" " * BOMB_BYTES)

ANSWERS: Final[dict[str, Answer]] = {
    "/ok": _plain(legal),
    "/chunked": _raw(_chunked),
    "/gzip": _raw(lambda turn: http(gzip.compress(legal(turn)), "Content-Encoding: gzip")),
    "/http10-close": _raw(
        lambda turn: b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + legal(turn), close=True
    ),
    "/closes-later": _closes_later,
    "/large": _plain(lambda turn: _padded(turn, MAX_BODY_BYTES)),
    "/refresh": _raw(lambda turn: http(legal(turn), "Refresh: 0; url=http://169.254.169.254/")),
    "/reason": _plain(lambda turn: legal(turn, reason="the first one is as good as any")),
    "/silent": _nothing,
    "/drip": _drip,
    "/stall": _stall,
    "/late": _late,
    "/close": _close,
    "/reset": _reset,
    "/garbage": _raw(lambda _: b"NO SUCH PROTOCOL\r\n\r\n", close=True),
    "/length-long": _raw(lambda turn: http(legal(turn), length=len(legal(turn)) + 100), close=True),
    "/too-large": _plain(lambda turn: _padded(turn, MAX_BODY_BYTES + 1)),
    "/chunked-too-large": _endless_chunks,
    "/gzip-bomb": _raw(lambda _: http(_BOMB, "Content-Encoding: gzip")),
    "/not-json": _plain(lambda turn: f"I play {turn['legal'][0]}.".encode()),
    "/fenced": _plain(lambda turn: b"```json\n" + legal(turn) + b"\n```"),
    "/not-utf8": _plain(lambda turn: legal(turn)[:-1] + b', "reason": "gr\xfc\xdfe"}'),
    "/list": _plain(lambda turn: b"[" + legal(turn) + b"]"),
    "/length-short": _raw(lambda turn: http(legal(turn), length=len(legal(turn)) - 3), close=True),
    "/no-move": _plain(lambda turn: json.dumps({"nonce": turn["nonce"]}).encode()),
    "/move-number": _plain(lambda turn: legal(turn, move=3)),
    "/no-nonce": _plain(lambda turn: json.dumps({"move": turn["legal"][0]}).encode()),
    "/wrong-nonce": _plain(lambda turn: legal(turn, nonce="f" * 32)),
    "/old-nonce": _answer_old,
    "/illegal-move": _plain(lambda turn: legal(turn, move="?")),
    "/thrice": _plain(_scripted),
    "/first-wrong": _plain(_first_wrong),
    **{f"/status-{status}": _status(f"{status} So") for status in STATUSES},
    **{f"/redirect-{status}": _status(f"{status} Moved", "Location: http://169.254.169.254/") for status in REDIRECTS},
}
"""By path; every path of the table."""
