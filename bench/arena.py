"""What the referee of Agent Arena adds to an agent's own time: `python bench/arena.py`.

Endpoints with TLS and keep-alive run in a process of their own (`arena_agents.py`), each on its own port. The venue is
whole: matches are stored. Matches of Connect 4 are played between pairs of endpoints, each followed by the next.

1. Offered 100 moves/s: each agent thinks so long that all matches together make that many. Overhead of a move is from
   the moment at which the position was ready to the moment at which the move was ruled on, less the time that the
   agent's process measured for itself: slots, signature, HTTP, TLS, the loop's queue, and the ruling.
2. The same with one endpoint in fifty that is slow: the overhead of the others beside that of the first run.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.figures import Latency
from bench.procfs import machine

from agentbbs.config import Settings
from agentbbs.games import catalog
from agentbbs.play.seat import Chair
from agentbbs.protocol.agentgames import Hello, State
from agentbbs.protocol.signing import SECRET_BYTES, Scheme, Signer, new_secret
from agentbbs.referee.slots import Slots
from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.referee.webhook_seat import Target, WebhookSeat
from agentbbs.serve import Venue

AGENTS: Final = 50
OFFERED: Final = 100
"""Moves a second."""
SLOW_MS: Final = 2000
SECONDS: Final = 15.0
WARM_S: Final = 2.0
"""Not counted: connections are made."""
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
        from agentbbs.referee.endpoint_url import parse  # noqa: PLC0415

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


async def measured(
    venue: Venue, ports: Sequence[int], think_ms: int, seconds: float, *, slow: int = 0
) -> dict[str, Any]:
    """One run."""
    field = Field(venue, ports, think_ms, slow=slow)
    field.begin()
    await asyncio.sleep(WARM_S)
    field.window.open = True
    began = time.perf_counter()
    cpu = time.process_time()
    await asyncio.sleep(seconds)
    took = time.perf_counter() - began
    cpu_s = time.process_time() - cpu
    field.window.open = False
    field.end()
    await venue.runner.drain(30)
    overhead = Latency.of(field.window.overheads)
    return {
        "think_ms": think_ms,
        "slow": slow,
        "moves_per_s": round(field.window.moves / took, 1),
        "matches_per_s": round(field.window.matches / took, 2),
        "overhead_p50_ms": round(overhead.p50_ms, 2),
        "overhead_p99_ms": round(overhead.p99_ms, 2),
        "overhead_max_ms": round(overhead.max_ms, 2),
        "cpu_ms_per_move": round(1000 * cpu_s / max(1, field.window.moves), 3),
    }


async def run(seconds: float, agents: int) -> dict[str, Any]:
    """All runs."""
    with tempfile.TemporaryDirectory() as folder:
        ca = ThrowawayCa.make(Path(folder) / "ca")
        cert, key = ca.issue()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(Path(__file__).with_name("arena_agents.py")),
            str(agents),
            str(cert),
            str(key),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdin is not None
        ports = json.loads(await process.stdout.readline())
        off = dict.fromkeys((f"AGENTBBS_{name}_ADDR" for name in ("GAME_WS", "SSH", "TELNET", "RLOGIN", "WEB")), "")
        settings = Settings.from_env(
            off
            | {
                "AGENTBBS_DATA": str(Path(folder) / "data"),
                "AGENTBBS_ARENA_DEV": "1",
                "AGENTBBS_ARENA_CA_FILE": str(ca.ca_file),
                "AGENTBBS_LOG_LEVEL": "error",
            }
        )
        think_ms = round(1000 * agents / 2 / OFFERED)
        async with Venue(settings) as venue:
            found = {
                "machine": machine(),
                "agents": agents,
                "offered": await measured(venue, ports, think_ms, seconds),
                "one_slow": await measured(venue, ports, think_ms, seconds, slow=1),
                "offered_again": await measured(venue, ports, think_ms, seconds),
                "saturation": await measured(venue, ports, 0, seconds),
            }
        process.stdin.close()
        await process.wait()
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    options.add_argument("--seconds", type=float, default=SECONDS)
    options.add_argument("--agents", type=int, default=AGENTS)
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    from agentbbs.logs import configure  # noqa: PLC0415

    configure("console", "error")
    found = asyncio.run(run(chosen.seconds, chosen.agents))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(found, indent=2))
    print(found["machine"])
    print(f"{'run':14} moves/s  matches/s  overhead ms p50    p99     max   CPU ms a move")
    for name in ("offered", "one_slow", "offered_again", "saturation"):
        row = found[name]
        print(
            f"{name:14} {row['moves_per_s']:7.1f} {row['matches_per_s']:9.2f} {row['overhead_p50_ms']:16.2f} "
            f"{row['overhead_p99_ms']:7.2f} {row['overhead_max_ms']:7.2f} {row['cpu_ms_per_move']:12.3f}"
        )


if __name__ == "__main__":
    main()
