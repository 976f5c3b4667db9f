"""One agent of the load: a bare `asyncio.Protocol` that plays tic-tac-toe by searching bytes; nothing is decoded."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Final, cast

from bench.frames import CLOSE, PING, PONG, TEXT, FrameError, FrameReader, client_frame

JOIN: Final = client_frame(TEXT, b'{"type":"join","game":"ttt"}')
MOVES: Final = {digit: client_frame(TEXT, b'{"type":"move","move":"%c"}' % digit) for digit in b"012345678"}
ACKNOWLEDGED: Final = {digit: b'"lastMove":"%c"' % digit for digit in MOVES}
GOODBYE: Final = client_frame(CLOSE, (1000).to_bytes(2, "big"))

Clock: Final = time.perf_counter
"""Seconds; only differences mean something."""


class Tally:
    """What all agents of the load saw, added up; every agent writes into the same one."""

    def __init__(self) -> None:
        self.results = 0
        self.playing = 0
        self.open = 0
        self.nobody_left = asyncio.Event()
        self.opened = 0
        self.queued = 0
        self.last_message_at = 0.0
        self.round_trips: list[float] = []
        self.last_moves: list[float] = []
        self.told: dict[bytes, int] = {}
        self.abandoned: set[bytes] = set()
        self.faults: Counter[str] = Counter()


class Connection(asyncio.Protocol):
    """One connection of one agent: from the upgrade to its close.

    `next_match` is called after each `result`, and decides whether to join again (here or elsewhere).
    """

    __slots__ = (
        "_awaited", "_close_sent", "_head", "_match", "_moved_last", "_next_match", "_reader", "_request", "_sent_at",
        "_tally", "transport",
    )  # fmt: skip

    def __init__(self, tally: Tally, request: bytes, next_match: Callable[[Connection], None]) -> None:
        self._tally = tally
        self._request = request
        self._next_match = next_match
        self._reader = FrameReader()
        self._head: bytes | None = b""
        self._match = b""
        self._awaited = b""
        self._sent_at = 0.0
        self._moved_last = False
        self._close_sent = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one without being of the class
        self.transport.write(self._request)
        self._tally.open += 1
        self._tally.nobody_left.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._tally.open -= 1
        if self._tally.open == 0:
            self._tally.nobody_left.set()
        if not self._close_sent:
            self._tally.faults["connection dropped by the venue"] += 1
        if self._match:
            self._match = b""
            self._tally.playing -= 1

    def join(self) -> None:
        """Ask for the next match on this connection."""
        self.transport.write(JOIN)

    def leave(self) -> None:
        """Say goodbye; the venue answers and ends the TCP connection."""
        if not self._close_sent and not self.transport.is_closing():
            self._close_sent = True
            self.transport.write(GOODBYE)

    def data_received(self, data: bytes) -> None:
        now = Clock()
        self._tally.last_message_at = now
        if self._head is not None:
            rest = self._upgrade(data)
            if not rest:
                return
            data = rest
        try:
            frames = self._reader.feed(data)
        except FrameError as error:
            self._fault(str(error))
            return
        for opcode, payload in frames:
            if opcode == TEXT:
                self._message(payload, now)
            elif opcode == PING:
                self.transport.write(client_frame(PONG, payload))
            elif opcode == CLOSE:
                self._closed(payload)

    def _upgrade(self, data: bytes) -> bytes:
        """Take bytes of the HTTP answer; return what follows it, or nothing while it is not whole."""
        head, end, rest = ((self._head or b"") + data).partition(b"\r\n\r\n")
        if not end:
            self._head = head
            return b""
        self._head = None
        status = head.split(b" ", 2)[1].decode("latin-1")
        if status != "101":
            self._fault(f"HTTP {status}")
            return b""
        self._tally.opened += 1
        return rest

    def _message(self, payload: bytes, now: float) -> None:
        if payload.startswith(b'{"type":"state"'):
            self._state(payload, now)
        elif payload.startswith(b'{"type":"result"'):
            self._result(payload, now)
        elif payload.startswith(b'{"type":"hello"'):
            self._match = _match_id(payload)
            self._moved_last = False
            self._tally.playing += 1
            self._tally.told.setdefault(self._match, 0)
            if self._close_sent:
                self._tally.abandoned.add(self._match)
        elif payload.startswith(b'{"type":"queued"'):
            self._tally.queued += 1
        else:
            self._tally.faults[payload[:120].decode(errors="replace")] += 1

    def _state(self, payload: bytes, now: float) -> None:
        if self._awaited:
            self._tally.round_trips.append(now - self._sent_at)
            if self._awaited not in payload:
                self._tally.faults["a state that does not acknowledge the move"] += 1
            self._awaited = b""
            self._moved_last = True
        else:
            self._moved_last = False
        if b'"yourTurn":true' in payload:
            # The list is `"a","b",…` of single digits: every fourth byte, from the second, is a move.
            start = payload.index(b'"legal":["') + 10
            choices = (payload.index(b"]", start) - start + 2) // 4
            digit = payload[start + 4 * int(random.random() * choices)]
            self._awaited = ACKNOWLEDGED[digit]
            self._sent_at = Clock()
            self.transport.write(MOVES[digit])

    def _result(self, payload: bytes, now: float) -> None:
        tally, match = self._tally, _match_id(payload)
        tally.results += 1
        tally.playing -= 1
        tally.told[match] = tally.told.get(match, 0) + 1
        if self._moved_last:
            tally.last_moves.append(now - self._sent_at)
        if b'"termination":"normal"' not in payload and match not in tally.abandoned:
            tally.faults["a result that is a forfeit or void"] += 1
        if b'"rated":true' not in payload:
            tally.faults["an unrated result"] += 1
        if match != self._match:
            tally.faults["a result of another match"] += 1
        self._match = b""
        self._next_match(self)

    def _closed(self, payload: bytes) -> None:
        if not self._close_sent:
            self._fault(f"closed by the venue with {int.from_bytes(payload[:2], 'big')}")
        self.transport.close()

    def _fault(self, kind: str) -> None:
        self._tally.faults[kind] += 1
        self._close_sent = True
        self.transport.close()


def _match_id(payload: bytes) -> bytes:
    start = payload.index(b'"match":"') + 9
    return payload[start : payload.index(b'"', start)]
