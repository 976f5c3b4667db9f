"""Many people who watch one live match: `web.py` uses it. The two players are here, too, so that one clock is read.

Each watcher is an event stream over a connection of its own. The delay of a move is from the moment at which its
player sends it to the moment at which a watcher has read the position.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from pathlib import Path
from typing import Any, Final

import aiohttp
import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.figures import Latency

MOVE_S: Final = 0.5
"""A player thinks so long: every watcher has read by then."""
AT_ONCE: Final = 50
"""Connections made at a time."""
SOON_S: Final = 60.0

_EVENT_ID: Final = re.compile(rb"^id: ?(\d+)$", re.MULTILINE)


class Order(msgspec.Struct, frozen=True):
    """`watchers` of one match of `c4` between two tokens."""

    play_url: str
    web_host: str
    web_port: int
    tokens: tuple[str, str]
    watchers: int


class Watched(msgspec.Struct, frozen=True):
    """`every` is each watcher's delay at each ply, `last` the delay until the last of them had it."""

    watchers: int
    plies: int
    every: Latency
    last: Latency
    ended: int
    """Watchers who read the end."""


class Match:
    """Two agents that play until the rules end it."""

    def __init__(self) -> None:
        self.id = ""
        self.sent: dict[int, float] = {}
        """When the move that led to a ply was sent."""
        self.began = asyncio.Event()
        self.go = asyncio.Event()

    async def play(self, http: aiohttp.ClientSession, url: str, token: str) -> None:
        """One seat."""
        async with http.ws_connect(f"{url}?game=c4", headers={"Authorization": f"Bearer {token}"}) as ws:
            seat = -1
            async for frame in ws:
                said: dict[str, Any] = json.loads(frame.data)
                if said["type"] == "hello":
                    seat, self.id = said["player"], said["match"]
                    self.began.set()
                elif said["type"] == "state" and said["observation"]["toMove"] == seat:
                    await self.go.wait()
                    await asyncio.sleep(MOVE_S)
                    legal = said["observation"]["legal"]
                    move = legal[(said["ply"] * 3) % len(legal)]
                    self.sent[said["ply"] + 1] = time.perf_counter()
                    await ws.send_json({"type": "move", "move": move})
                elif said["type"] == "result":
                    return


async def watch(order: Order) -> Watched:
    """Play the match before the watchers."""
    match = Match()
    async with aiohttp.ClientSession() as http, asyncio.timeout(10 * SOON_S):
        players = [asyncio.create_task(match.play(http, order.play_url, token)) for token in order.tokens]
        async with asyncio.timeout(SOON_S):
            await match.began.wait()
        seen: list[dict[int, float]] = [{} for _ in range(order.watchers)]
        gate = asyncio.Semaphore(AT_ONCE)
        ready = asyncio.Barrier(order.watchers + 1)
        watchers = [asyncio.create_task(_watcher(order, match.id, gate, ready, one)) for one in seen]
        await ready.wait()
        match.go.set()
        await asyncio.gather(*players)
        ended = await asyncio.gather(*watchers)
    every, last = [], []
    for ply, sent in match.sent.items():
        delays = [one[ply] - sent for one in seen if ply in one]
        every += delays
        if len(delays) == order.watchers:
            last.append(max(delays))
    return Watched(order.watchers, len(match.sent), Latency.of(every), Latency.of(last), sum(ended))


async def _watcher(
    order: Order, match: str, gate: asyncio.Semaphore, ready: asyncio.Barrier, seen: dict[int, float]
) -> bool:
    """Note when each ply was read; whether the end was."""
    async with gate:
        reader, writer = await asyncio.open_connection(order.web_host, order.web_port)
        writer.write(f"GET /m/{match}/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        await reader.readuntil(b"\n\n")
    await ready.wait()
    over = False
    while not over:
        try:
            event = await reader.readuntil(b"\n\n")
        except asyncio.IncompleteReadError:
            break
        found = _EVENT_ID.search(event)
        if found:
            seen[int(found[1])] = time.perf_counter()
        over = b"event: over" in event
    writer.close()
    return over


def main() -> None:
    """The order on stdin, the answer on stdout."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    print(json.dumps(msgspec.to_builtins(asyncio.run(watch(order)))))


if __name__ == "__main__":
    main()
