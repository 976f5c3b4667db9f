"""The benchmark of the SSH door: `python bench/ssh.py`. Needs Linux, and the package with its extra `test`.

Each part has a fresh venue as a process of its own. The callers are asyncssh's client, which costs as much CPU
as the server: look at CPU per log-in and per match first, and take what a second brings for what two processes
on this machine get done together. What asyncssh alone does: 210-258 log-ins a second, 31 KiB a session.

`--trouble` is case 41: 50 agents play at an even pace; beside them, first nothing, then 20 connections that
each send a megabyte a second without a newline, then strangers that log in as fast as they can.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import asyncssh
import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import procfs
from bench.figures import Latency
from bench.ssh_load import Clock, Player, Seen, Trouble, Way, log_in, seat, trouble
from bench.venue_process import VenueError, VenueProcess

AT_ONCE: Final = 16
"""Callers that log in side by side: enough to keep the venue busy."""
SETTLE_S: Final = 1.0
"""Play before a window opens."""
WARM_SESSIONS: Final = 50
"""Sessions before the first reading of memory, so that what a venue needs once is not counted."""
IDLE_S: Final = 3.0
"""Time over which the CPU of the merely waiting venue is taken."""
PACE_S: Final = 0.25
"""How long an agent of the troubled venue thinks on average: 50 of them are then a fifth of a core."""
PACED_AGENTS: Final = 50
FLOODERS: Final = 20
"""Case 41's numbers."""
ROUNDS: Final = 4
"""Calm, flood and strangers take turns."""
DRAIN_S: Final = 30.0
"""For the matches that are on to end."""


class SshVenue(VenueProcess):
    """A venue with its SSH door open, and accounts with keys."""

    def __init__(self, folder: Path, accounts: int) -> None:
        super().__init__(folder)
        self._environment |= {"AGENTBBS_SSH_ADDR": "127.0.0.1:0"}
        self._keys = _accounts(folder, accounts)
        self.stranger = _key()

    @property
    def ways(self) -> list[Way]:
        """A way in for each account."""
        return [self.way(key) for key in self._keys]

    def way(self, key: str) -> Way:
        """In, or up to the door, with that key."""
        host, _, port = msgspec.json.decode((self.folder / "venue.json").read_bytes())["ssh"].rpartition(":")
        return Way(host, int(port), key)


def _key() -> str:
    return asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()


def _accounts(folder: Path, count: int) -> list[str]:
    """Accounts in a new database; their private keys. One by one on the command line would take a minute."""
    from agentbbs.store import accounts, keys  # noqa: PLC0415 - heavy
    from agentbbs.store.database import Database  # noqa: PLC0415

    private = [_key() for _ in range(count)]
    with Database.in_folder(folder).open() as database, database.begin() as conn:
        for number, key in enumerate(private):
            account = accounts.add(conn, f"bench-{number}", now_ms=time.time_ns() // 1_000_000).id
            line = asyncssh.import_private_key(key).export_public_key().decode()
            keys.add(conn, account, keys.parse(line), now_ms=0)
    return private


class Troubled(msgspec.Struct, frozen=True, kw_only=True):
    """Round trips of agents at an even pace: alone, beside floods, beside strangers that knock."""

    usual: Latency
    flooded: Latency
    flooded_mb_per_s: float
    knocked: Latency
    knocks_per_s: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run measures; None for what was left out."""

    machine: str
    logins_per_s: float
    login_venue_cpu_ms: float
    login_load_cpu_ms: float
    matches_per_s: float
    round_trip: Latency
    last_move_to_result: Latency
    match_venue_cpu_s_per_1000: float
    match_load_cpu_s_per_1000: float
    kib_a_session: float
    waiting: int
    idle_cpu_share: float
    trouble: Troubled | None = None
    faults: dict[str, int]
    clean: bool
    """Every match that was told to both seats is stored, and the ladders follow from the log."""


class Bench:
    """One run in a temporary folder."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self._folder = folder
        self._seconds: float = options.seconds
        self._agents: int = options.agents
        self._waiting: int = options.waiting
        self._rng = random.Random(options.seed)
        self._seen = Seen()
        self._clean = True
        self._found: dict[str, object] = {"machine": procfs.machine()}

    async def logins(self) -> None:
        """Visits, some side by side, each with a log-in of its own."""
        with SshVenue(self._fresh("logins"), 1) as venue:
            (way,) = venue.ways
            await log_in(way)
            ends, count = Clock() + self._seconds, 0
            cpu, mine, begun = procfs.cpu_seconds(venue.pid), time.process_time(), Clock()

            async def keep_calling() -> None:
                nonlocal count
                while Clock() < ends:
                    await log_in(way)
                    count += 1

            await asyncio.gather(*(keep_calling() for _ in range(AT_ONCE)))
            self._found |= {
                "logins_per_s": count / (Clock() - begun),
                "login_venue_cpu_ms": (procfs.cpu_seconds(venue.pid) - cpu) / count * 1000,
                "login_load_cpu_ms": (time.process_time() - mine) / count * 1000,
            }

    async def matches(self) -> None:
        """Agents that play as fast as they are answered, and join again on the open session."""
        with SshVenue(self._fresh("matches"), self._agents) as venue:
            async with _Crowd(venue.ways, self._seen, self._rng, 0.0):
                before = self._seen.results
                self._seen.last_moves.clear()
                self._seen.round_trips.clear()
                cpu, mine, begun = procfs.cpu_seconds(venue.pid), time.process_time(), Clock()
                await asyncio.sleep(self._seconds)
                played, took = (self._seen.results - before) / 2, Clock() - begun
                self._found |= {
                    "matches_per_s": played / took,
                    "round_trip": Latency.of(self._seen.round_trips),
                    "last_move_to_result": Latency.of(self._seen.last_moves),
                    "match_venue_cpu_s_per_1000": (procfs.cpu_seconds(venue.pid) - cpu) / played * 1000,
                    "match_load_cpu_s_per_1000": (time.process_time() - mine) / played * 1000,
                }
            self._check(venue)

    async def waiting(self) -> None:
        """Sessions of one account, which never meet."""
        with SshVenue(self._fresh("waiting"), 1) as venue:
            (way,) = venue.ways
            connections = await self._queue(way, WARM_SESSIONS)
            await asyncio.sleep(SETTLE_S)
            memory = procfs.resident_kib(venue.pid)
            connections += await self._queue(way, self._waiting)
            await asyncio.sleep(SETTLE_S)
            memory = procfs.resident_kib(venue.pid) - memory
            cpu = procfs.cpu_seconds(venue.pid)
            await asyncio.sleep(IDLE_S)
            self._found |= {
                "waiting": self._waiting,
                "kib_a_session": memory / self._waiting,
                "idle_cpu_share": (procfs.cpu_seconds(venue.pid) - cpu) / IDLE_S,
            }
            for connection in connections:
                connection.abort()

    async def trouble(self) -> None:
        """Agents at an even pace, alone and beside trouble, in turns, so that the machine's moods hit all alike."""
        usual, flooded, knocked = list[float](), list[float](), list[float]()
        flooded_bytes = knocks = 0
        with SshVenue(self._fresh("trouble"), PACED_AGENTS + 1) as venue:
            *ways, flooder = venue.ways
            floods = Trouble(flooder, self._seconds / ROUNDS, flooders=FLOODERS)
            strangers = Trouble(venue.way(venue.stranger), self._seconds / ROUNDS, knockers=FLOODERS)
            async with _Crowd(ways, self._seen, self._rng, PACE_S):
                for _ in range(ROUNDS):
                    usual += await self._round_trips()
                    times, (count, _) = await self._beside(floods)
                    flooded, flooded_bytes = flooded + times, flooded_bytes + count
                    times, (_, count) = await self._beside(strangers)
                    knocked, knocks = knocked + times, knocks + count
            self._check(venue)
        self._found["trouble"] = Troubled(
            usual=Latency.of(usual),
            flooded=Latency.of(flooded),
            flooded_mb_per_s=flooded_bytes / 1e6 / self._seconds,
            knocked=Latency.of(knocked),
            knocks_per_s=knocks / self._seconds,
        )

    def figures(self) -> Figures:
        """What was measured, once all parts have run."""
        found = self._found | {"faults": dict(+self._seen.faults), "clean": self._clean}
        return msgspec.convert(found, Figures)

    async def _round_trips(self) -> list[float]:
        """Those of one round, in seconds."""
        self._seen.round_trips.clear()
        await asyncio.sleep(self._seconds / ROUNDS)
        return self._seen.round_trips.copy()

    async def _beside(self, order: Trouble) -> tuple[list[float], tuple[int, int]]:
        """The agents' round trips while another process makes that trouble, and what it got done."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, __file__, "--make-trouble"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(msgspec.json.encode(order))
        process.stdin.close()
        await process.stdout.readline()  # it has begun
        times = await self._round_trips()
        done: tuple[int, int] = msgspec.json.decode(await process.stdout.read(), type=tuple[int, int])
        await process.wait()
        await asyncio.sleep(SETTLE_S)
        return times, done

    async def _queue(self, way: Way, count: int) -> list[asyncssh.SSHClientConnection]:
        """Sessions that wait."""
        slots = asyncio.Semaphore(AT_ONCE)

        async def join() -> asyncssh.SSHClientConnection:
            async with slots:
                player = Player(self._seen, self._rng, 0.0)
                player.idle.set()
                connection = await seat(way, player)
                await asyncio.wait_for(player.queued.wait(), DRAIN_S)
                return connection

        return list(await asyncio.gather(*(join() for _ in range(count))))

    def _check(self, venue: SshVenue) -> None:
        """Stop the venue and look at its books."""
        stopped = venue.stop()
        told = {match for match, seats in self._seen.told.items() if seats == 2}
        self._seen.told.clear()
        self._clean &= stopped == 0 and told <= venue.stored() and venue.rebuild_check() == 0

    def _fresh(self, name: str) -> Path:
        folder = self._folder / name
        folder.mkdir()
        return folder


class _Crowd:
    """Agents that play while the `async with` lasts, and end their matches at its end."""

    def __init__(self, ways: list[Way], seen: Seen, rng: random.Random, pace_s: float) -> None:
        self._ways = ways
        self._players = [Player(seen, random.Random(rng.random()), pace_s) for _ in ways]
        self._connections: list[asyncssh.SSHClientConnection] = []

    async def __aenter__(self) -> None:
        slots = asyncio.Semaphore(AT_ONCE)

        async def join(way: Way, player: Player) -> asyncssh.SSHClientConnection:
            async with slots:
                return await seat(way, player)

        joins = [join(way, player) for way, player in zip(self._ways, self._players, strict=True)]
        self._connections += await asyncio.gather(*joins)
        await asyncio.sleep(SETTLE_S)

    async def __aexit__(self, *_: object) -> None:
        for player in self._players:
            player.stop()
        async with asyncio.timeout(DRAIN_S):
            await asyncio.gather(*(player.idle.wait() for player in self._players))
        for connection in self._connections:
            connection.close()
            await connection.wait_closed()


def _text(figures: Figures) -> str:
    """The figures for a person."""
    logins = f"{figures.logins_per_s:.0f} a second; CPU ms each: venue {figures.login_venue_cpu_ms:.2f}"
    matches = f"{figures.matches_per_s:.0f} a second; CPU s per 1,000: venue {figures.match_venue_cpu_s_per_1000:.2f}"
    idle = f"idle {figures.idle_cpu_share * 100:.1f} % of a core"
    rows = [
        ("log-ins", f"{logins}, load {figures.login_load_cpu_ms:.2f}"),
        ("matches on open sessions", f"{matches}, load {figures.match_load_cpu_s_per_1000:.2f}"),
        ("round trip, no time to think", _times(figures.round_trip)),
        ("last move to result", _times(figures.last_move_to_result)),
        ("a waiting session", f"{figures.kib_a_session:.1f} KiB ({figures.waiting} of them), {idle}"),
        *_trouble_rows(figures.trouble),
        ("books", "clean" if figures.clean else "NOT CLEAN"),
        *(("fault", f"{count} x {fault}") for fault, count in figures.faults.items()),
        ("machine", figures.machine),
    ]
    return "\n".join(f"{name:<32} {said}" for name, said in rows)


def _times(of: Latency) -> str:
    return f"p50 {of.p50_ms:.2f} ms, p99 {of.p99_ms:.2f} ms"


def _trouble_rows(trouble: Troubled | None) -> list[tuple[str, str]]:
    if trouble is None:
        return []
    beside = (
        (f"beside {FLOODERS} floods", trouble.flooded, f"{trouble.flooded_mb_per_s:.1f} MB/s"),
        (f"beside {FLOODERS} strangers", trouble.knocked, f"{trouble.knocks_per_s:.0f} calls/s turned away"),
    )
    return [
        (f"{PACED_AGENTS} agents at an even pace", _times(trouble.usual)),
        *((name, f"{_times(of)} ({of.p99_ms / trouble.usual.p99_ms:.2f} x), {done}") for name, of, done in beside),
    ]


async def _all(bench: Bench, parts: tuple[str, ...]) -> None:
    every: dict[str, Callable[[], Awaitable[None]]] = {
        "logins": bench.logins,
        "matches": bench.matches,
        "waiting": bench.waiting,
        "trouble": bench.trouble,
    }
    for part in parts:
        print(f"{part} ...", file=sys.stderr, flush=True)
        await every[part]()


def _make_trouble() -> int:
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Trouble)
    print("begun", flush=True)
    print(msgspec.json.encode(asyncio.run(trouble(order))).decode(), flush=True)
    return 0


def main() -> int:
    """Run the benchmark; 0 when the books are clean, 1 when not, 2 when it could not be run."""
    parser = argparse.ArgumentParser(prog="python bench/ssh.py", description="Measure the SSH door of the venue.")
    parser.add_argument("--seconds", type=float, default=10.0, metavar="S", help="time measured in each part (10)")
    parser.add_argument("--agents", type=int, default=50, metavar="N", help="agents that play (50)")
    parser.add_argument("--waiting", type=int, default=1000, metavar="N", help="waiting sessions (1000)")
    parser.add_argument("--no-trouble", action="store_true", help="leave the floods out")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the agents' moves (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there as JSON, too")
    parser.add_argument("--make-trouble", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make_trouble:
        return _make_trouble()
    folder = Path(tempfile.mkdtemp(prefix="agentbbs-bench-"))
    parts = ("logins", "matches", "waiting", *(() if options.no_trouble else ("trouble",)))
    try:
        bench = Bench(folder, options)
        asyncio.run(_all(bench, parts))
    except (VenueError, asyncssh.Error, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(folder)
    figures = bench.figures()
    print(_text(figures))
    if options.json is not None:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(figures)) + b"\n")
    return 0 if figures.clean else 1


if __name__ == "__main__":
    sys.exit(main())
