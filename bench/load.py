"""The load generator: many agents in one process that play tic-tac-toe with random legal moves.

It is started by `venue.py` as `python -m bench.load ORDER FIGURES`: two JSON files, the first read
(`figures.Order`), the second written (`figures.Played` or `figures.Wait`). The times it measures hold its own
queueing too: a message that waits in its socket while other agents are served counts as latency.
"""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from bench.agent import Clock, Connection, Tally
from bench.figures import Latency, Mode, Order, Play, Played, Wait
from bench.frames import upgrade_request
from bench.procfs import MachineTime, cpu_seconds, machine_time, main_thread_cpu_seconds, resident_kib

OPEN_TARGET: Final = "/play"
JOINING_TARGET: Final = "/play?game=ttt"

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
LEAVE_LIMIT_S: Final = 20.0
"""The longest time for the venue to answer the goodbyes of all connections."""
QUIET_S: Final = 1.0
"""No message for so long, and nobody playing: those that still wait can't be paired with each other."""
WARM_CONNECTIONS: Final = 100
"""Waiting connections before the first reading of memory, so that what a venue needs once is not counted."""
IDLE_S: Final = 3.0
"""Time over which the CPU of the merely waiting venue is taken."""


class LoadError(Exception):
    """The load could not be put on the venue; the text says why."""


class Load:
    """All agents of one order. Call `play` or `wait`, once."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._tally = Tally()
        self._leaving = False
        self._open: set[Connection] = set()
        self._connecting: set[asyncio.Task[None]] = set()

    async def play(self) -> Played:
        """Connect everybody, then start, measure for the order's seconds, let the running matches end, leave."""
        order, tally = self._order, self._tally
        await self._build_up(order.tokens, OPEN_TARGET, lambda: tally.opened)
        for connection in self._open:
            connection.join()
        await asyncio.sleep(SETTLE_S)
        window = _Window(order, tally)
        await asyncio.sleep(order.seconds)
        window.close()
        await self._drain()
        return Played(
            play=window.figures(dict(tally.faults)),
            told={match.decode(): seats for match, seats in tally.told.items()},
            abandoned=tuple(match.decode() for match in tally.abandoned),
        )

    async def wait(self) -> Wait:
        """Open the order's connections for one account, read the venue's memory before and after."""
        order, tally, pid = self._order, self._tally, self._order.server_pid
        account = order.tokens[:1]
        await self._build_up(account * WARM_CONNECTIONS, JOINING_TARGET, lambda: tally.queued)
        await asyncio.sleep(SETTLE_S)
        memory, cpu, begun = resident_kib(pid), cpu_seconds(pid), Clock()
        await self._build_up(account * order.connections, JOINING_TARGET, lambda: tally.queued)
        connect_s, connect_cpu_s = Clock() - begun, cpu_seconds(pid) - cpu
        await asyncio.sleep(SETTLE_S)
        memory, cpu, begun = resident_kib(pid) - memory, cpu_seconds(pid), Clock()
        await asyncio.sleep(IDLE_S)
        idle_cpu_share = (cpu_seconds(pid) - cpu) / (Clock() - begun)
        await self._leave()
        return Wait(
            connections=order.connections,
            kib_each=memory / order.connections,
            connect_s=connect_s,
            connect_cpu_s=connect_cpu_s,
            idle_cpu_share=idle_cpu_share,
            faults=dict(self._tally.faults),
        )

    async def _build_up(self, tokens: tuple[str, ...], target: str, reached: Callable[[], int]) -> None:
        """Open a connection at `target` for each token, a few at a time, until `reached` has grown by their number.

        Raises:
            LoadError: it did not, within the limits.
        """
        wanted = reached() + len(tokens)
        deadline = Clock() + BUILD_UP_LIMIT_S
        slots = asyncio.Semaphore(CONNECTING_AT_ONCE)

        async def connect(token: str) -> None:
            async with slots:
                await self._connect(token, target)

        await asyncio.gather(*(connect(token) for token in tokens))
        count, progress_at = 0, Clock()
        while (now_count := reached()) < wanted:
            if now_count > count:
                count, progress_at = now_count, Clock()
            elif Clock() > min(deadline, progress_at + NO_PROGRESS_LIMIT_S):
                raise LoadError(f"{count} of {wanted} connections got in; faults: {dict(self._tally.faults)}")
            await asyncio.sleep(0.01)

    async def _connect(self, token: str, target: str) -> None:
        host, port = self._order.host, self._order.port

        def made() -> Connection:
            return Connection(self._tally, upgrade_request(host, port, target, token), after)

        def after(connection: Connection) -> None:
            self._after_result(connection, token)

        try:
            _, connection = await asyncio.get_running_loop().create_connection(made, host, port)
        except OSError as error:
            self._tally.faults[f"could not connect: {error.strerror}"] += 1
            return
        self._open.add(connection)

    def _after_result(self, connection: Connection, token: str) -> None:
        if self._leaving:
            return
        if self._order.mode is Mode.REJOIN:
            connection.join()
            return
        connection.leave()
        self._open.discard(connection)
        task = asyncio.get_running_loop().create_task(self._connect(token, JOINING_TARGET))
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
        try:
            async with asyncio.timeout(LEAVE_LIMIT_S):
                await self._tally.nobody_left.wait()
        except TimeoutError:
            self._tally.faults["connections that the venue did not close"] += self._tally.open


class _Reading(msgspec.Struct, frozen=True):
    """The counters of everything at one moment."""

    at: float
    results: int
    server_cpu_s: float
    loop_cpu_s: float
    load_cpu_s: float
    machine: MachineTime


class _Window:
    """The stretch of a playing load in which it is measured, from its making to `close`."""

    def __init__(self, order: Order, tally: Tally) -> None:
        self._order = order
        self._tally = tally
        tally.round_trips.clear()
        tally.last_moves.clear()
        self._begun = self._reading()

    def _reading(self) -> _Reading:
        pid = self._order.server_pid
        return _Reading(
            Clock(),
            self._tally.results,
            cpu_seconds(pid),
            main_thread_cpu_seconds(pid),
            time.process_time(),
            machine_time(),
        )

    def close(self) -> None:
        """Take the second reading."""
        self._ended = self._reading()
        self._round_trips = self._tally.round_trips.copy()
        self._last_moves = self._tally.last_moves.copy()

    def figures(self, faults: dict[str, int]) -> Play:
        """What was measured."""
        begun, ended = self._begun, self._ended
        matches, seconds = (ended.results - begun.results) / 2, ended.at - begun.at
        server_cpu_s, load_cpu_s = ended.server_cpu_s - begun.server_cpu_s, ended.load_cpu_s - begun.load_cpu_s
        total_s = ended.machine.total_s - begun.machine.total_s
        thousands = 1000 / matches if matches else 0.0
        others_s = ended.machine.processes_s - begun.machine.processes_s - server_cpu_s - load_cpu_s
        return Play(
            agents=len(self._order.tokens),
            seconds=seconds,
            matches=matches,
            matches_per_s=matches / seconds,
            round_trip=Latency.of(self._round_trips),
            last_move_to_result=Latency.of(self._last_moves),
            venue_cpu_s_per_1000=thousands * server_cpu_s,
            loop_cpu_s_per_1000=thousands * (ended.loop_cpu_s - begun.loop_cpu_s),
            load_cpu_s_per_1000=thousands * load_cpu_s,
            others_share=max(0.0, others_s / total_s),
            stolen_share=(ended.machine.stolen_s - begun.machine.stolen_s) / total_s,
            faults=faults,
        )


async def put(order: Order) -> Played | Wait:
    """Put the load of `order` on its venue.

    Raises:
        LoadError: not all connections got in.
    """
    load = Load(order)
    return await (load.wait() if order.mode is Mode.WAIT else load.play())


def run(order: Order) -> Played | Wait:
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
