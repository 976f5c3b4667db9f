"""The benchmark of the venue: `python bench/venue.py`, or `make bench`. See bench/README.md.

For each number of agents a fresh venue is started as a process of its own, and a load as another; when the
load is done the venue is stopped, and what the agents were told is compared with what is stored.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import hotspots, procfs, report
from bench.figures import Books, Mode, Order, Played, Report, Stage, Wait
from bench.venue_process import VenueError, VenueProcess

ROOT: Final = Path(__file__).resolve().parent.parent
"""Where `bench` is a package, for the load's process too."""

AGENTS: Final = (50, 200, 1000)
SECONDS: Final = 10.0
WAITING: Final = 5000
QUICK_AGENTS: Final = (50, 200)
QUICK_SECONDS: Final = 3.0
QUICK_WAITING: Final = 1000

MAX_AGENTS: Final = 5000
"""Names on one command line, and connections under the usual limit of open files."""
MAX_SECONDS: Final = 300.0
"""A longer run tells nothing more, and a benchmark must end."""
SPARE_FILES: Final = 200
"""Open files beside the connections."""
LOAD_LIMIT_S: Final = 180.0
"""Time for a load beyond its window: build-up, drain and leaving are each bounded too."""

Figures = TypeVar("Figures", Played, Wait)


def load(
    venue: VenueProcess,
    mode: Mode,
    tokens: tuple[str, ...],
    kind: type[Figures],
    *,
    seconds: float,
    seed: int,
    connections: int = 0,
) -> Figures:
    """Put one load on `venue`, in its own process; return what it measured. Raises VenueError."""
    order = Order(
        mode=mode,
        host=venue.host,
        port=venue.port,
        server_pid=venue.pid,
        tokens=tokens,
        seconds=seconds,
        seed=seed,
        connections=connections,
    )
    order_file, figures_file = (venue.folder / f"{mode}.{what}.json" for what in ("order", "figures"))
    order_file.write_bytes(msgspec.json.encode(order))
    order_file.chmod(0o600)
    command = [sys.executable, "-m", "bench.load", str(order_file), str(figures_file)]
    done = subprocess.run(command, cwd=ROOT, timeout=seconds + LOAD_LIMIT_S, check=False)
    venue.check_alive()
    if done.returncode:
        raise VenueError(f"the load {mode} of {venue.folder.name} could not be run")
    return msgspec.json.decode(figures_file.read_bytes(), type=kind)


class Bench:
    """One run, in its own temporary folder."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self._folder = folder
        self._seconds: float = options.seconds
        self._seed: int = options.seed
        self._profile: Path | None = options.profile
        self._native: bool = options.native

    def stage(self, agents: int) -> Stage:
        """Both playing loads with `agents` agents on a fresh venue, and the books afterwards."""
        with VenueProcess(self._fresh(f"agents-{agents}")) as venue:
            tokens = venue.mint([f"bench-{number}" for number in range(agents)])
            rejoin = self._load(venue, Mode.REJOIN, tokens, Played)
            reconnect = self._load(venue, Mode.RECONNECT, tokens, Played)
            peak = procfs.peak_kib(venue.pid)
            stop_exit = venue.stop()
        books = _books(venue, (rejoin, reconnect), stop_exit)
        return Stage(agents=agents, rejoin=rejoin.play, reconnect=reconnect.play, peak_rss_kib=peak, books=books)

    def wait(self, connections: int) -> Wait:
        """`connections` connections of one account on a fresh venue."""
        with VenueProcess(self._fresh("waiting")) as venue:
            tokens = venue.mint(["bench-waiting", "bench-nobody"])
            return self._load(venue, Mode.WAIT, tokens, Wait, connections)

    def _fresh(self, name: str) -> Path:
        folder = self._folder / name
        folder.mkdir()
        return folder

    def _load(
        self, venue: VenueProcess, mode: Mode, tokens: tuple[str, ...], kind: type[Figures], connections: int = 0
    ) -> Figures:
        """`load`, sampled if that was asked for."""
        with self._sampled(venue, mode):
            return load(venue, mode, tokens, kind, seconds=self._seconds, seed=self._seed, connections=connections)

    @contextlib.contextmanager
    def _sampled(self, venue: VenueProcess, mode: Mode) -> Iterator[None]:
        """Profile the venue meanwhile, if that was asked for."""
        if self._profile is None:
            yield
            return
        self._profile.mkdir(parents=True, exist_ok=True)
        folded = self._profile / f"{venue.folder.name}-{mode}.folded"
        with hotspots.Sampler(venue.pid, folded, native=self._native):
            yield
        summary = folded.with_suffix(".txt")
        summary.write_text(hotspots.summary(folded.read_text()))
        print(f"profile: {summary}", file=sys.stderr)


def _books(venue: VenueProcess, loads: tuple[Played, ...], stop_exit: int) -> Books:
    stored = venue.stored()
    told: dict[str, int] = {}
    for load in loads:
        told |= load.told
    abandoned = {match for load in loads for match in load.abandoned}
    both = {match for match, seats in told.items() if seats == 2}
    return Books(
        stored=len(stored),
        told=len(both),
        told_once=sum(seats == 1 for seats in told.values()),
        lost=sum(seats > 0 and match not in stored for match, seats in told.items()),
        untold=len((stored | told.keys()) - both - abandoned),
        abandoned=len(abandoned),
        rebuild_exit=venue.rebuild_check(),
        stop_exit=stop_exit,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python bench/venue.py",
        description="Measure the venue under load. Exits with 1 if a match was lost or the ratings do not agree.",
    )
    parser.add_argument("--agents", type=_count(2, MAX_AGENTS), nargs="+", metavar="N", help="agents (50 200 1000)")
    parser.add_argument("--seconds", type=_number(1, MAX_SECONDS), metavar="S", help="time measured in each mode (10)")
    parser.add_argument("--waiting", type=_count(0, 50_000), metavar="N", help="waiting connections (5000; 0: none)")
    parser.add_argument("--quick", action="store_true", help="50 and 200 agents, 3 s each, 1000 waiting connections")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the agents' moves (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there as JSON, too")
    parser.add_argument("--profile", type=Path, metavar="DIR", help="sample the venue with py-spy; summaries go there")
    parser.add_argument("--native", action="store_true", help="with --profile: follow the stacks into C")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder with data and logs")
    options = parser.parse_args()
    quick = options.quick
    if options.agents is None:
        options.agents = QUICK_AGENTS if quick else AGENTS
    if options.seconds is None:
        options.seconds = QUICK_SECONDS if quick else SECONDS
    if options.waiting is None:
        options.waiting = QUICK_WAITING if quick else WAITING
    return options


def _count(least: int, most: int) -> Any:
    """A parser of whole numbers from `least` to `most`, for argparse."""

    def parse(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value

    return parse


def _number(least: float, most: float) -> Any:
    """As `_count`, with fractions."""

    def parse(text: str) -> float:
        value = float(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value

    return parse


def _raise_file_limit(connections: int) -> None:
    """Let this process's children have a file for each connection. Raises VenueError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE_FILES
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise VenueError(f"{connections} connections need {wanted} open files and the limit is {hard}: ulimit -Hn")
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _run(options: argparse.Namespace, folder: Path) -> Report:
    """The whole run; each part is printed as it is done."""
    bench = Bench(folder, options)
    print(report.COLUMNS, flush=True)
    stages = []
    for agents in options.agents:
        stages.append(bench.stage(agents))
        print(report.stage_text(stages[-1]), flush=True)
    wait = bench.wait(options.waiting) if options.waiting else None
    return Report(
        machine=procfs.machine(),
        sync_ms=procfs.sync_ms(folder),
        uvloop=importlib.util.find_spec("uvloop") is not None,
        stages=tuple(stages),
        wait=wait,
    )


def _terminated(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)  # through the `with`s, so that the venue ends too


def main() -> int:
    """Run the benchmark; 0 when the books are clean, 1 when not, 2 when it could not be run."""
    options = _options()
    signal.signal(signal.SIGTERM, _terminated)
    folder = Path(tempfile.mkdtemp(prefix="agentbbs-bench-"))
    try:
        _raise_file_limit(max(*options.agents, options.waiting))
        found = _run(options, folder)
    except (VenueError, hotspots.NoSampler) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    finally:
        if options.keep:
            print(f"kept: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder)
    print("\n" + report.closing_text(found))
    if options.json is not None:
        everything = {"report": found, "aims": report.aims(found), "go_matches_per_s": report.GO_MATCHES_PER_S}
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(everything)) + b"\n")
    return 0 if all(stage.books.clean for stage in found.stages) else 1


if __name__ == "__main__":
    sys.exit(main())
