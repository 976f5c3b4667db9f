"""The load generator: many agents in one process that play tic-tac-toe with random legal moves.

It is started by `venue.py` as `load.py ORDER FIGURES`: two JSON files, the first read (`figures.Order`), the
second written (`figures.Play` or `figures.Wait`). It shares the machine with the venue, so an agent is a bare
`asyncio.Protocol` that finds what it needs by searching bytes; nothing is decoded. The times it measures hold
its own queueing too: a message that waits in its socket while other agents are served counts as latency.
"""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import msgspec
from figures import Latency, Mode, Order, Play, Wait
from frames import CLOSE, PING, PONG, TEXT, FrameError, FrameReader, client_frame, upgrade_request
from procfs import cpu_seconds, resident_kib

TARGET: Final = "/play?game=ttt"
JOIN: Final = client_frame(TEXT, b'{"type":"join","game":"ttt"}')
MOVES: Final = {
    digit: client_frame(TEXT, b'{"type":"move","move":"%c"}' % digit) for digit in b"012345678"
}
ACKNOWLEDGED: Final = {digit: b'"lastMove":"%c"' % digit for digit in MOVES}
GOODBYE: Final = client_frame(CLOSE, (1000).to_bytes(2, "big"))

CONNECTING_AT_ONCE: Final = 64
"""Connections opened side by side while the load builds up; below every usual listen backlog."""
SETTLE_S: Final = 1.0
"""Play before the window opens, so that caches and the database file are warm."""
BUILD_UP_LIMIT_S: Final = 90.0
"""The longest time for all connections to be queued; a venue slower than this has failed."""
NO_PROGRESS_LIMIT_S: Final = 10.0
"""The longest time of the build-up in which no further connection is queued."""
DRAIN_LIMIT_S: Final = 20.0
"""The longest time after the window for running matches to end (over the clock of one move)."""
QUIET_S: Final = 1.0
"""No message for so long, and nobody playing: those that still wait can't be paired with each other."""
WARM_CONNECTIONS: Final = 100
"""Waiting connections before the first reading of memory, so that what a venue needs once is not counted."""
IDLE_S: Final = 3.0
"""Time over which the CPU of the merely waiting venue is taken."""

Clock: Final = time.perf_counter


class LoadError(Exception):
    """The load could not be put on the venue; the text says why."""


class Tally:
    """What all agents of the load saw, added up; every agent writes into the same one."""

    def __init__(self) -> None:
        self.results = 0
        self.playing = 0
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
        "_tally", "transport", "was_queued",
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
        self.was_queued = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one without being of the class
        self.transport.write(self._request)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
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
            if not self.was_queued:
                self.was_queued = True
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


class Load:
    """All agents of one order. Call `play` or `wait`, once."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._tally = Tally()
        self._requests = [upgrade_request(order.host, order.port, TARGET, token) for token in order.tokens]
        self._leaving = False
        self._open: set[Connection] = set()
        self._connecting: set[asyncio.Task[None]] = set()

    async def play(self) -> Play:
        """Build up, measure for the order's seconds, let the running matches end, leave."""
        order, tally = self._order, self._tally
        await self._build_up(self._requests)
        await asyncio.sleep(SETTLE_S)
        tally.round_trips.clear()
        tally.last_moves.clear()
        results, server_cpu, load_cpu, begun = (
            tally.results, cpu_seconds(order.server_pid), time.process_time(), Clock(),
        )  # fmt: skip
        await asyncio.sleep(order.seconds)
        seconds = Clock() - begun
        results, server_cpu, load_cpu = (
            tally.results - results, cpu_seconds(order.server_pid) - server_cpu, time.process_time() - load_cpu,
        )  # fmt: skip
        round_trips, last_moves = tally.round_trips.copy(), tally.last_moves.copy()
        await self._drain()
        return Play(
            agents=len(order.tokens),
            seconds=seconds,
            matches=results / 2,
            round_trip=Latency.of(round_trips),
            last_move_to_result=Latency.of(last_moves),
            server_cpu_s=server_cpu,
            load_cpu_s=load_cpu,
            told={match.decode(): seats for match, seats in tally.told.items()},
            abandoned=tuple(match.decode() for match in tally.abandoned),
            faults=dict(tally.faults),
        )

    async def wait(self) -> Wait:
        """Open the order's connections for one account, read the venue's memory before and after."""
        pid, request = self._order.server_pid, self._requests[0]
        await self._build_up([request] * WARM_CONNECTIONS)
        await asyncio.sleep(SETTLE_S)
        memory, cpu, begun = resident_kib(pid), cpu_seconds(pid), Clock()
        await self._build_up([request] * self._order.connections)
        connect_s, connect_cpu_s = Clock() - begun, cpu_seconds(pid) - cpu
        await asyncio.sleep(SETTLE_S)
        memory, cpu, begun = resident_kib(pid) - memory, cpu_seconds(pid), Clock()
        await asyncio.sleep(IDLE_S)
        idle_cpu_share = (cpu_seconds(pid) - cpu) / (Clock() - begun)
        await self._leave()
        return Wait(
            connections=self._order.connections,
            kib_each=memory / self._order.connections,
            connect_s=connect_s,
            connect_cpu_s=connect_cpu_s,
            idle_cpu_share=idle_cpu_share,
            faults=dict(self._tally.faults),
        )

    async def _build_up(self, requests: list[bytes]) -> None:
        """Open a connection for each request, a few at a time, until each has been told that it is queued."""
        wanted = self._tally.queued + len(requests)
        deadline = Clock() + BUILD_UP_LIMIT_S
        slots = asyncio.Semaphore(CONNECTING_AT_ONCE)

        async def connect(request: bytes) -> None:
            async with slots:
                await self._connect(request)

        await asyncio.gather(*(connect(request) for request in requests))
        queued, progress_at = 0, Clock()
        while (now_queued := self._tally.queued) < wanted:
            if now_queued > queued:
                queued, progress_at = now_queued, Clock()
            elif Clock() > min(deadline, progress_at + NO_PROGRESS_LIMIT_S):
                raise LoadError(f"{queued} of {wanted} connections were queued; faults: {dict(self._tally.faults)}")
            await asyncio.sleep(0.01)

    async def _connect(self, request: bytes) -> None:
        def made() -> Connection:
            return Connection(self._tally, request, after)

        def after(connection: Connection) -> None:
            self._after_result(connection, request)

        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                made, self._order.host, self._order.port
            )
        except OSError as error:
            self._tally.faults[f"could not connect: {error.strerror}"] += 1
            return
        self._open.add(connection)

    def _after_result(self, connection: Connection, request: bytes) -> None:
        if self._leaving:
            return
        if self._order.mode is Mode.REJOIN:
            connection.join()
            return
        connection.leave()
        self._open.discard(connection)
        task = asyncio.get_running_loop().create_task(self._connect(request))
        self._connecting.add(task)
        task.add_done_callback(self._connecting.discard)

    async def _drain(self) -> None:
        """Begin no match any more; wait for the running ones, so that leaving forfeits none."""
        self._leaving = True
        tally, deadline = self._tally, Clock() + DRAIN_LIMIT_S
        while tally.playing or self._connecting or Clock() - tally.last_message_at < QUIET_S:
            if Clock() > deadline:
                tally.faults["seats still playing after the drain"] += tally.playing
                break
            await asyncio.sleep(0.05)
        await self._leave()

    async def _leave(self) -> None:
        self._leaving = True
        for connection in self._open:
            connection.leave()
        deadline = Clock() + DRAIN_LIMIT_S
        while Clock() < deadline and not all(connection.transport.is_closing() for connection in self._open):
            await asyncio.sleep(0.01)
        for connection in self._open:
            connection.transport.abort()
        await asyncio.sleep(0)


async def put(order: Order) -> Play | Wait:
    """Put the load of `order` on its venue.

    Raises:
        LoadError: not all connections got in.
    """
    load = Load(order)
    return await (load.wait() if order.mode is Mode.WAIT else load.play())


def run(order: Order) -> Play | Wait:
    """`put` on uvloop where it is present, else on asyncio's own loop."""
    random.seed(order.seed)
    gc.disable()  # a load is short, and a pause of ours would be booked as the venue's latency
    try:
        import uvloop  # noqa: PLC0415 - an extra that may be missing
    except ImportError:
        return asyncio.run(put(order))
    return uvloop.run(put(order))


def main() -> int:
    """Read the order, run it, write the figures; 1 with a line on stderr when it could not be run."""
    order_file, figures_file = (Path(argument) for argument in sys.argv[1:3])
    try:
        figures = run(msgspec.json.decode(order_file.read_bytes(), type=Order))
    except LoadError as error:
        print(f"load: {error}", file=sys.stderr)
        return 1
    figures_file.write_bytes(msgspec.json.encode(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
