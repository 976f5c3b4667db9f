"""Readers of pages, in a process of their own; started by `web.py`, which gives an order as JSON on stdin.

Requests go out at fixed times, whether or not the earlier ones are answered: a page that is late makes its successors
late, as it would readers. A time is from the moment at which the request was due to the last byte of its answer.

Before that each address is asked for once, one after the other: `first` is what a page takes that nobody has read yet.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.figures import Latency

CONNECTIONS: Final = 64
"""Kept alive and used in turns; more requests than that are never under way unless the venue is overrun."""

WARM_S: Final = 2.0
"""Not counted."""


class Order(msgspec.Struct, frozen=True):
    """`per_s` requests a second to `paths`, in turns drawn at random, for `seconds`."""

    host: str
    port: int
    paths: tuple[str, ...]
    per_s: float
    seconds: float
    seed: int = 1


class Read(msgspec.Struct, frozen=True):
    """What came of it."""

    first: Latency
    latency: Latency
    bytes_mean: float
    faults: dict[str, int]


class Reader:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connected(cls, host: str, port: int) -> Reader:
        return cls(*await asyncio.open_connection(host, port, limit=4 * 1024 * 1024))

    async def get(self, path: str) -> tuple[int, int]:
        """Status, and bytes of the body."""
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\nAccept: */*\r\n\r\n".encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n"):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        await self._reader.readexactly(length)
        return int(head.split(b" ", 2)[1]), length

    def close(self) -> None:
        self._writer.close()


async def read(order: Order) -> Read:
    """Carry the order out."""
    rng = random.Random(order.seed)
    idle: asyncio.Queue[Reader] = asyncio.Queue()
    readers = [await Reader.connected(order.host, order.port) for _ in range(CONNECTIONS)]
    for reader in readers:
        idle.put_nowait(reader)
    first: list[float] = []
    for path in order.paths:
        asked = time.perf_counter()
        await readers[0].get(path)
        first.append(time.perf_counter() - asked)
    times: list[float] = []
    sizes: list[int] = []
    faults: dict[str, int] = {}

    async def one(due: float, path: str, *, counted: bool) -> None:
        reader = await idle.get()
        status, size = await reader.get(path)
        if counted:
            times.append(time.perf_counter() - due)
            sizes.append(size)
            if status != 200:
                faults[f"HTTP {status}"] = faults.get(f"HTTP {status}", 0) + 1
        idle.put_nowait(reader)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as under_way:
        for number in range(round(order.per_s * (order.seconds + WARM_S))):
            due = began + number / order.per_s
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            under_way.create_task(one(due, rng.choice(order.paths), counted=due - began >= WARM_S))
    for reader in readers:
        reader.close()
    return Read(Latency.of(first), Latency.of(times), sum(sizes) / max(1, len(sizes)), faults)


def main() -> None:
    """The order on stdin, the answer on stdout."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    print(json.dumps(msgspec.to_builtins(asyncio.run(read(order)))))


if __name__ == "__main__":
    main()
