"""What the referee of Agent Arena adds to an agent's own time: `python bench/arena.py`.

Endpoints with TLS and keep-alive run in a process of their own (`arena_agents.py`), each on its own port. The venue is
whole: matches are stored. Matches of Connect 4 are played between pairs of endpoints, each followed by the next.

1. Offered 100 moves/s: each agent thinks so long that all matches together make that many. Overhead of a move is from
   the moment at which the position was ready to the moment at which the move was ruled on, less the time that the
   agent's process measured for itself: slots, signature, HTTP, TLS, the loop's queue, and the ruling.
2. The same with one endpoint in fifty that is slow, in turns with the first, ROUNDS times: the overhead of the others
   beside what it is without.
3. Saturation: no agent thinks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.figures import Latency
from bench.procfs import machine

from agentbbs import logs
from agentbbs.config import Settings
from agentbbs.games import catalog
from agentbbs.play.seat import Chair
from agentbbs.protocol.agentgames import Hello, State
from agentbbs.protocol.signing import SECRET_BYTES, Scheme, Signer, new_secret
from agentbbs.referee.endpoint_url import parse
from agentbbs.referee.slots import Slots
from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.referee.webhook_seat import Target, WebhookSeat
from agentbbs.serve import Venue

AGENTS: Final = 50
OFFERED: Final = 100
"""Moves a second."""
SLOW_MS: Final = 2000
SECONDS: Final = 15.0
ROUNDS: Final = 3
"""With and without the slow one in turns, so that what else the machine does falls on both."""
WARM_S: Final = 2.0
"""Not counted: connections are made."""
DRAIN_S: Final = 30.0
"""For the matches of a window to end."""
WHY_UNRATED: Final = "bench"


class Window:
    """What was measured while it was open."""

    def __init__(self) -> None:
        self.open = False
        self.overheads: list[float] = []
        self.moves = 0
        self.matches = 0


class TimedChair:
    """The chair, with a look at each move that goes through."""

    def __init__(self, chair: Chair, seat: TimedSeat) -> None:
        self._chair = chair
        self._seat = seat

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chair, name)

    def move(self, move: str, ply: int | None = None, reason: str | None = None, nonce: str | None = None) -> None:
        """Note it, then play it."""
        asked = self._seat.asked
        self._chair.move(move, ply, reason, nonce)
        window = self._seat.window
        if window.open:
            window.moves += 1
            if self._seat.counted:
                window.overheads.append(time.perf_counter() - asked - float(reason or 0))


class TimedSeat(WebhookSeat):
    """A seat that knows when its position was ready."""

    window: Window
    counted = True
    asked = 0.0

    def seated(self, chair: Chair, hello: Hello) -> None:
        super().seated(TimedChair(chair, self), hello)

    def ask(self, state: State, strikes: int) -> bool:
        self.asked = time.perf_counter()
        return super().ask(state, strikes)


class Field:
    """All endpoints, playing pairwise without an end."""

    def __init__(self, venue: Venue, ports: Sequence[int], think_ms: int, *, slow: int = 0) -> None:
        self.window = Window()
        self._venue = venue
        self._slots = Slots()
        self._game = catalog.find("c4")
        self._playing = True
        rng = random.Random(1)
        key = Signer(Scheme.HMAC, new_secret(Scheme.HMAC, rng.randbytes(SECRET_BYTES)))
        rules = venue.arena.outbound.rules.url
        self._targets = [
            Target(
                account=None,
                name=f"agent-{number}",
                url=parse(f"https://127.0.0.1:{port}/{SLOW_MS if number < slow else think_ms}", rules),
                signers=(key,),
                deadline_ms=10_000,
                public_url="http://127.0.0.1",
            )
            for number, port in enumerate(ports)
        ]
        self._slow = slow

    def begin(self) -> None:
        """Every endpoint plays the one beside it."""
        for number in range(0, len(self._targets), 2):
            self._next(number)

    def end(self) -> None:
        """No further match."""
        self._playing = False
        self._venue.runner.void(lambda _: True)

    def _next(self, number: int) -> None:
        if self.window.open:
            self.window.matches += 1
        if self._playing:
            seats = (self._seat(number), self._seat(number + 1))
            self._venue.runner.start(self._game, seats, why_unrated=WHY_UNRATED, then=lambda: self._next(number))

    def _seat(self, number: int) -> TimedSeat:
        seat = TimedSeat(self._targets[number], self._venue.arena.outbound, self._slots)
        seat.window = self.window
        seat.counted = number >= self._slow
        return seat


class Run:
    """One kind of run: what all its windows saw together."""

    def __init__(self, think_ms: int, *, slow: int = 0) -> None:
        self.think_ms = think_ms
        self.slow = slow
        self.moves = self.matches = 0
        self.overheads: list[float] = []
        self.seconds = self.cpu_s = 0.0

    async def measure(self, venue: Venue, ports: Sequence[int], seconds: float) -> None:
        """One more window."""
        field = Field(venue, ports, self.think_ms, slow=self.slow)
        field.begin()
        await asyncio.sleep(WARM_S)
        field.window.open = True
        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.sleep(seconds)
        self.seconds += time.perf_counter() - began
        self.cpu_s += time.process_time() - cpu
        field.window.open = False
        field.end()
        await venue.runner.drain(DRAIN_S)
        self.moves += field.window.moves
        self.matches += field.window.matches
        self.overheads += field.window.overheads

    def figures(self) -> dict[str, float]:
        """As they go into the JSON."""
        overhead = Latency.of(self.overheads)
        return {
            "think_ms": self.think_ms,
            "slow_endpoints": self.slow,
            "seconds": round(self.seconds, 1),
            "moves_per_s": round(self.moves / self.seconds, 1),
            "matches_per_s": round(self.matches / self.seconds, 2),
            "overhead_p50_ms": round(overhead.p50_ms, 2),
            "overhead_p99_ms": round(overhead.p99_ms, 2),
            "overhead_max_ms": round(overhead.max_ms, 2),
            "cpu_ms_per_move": round(1000 * self.cpu_s / max(1, self.moves), 3),
        }


@asynccontextmanager
async def endpoints(count: int, cert: Path, key: Path) -> AsyncIterator[list[int]]:
    """The ports of so many, in a process of their own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).with_name("arena_agents.py")),
        str(count),
        str(cert),
        str(key),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield json.loads(await process.stdout.readline())
    finally:
        process.stdin.close()
        await process.wait()


def settings(folder: Path, ca: ThrowawayCa) -> Settings:
    """Of a venue that has no door but may call this machine."""
    doors = ("GAME_WS", "SSH", "TELNET", "RLOGIN", "WEB")
    return Settings.from_env(
        dict.fromkeys((f"AGENTBBS_{name}_ADDR" for name in doors), "")
        | {
            "AGENTBBS_DATA": str(folder / "data"),
            "AGENTBBS_ARENA_DEV": "1",
            "AGENTBBS_ARENA_CA_FILE": str(ca.ca_file),
            "AGENTBBS_LOG_LEVEL": "error",
        }
    )


async def run(seconds: float, agents: int, rounds: int) -> dict[str, Any]:
    """All runs, and the p99 with a slow endpoint in ratio to that without."""
    think_ms = round(1000 * agents / 2 / OFFERED)
    offered, one_slow, saturation = Run(think_ms), Run(think_ms, slow=max(1, agents // 50)), Run(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ca = ThrowawayCa.make(folder / "ca")
        async with endpoints(agents, *ca.issue()) as ports, Venue(settings(folder, ca)) as venue:
            for _ in range(rounds):
                for each in (offered, one_slow):
                    await each.measure(venue, ports, seconds)
            await saturation.measure(venue, ports, seconds)
    found = {"offered": offered.figures(), "one_slow": one_slow.figures(), "saturation": saturation.figures()}
    ratio = found["one_slow"]["overhead_p99_ms"] / (found["offered"]["overhead_p99_ms"] or 1)
    return {"machine": machine(), "agents": agents, "slow_p99_ratio": round(ratio, 3), "runs": found}


def report(found: dict[str, Any]) -> None:
    """The figures as a table."""
    print(found["machine"])
    print("run         moves/s  matches/s  overhead ms p50      p99      max  CPU ms a move")
    for name, row in found["runs"].items():
        print(
            f"{name:10} {row['moves_per_s']:8.1f} {row['matches_per_s']:10.2f} {row['overhead_p50_ms']:16.2f} "
            f"{row['overhead_p99_ms']:8.2f} {row['overhead_max_ms']:8.2f} {row['cpu_ms_per_move']:14.3f}"
        )
    print(f"p99 of the others with a slow one beside them: {found['slow_p99_ratio']:.2f} of what it is without")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    options.add_argument("--seconds", type=float, default=SECONDS, help="of each window")
    options.add_argument("--agents", type=int, default=AGENTS, help="an even number")
    options.add_argument("--rounds", type=int, default=ROUNDS, help="with and without a slow endpoint, in turns")
    options.add_argument("--json", type=Path, help="write the figures there, too")
    chosen = options.parse_args()
    logs.configure("console", "error")
    found = asyncio.run(run(chosen.seconds, chosen.agents, chosen.rounds))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(found, indent=2))
    report(found)


if __name__ == "__main__":
    main()
