"""The callers of `bench/ssh.py`: agents that play tic-tac-toe over asyncssh, and floods beside them."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter
from typing import Final

import asyncssh
import msgspec

CIPHER: Final = "aes128-gcm@openssh.com"
"""The cheapest for this process; the venue's own list decides what others get."""

FLOOD_CHUNK_BYTES: Final = 32 * 1024
"""What a flooder writes at a time: whole packets."""

Clock: Final = time.perf_counter


class Way(msgspec.Struct, frozen=True):
    """How to get in: where the venue listens, and a private key in OpenSSH's format."""

    host: str
    port: int
    key: str


class Observation(msgspec.Struct, frozen=True):
    """What of a position a random player needs."""

    legal: list[str]


class Heard(msgspec.Struct, frozen=True):
    """What of the venue's messages matters here."""

    type: str
    observation: Observation | None = None
    yourTurn: bool = False  # noqa: N815 - the name on the wire
    ply: int = 0
    match: str = ""
    reason: str | None = None
    code: str = ""
    message: str = ""


_decoder: Final = msgspec.json.Decoder(Heard)
_MOVE: Final = b'{"type":"move","move":"%s","ply":%d}\n'


class Seen:
    """What all agents of a load saw."""

    def __init__(self) -> None:
        self.round_trips: list[float] = []
        self.last_moves: list[float] = []
        self.results = 0
        self.told: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()


class Player(asyncssh.SSHClientSession[bytes]):
    """Plays match after match with random legal moves, `pace_s` after it is asked, until `stop` is called."""

    def __init__(self, seen: Seen, rng: random.Random, pace_s: float) -> None:
        self._seen = seen
        self._rng = rng
        self._pace_s = pace_s
        self._rest = b""
        self._sent_at = 0.0
        self._awaits = False
        self._moved_last = False
        self._playing = False
        self._stopping = False
        self.queued = asyncio.Event()
        """The venue has said once that it waits."""
        self.idle = asyncio.Event()
        self._channel: asyncssh.SSHClientChannel[bytes]

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self._channel = chan

    def stop(self) -> None:
        """Play the match that is on to its end, and no other; `idle` tells when."""
        self._stopping = True
        if not self._playing:
            self.idle.set()

    def data_received(self, data: bytes, _: int | None) -> None:
        now = Clock()
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._hear(_decoder.decode(line), now)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.idle.is_set():
            self._fault(f"connection lost: {exc}")
            self.idle.set()

    def _hear(self, message: Heard, now: float) -> None:
        if message.type == "state":
            self._state(message, now)
        elif message.type == "result":
            self._result(message, now)
        elif message.type == "hello":
            self._playing = True
        elif message.type == "queued":
            self.queued.set()
        elif message.type == "error":
            self._fault(f"{message.code}: {message.message}")

    def _state(self, message: Heard, now: float) -> None:
        self._moved_last = self._awaits
        if self._awaits:
            self._awaits = False
            self._seen.round_trips.append(now - self._sent_at)
        if message.yourTurn and message.observation is not None:
            move = _MOVE % (self._rng.choice(message.observation.legal).encode(), message.ply)
            if self._pace_s:
                asyncio.get_running_loop().call_later(self._pace_s * self._rng.uniform(0.5, 1.5), self._move, move)
            else:
                self._move(move)

    def _result(self, message: Heard, now: float) -> None:
        self._playing = False
        self._seen.results += 1
        self._seen.told[message.match] += 1
        if self._moved_last:
            self._seen.last_moves.append(now - self._sent_at)
        if message.reason is not None:
            self._fault(message.reason)
        if self._stopping:
            self.idle.set()
        else:
            self._channel.write(b'{"type":"join"}\n')

    def _move(self, move: bytes) -> None:
        if not self._channel.is_closing():
            self._sent_at, self._awaits = Clock(), True
            self._channel.write(move)

    def _fault(self, what: str) -> None:
        if not self._stopping:  # two that leave may still be paired
            self._seen.faults[what] += 1


async def call(way: Way, **options: object) -> asyncssh.SSHClientConnection:
    """Log in."""
    return await asyncssh.connect(
        way.host,
        way.port,
        username="game",
        client_keys=[asyncssh.import_private_key(way.key)],
        known_hosts=None,
        config=None,
        agent_path=None,
        encryption_algs=[CIPHER],
        **options,
    )


async def seat(way: Way, player: Player, command: str = "ttt") -> asyncssh.SSHClientConnection:
    """Log in and join."""
    connection = await call(way)
    await connection.create_session(lambda: player, command, encoding=None)
    return connection


async def log_in(way: Way) -> None:
    """A whole visit: log in, say `ping`, hear `pong`, hang up."""
    connection = await call(way)
    stdin, stdout, _ = await connection.open_session(encoding=None)
    stdin.write(b'{"type":"ping"}\n')
    if b"pong" not in await stdout.readline():
        raise ConnectionError("the venue did not answer a ping")
    connection.close()
    await connection.wait_closed()


async def knock(way: Way) -> None:
    """A visit by somebody without an account: turned away in JSON."""
    connection = await call(way)
    _, stdout, _ = await connection.open_session(encoding=None)
    if b"unauthorized" not in await stdout.read():
        raise ConnectionError("the venue did not turn a stranger away")
    connection.close()
    await connection.wait_closed()


async def flood(way: Way, bytes_per_s: float, seconds: float) -> int:
    """Write a line without an end at that rate, over and over where the venue hangs up. Returns bytes written."""
    written, begun = 0, Clock()
    while Clock() - begun < seconds:
        try:
            async with await call(way) as connection:
                stdin, _, _ = await connection.open_session(encoding=None)
                while (passed := Clock() - begun) < seconds:
                    if written < passed * bytes_per_s:
                        stdin.write(b"x" * FLOOD_CHUNK_BYTES)
                        written += FLOOD_CHUNK_BYTES
                        await stdin.drain()
                    else:
                        await asyncio.sleep(0.005)
        except (asyncssh.Error, OSError):
            await asyncio.sleep(0.05)
    return written


class Trouble(msgspec.Struct, frozen=True):
    """What a process of its own does to the venue for a while: `flooders` that flood, `knockers` that call
    without an account as fast as they can."""

    way: Way
    seconds: float
    flooders: int = 0
    bytes_per_s: float = 1e6
    knockers: int = 0


async def trouble(order: Trouble) -> tuple[int, int]:
    """Make it, behind the agents in the line for the CPU; returns the bytes flooded and the calls turned away."""
    os.nice(10)
    ends = Clock() + order.seconds
    turned_away = 0

    async def keep_knocking() -> None:
        nonlocal turned_away
        while Clock() < ends:
            await knock(order.way)
            turned_away += 1

    floods = [flood(order.way, order.bytes_per_s, order.seconds) for _ in range(order.flooders)]
    knocks = [keep_knocking() for _ in range(order.knockers)]
    done = await asyncio.gather(*floods, *knocks)
    return sum(count for count in done if count is not None), turned_away
