"""The benchmark of the house BBS: `python bench/hub.py`. Needs Linux, and the package.

A fresh venue is called by telnet. First, members log in as fast as a few of them side by side can: a password costs an
argon2 hash on purpose, so logins/s are about hashes/s. Then guests sit idle at the main menu, and what they added to
the venue's memory is measured. Then others type, one key after the other at an even pace, into the search of the
boards, and the time from a key to its echo is taken.

The callers are this process: a bare `asyncio.Protocol` each, no terminal and no telnet options, so that their CPU,
which is printed, stays small beside the venue's.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import procfs
from bench.figures import Aim, Latency
from bench.venue_process import VenueError, VenueProcess

IDLE: Final = 500
TYPING: Final = 100
"""The numbers that were aimed at."""
WARM: Final = 20
"""Callers before the first reading of memory, so that what a venue needs once is not counted."""
LOGINS: Final = 40
LOGINS_AT_ONCE: Final = 4
"""More than are hashed at once, so that a hash never waits for a caller."""
SECONDS: Final = 10.0
"""Of typing."""
PACE_S: Final = 0.2
"""Between two keys of one caller: five a second, a fast typist."""
ANSWER_S: Final = 60.0
"""No answer takes nearly as long; after it the run has failed."""
RAMP_AT_ONCE: Final = 20
"""Callers who come side by side."""
PASSWORD: Final = "correct horse battery"
LINE_CHARS: Final = 40
"""Keys after which a caller erases its line: nothing is said, so that only echoes are measured."""
ERASE: Final = b"\x15"
"""Ctrl-U."""

SEARCH_PROMPT: Final = b"Find in all areas: "
"""After it, what is typed is echoed and does nothing until Enter."""

P99_MS: Final = 50.0
KIB_EACH: Final = 150.0
"""What was aimed at."""


class HubReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a run measured."""

    machine: str
    idle: int
    typing: int
    logins_per_s: float
    login: Latency
    """From the Enter after the password to the first screen, four at once."""
    kib_each: float
    """Growth of the venue's memory in RAM over the number of idle callers (the kernel's buffers not counted)."""
    idle_cpu_share: float
    """Share of one core that the venue takes while all of them only sit there."""
    echo: Latency
    """From sending a key to reading its echo, with the idle callers on."""
    keys_per_s: float
    venue_cpu_share: float
    """Share of one core that the venue takes while they type."""
    load_cpu_share: float
    """The same of the callers."""
    others_share: float
    """Share of the machine's CPU that went to processes other than the venue and the load."""


class Caller(asyncio.Protocol):
    """One caller. What the board says is searched, and forgotten."""

    def __init__(self) -> None:
        self._heard = bytearray()
        self._wanted = b""
        self._waiter: asyncio.Future[float] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._heard += data
        self._look()

    def connection_lost(self, _exc: Exception | None) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(VenueError(f"the board hung up; it said {bytes(self._heard[-200:])!r}"))

    def say(self, data: bytes) -> None:
        """Send bytes."""
        assert self._transport is not None
        self._transport.write(data)

    async def hear(self, text: bytes) -> float:
        """Wait for the text, forget all up to its end, and return when it was read."""
        self._wanted = text
        self._waiter = asyncio.get_running_loop().create_future()
        self._look()
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._waiter
        except TimeoutError:
            raise VenueError(f"{text!r} was not said, but {bytes(self._heard[-200:])!r}") from None

    def forget(self) -> None:
        """What was heard so far is not waited for."""
        self._heard.clear()

    def leave(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.abort()

    def _look(self) -> None:
        if self._waiter is None or self._waiter.done():
            return
        at = self._heard.find(self._wanted)
        if at >= 0:
            del self._heard[: at + len(self._wanted)]
            self._waiter.set_result(time.perf_counter())


class HubVenue(VenueProcess):
    """A venue with a BBS that has a node for each caller, and members with one password."""

    def __init__(self, folder: Path, nodes: int, members: int) -> None:
        super().__init__(folder)
        self._environment |= {"AGENTBBS_TELNET_ADDR": "127.0.0.1:0", "AGENTBBS_NODES": str(nodes)}
        self.members = [f"member-{number}" for number in range(members)]
        _add(folder, self.members)

    async def call(self) -> Caller:
        """A caller whose connection is open."""
        host, _, port = msgspec.json.decode((self.folder / "venue.json").read_bytes())["telnet"].rpartition(":")
        _, caller = await asyncio.get_running_loop().create_connection(Caller, host, int(port))
        return caller


def _add(folder: Path, names: Sequence[str]) -> None:
    """Members in a new database. One by one on the command line would take a minute; they share a hash."""
    from agentbbs.store import accounts, passwords  # noqa: PLC0415 - heavy
    from agentbbs.store.database import Database  # noqa: PLC0415

    hashed = passwords.hash_password(PASSWORD)
    with Database.in_folder(folder) as database:
        database.open()
        with database.begin() as conn:
            for name in names:
                account = accounts.add(conn, name, now_ms=0)
                accounts.set_password_hash(conn, account.id, hashed)


async def log_in(venue: HubVenue, name: str) -> float:
    """A member logs in and hangs up; how long the board took from the password to its first screen, in s."""
    caller = await venue.call()
    await caller.hear(b"Login: ")
    caller.say(name.encode() + b"\r")
    await caller.hear(b"Password: ")
    begun = time.perf_counter()
    caller.say(PASSWORD.encode() + b"\r")
    try:
        return await caller.hear(b"Welcome") - begun
    finally:
        caller.leave()


async def at_the_menu(venue: HubVenue) -> Caller:
    """A guest at the main menu."""
    caller = await venue.call()
    await caller.hear(b"Login: ")
    caller.say(b"guest\r")
    await caller.hear(b"[Hit a key]")
    caller.say(b" ")
    await caller.hear(b"Main menu: ")
    return caller


async def come(venue: HubVenue, count: int) -> list[Caller]:
    """So many guests, a few at a time."""
    gate = asyncio.Semaphore(RAMP_AT_ONCE)

    async def one() -> Caller:
        async with gate:
            return await at_the_menu(venue)

    return list(await asyncio.gather(*(one() for _ in range(count))))


async def type_on(caller: Caller, until: float, seed: int) -> list[float]:
    """Press a key each PACE_S, and take each echo's time in s."""
    chance = random.Random(seed)
    await asyncio.sleep(chance.random() * PACE_S)
    took: list[float] = []
    due = time.perf_counter()
    while due < until:
        key = chance.choice(b"abcdefghijklmnoprstuvwxyz").to_bytes(1, "big")
        caller.forget()
        begun = time.perf_counter()
        caller.say(key)
        took.append(await caller.hear(key) - begun)
        if len(took) % LINE_CHARS == 0:
            caller.say(ERASE)
        due += PACE_S
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
    return took


async def measure(venue: HubVenue, idle: int, typing: int, seconds: float) -> HubReport:
    """All of it."""
    login, login_s = await _logins(venue)
    warm = await come(venue, WARM)
    before = procfs.resident_kib(venue.pid)
    sitting = await come(venue, idle)
    kib_each = (procfs.resident_kib(venue.pid) - before) / idle if idle else 0.0
    cpu = procfs.cpu_seconds(venue.pid)
    await asyncio.sleep(seconds / 2)
    idle_share = (procfs.cpu_seconds(venue.pid) - cpu) / (seconds / 2)
    typists = await come(venue, typing)
    for caller in typists:
        caller.say(b"bs")  # the search of the boards: a line that is typed and never sent
    await asyncio.gather(*(caller.hear(SEARCH_PROMPT) for caller in typists))
    window = _Window(venue.pid)
    until = time.perf_counter() + seconds
    took = await asyncio.gather(*(type_on(caller, until, seed) for seed, caller in enumerate(typists)))
    venue_share, load_share, others_share = window.shares()
    echoes = [one for each in took for one in each]
    venue.check_alive()
    for caller in (*warm, *sitting, *typists):
        caller.leave()
    return HubReport(
        machine=procfs.machine(),
        idle=idle,
        typing=typing,
        logins_per_s=len(login) / login_s,
        login=Latency.of(login),
        kib_each=kib_each,
        idle_cpu_share=idle_share,
        echo=Latency.of(echoes),
        keys_per_s=len(echoes) / seconds,
        venue_cpu_share=venue_share,
        load_cpu_share=load_share,
        others_share=others_share,
    )


async def _logins(venue: HubVenue) -> tuple[list[float], float]:
    """How long each took, and all together, in s."""
    gate = asyncio.Semaphore(LOGINS_AT_ONCE)

    async def one(name: str) -> float:
        async with gate:
            return await log_in(venue, name)

    begun = time.perf_counter()
    took = await asyncio.gather(*(one(name) for name in venue.members))
    return list(took), time.perf_counter() - begun


class _Window:
    """CPU over a time, as shares of one core (of the machine, for the others)."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._begun, self._cpu, self._own, self._machine = self._now()

    def _now(self) -> tuple[float, float, float, procfs.MachineTime]:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        own = usage.ru_utime + usage.ru_stime
        return time.perf_counter(), procfs.cpu_seconds(self._pid), own, procfs.machine_time()

    def shares(self) -> tuple[float, float, float]:
        """Of the venue, of this process, of all others."""
        now, cpu, own, machine = self._now()
        seconds, venue_s, own_s = now - self._begun, cpu - self._cpu, own - self._own
        others_s = machine.processes_s - self._machine.processes_s - venue_s - own_s
        return venue_s / seconds, own_s / seconds, max(0.0, others_s) / (machine.total_s - self._machine.total_s)


def aims(report: HubReport) -> tuple[Aim, ...]:
    """Every aim that the run has a figure for."""
    if (report.idle, report.typing) != (IDLE, TYPING):
        return ()
    return (
        Aim.of("key to echo p99 in ms", report.echo.p99_ms, P99_MS, at_least=False),
        Aim.of("KiB an idle caller", report.kib_each, KIB_EACH, at_least=False),
    )


def lines(report: HubReport) -> Iterator[str]:
    """The report for people."""
    login, echo = report.login, report.echo
    yield report.machine
    rate = f"{report.logins_per_s:.1f} a second"
    yield f"log-ins by password      {rate}, p50 {login.p50_ms:.0f} ms, p99 {login.p99_ms:.0f} ms"
    idle = f"{report.idle_cpu_share:.1%} of a core"
    yield f"idle callers             {report.idle}: {report.kib_each:.0f} KiB each, {idle}"
    yield (
        f"key to echo              {report.typing} typing, {report.keys_per_s:.0f} keys a second: "
        f"p50 {echo.p50_ms:.1f} ms, p99 {echo.p99_ms:.1f} ms, max {echo.max_ms:.1f} ms"
    )
    yield f"CPU while they type      venue {report.venue_cpu_share:.1%}, callers {report.load_cpu_share:.1%} of a core"
    if report.others_share > 0.05:
        yield f"others took              {report.others_share:.0%} of the machine: repeat when it is quiet"
    for aim in aims(report):
        yield f"aim                      {aim.what}: {aim.figure:.1f} of {aim.bound:.0f}, {aim.ratio:.2f} times as good"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--idle", type=int, default=IDLE, help=f"callers that sit at the menu (default {IDLE})")
    parser.add_argument("--typing", type=int, default=TYPING, help=f"callers that type (default {TYPING})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"of typing (default {SECONDS:g})")
    parser.add_argument("--logins", type=int, default=LOGINS, help=f"by password (default {LOGINS})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()


def main() -> int:
    """Run it, print the figures."""
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="bench-hub-") as scratch:
        folder = Path(scratch) / "data"
        folder.mkdir()
        nodes = asked.idle + asked.typing + WARM + LOGINS_AT_ONCE
        try:
            with HubVenue(folder, nodes, asked.logins) as venue:
                report = asyncio.run(measure(venue, asked.idle, asked.typing, asked.seconds))
        except VenueError as fault:
            print(f"error: {fault}", file=sys.stderr)
            return 1
    print("\n".join(lines(report)))
    if asked.json is not None:
        asked.json.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
