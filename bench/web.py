"""What pages cost: `python bench/web.py` (about five minutes, most of it to fill databases).

For each number of stored matches a database with 10,000 agents is filled (`web_fill.py`) and a venue opened on it as
a process of its own. Then pages of each kind are asked for at 100 requests/s (`web_load.py`): the ladder, on any of
its pages, with and without a search; agents, drawn by how much they play; matches, any of them. In the end 1,000
people watch one live match (`web_watchers.py`).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import web_load, web_watchers
from bench.procfs import cpu_seconds, machine
from bench.venue_process import VenueProcess
from bench.web_fill import AGENTS, agent_name, fill

from agentbbs.store import history
from agentbbs.store.database import Database

MATCHES: Final = (10_000, 100_000, 1_000_000)
PER_S: Final = 100.0
SECONDS: Final = 15.0
WATCHERS: Final = 1_000
PATHS_A_KIND: Final = 400
FOLD_LIMIT_S: Final = 300.0
"""A venue that opens on a million matches that it has not counted yet takes its time, once."""


def paths(folder: Path, seed: int = 1) -> dict[str, tuple[str, ...]]:
    """The addresses to ask for, by kind."""
    rng = random.Random(seed)
    weights = [1 / (number + 20) for number in range(AGENTS)]
    drawn = rng.choices(range(AGENTS), weights=weights, k=PATHS_A_KIND)
    with Database.in_folder(folder) as database, database.connect() as conn:
        newest = history.matches(conn, limit=1)[0].seq
        ids = [
            found[0].id
            for before in (rng.randrange(2, newest) for _ in range(PATHS_A_KIND))
            if (found := history.matches(conn, before_seq=before, limit=1))
        ]
    searches = tuple(f"/ladders/c4?q={agent_name(number)[6:9]}" for number in drawn[: PATHS_A_KIND // 4])
    pages = tuple(f"/ladders/{rng.choice(('c4', 'ttt'))}?page={rng.randrange(1, 100)}" for _ in range(PATHS_A_KIND))
    return {
        "ladder": pages + searches,
        "agent": tuple(f"/agents/{agent_name(number)}" for number in drawn),
        "match": tuple(f"/m/{match_id}" for match_id in ids),
    }


def _ask(script: Path, order: msgspec.Struct) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(script)], input=msgspec.json.encode(order), capture_output=True, check=True, timeout=900
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(folder: Path, per_s: float, seconds: float, watchers: int) -> dict[str, Any]:
    """All kinds of pages of one venue."""
    found: dict[str, Any] = {}
    asked = paths(folder)
    began = time.perf_counter()
    with VenueProcess(folder, start_limit_s=FOLD_LIMIT_S, AGENTBBS_WEB_ADDR="127.0.0.1:0") as venue:
        found["opened_s"] = round(time.perf_counter() - began, 2)
        host, _, port = json.loads((folder / "venue.json").read_bytes())["web"].rpartition(":")
        for kind, addresses in asked.items():
            before = cpu_seconds(venue.pid)
            order = web_load.Order(host, int(port), addresses, per_s, seconds)
            read = _ask(Path(web_load.__file__), order)
            requests = per_s * (seconds + web_load.WARM_S) + len(addresses)
            found[kind] = {**read, "cpu_ms_per_page": round(1000 * (cpu_seconds(venue.pid) - before) / requests, 2)}
            print(f"  {kind:7} {_shown(read)}  CPU {found[kind]['cpu_ms_per_page']} ms a page", file=sys.stderr)
        if watchers:
            tokens = venue.mint(["watched-one", "watched-other"])
            play = f"ws://{venue.host}:{venue.port}/play"
            order_to_watch = web_watchers.Order(play, host, int(port), (tokens[0], tokens[1]), watchers)
            found["watchers"] = _ask(Path(web_watchers.__file__), order_to_watch)
            print(f"  {found['watchers']}", file=sys.stderr)
    return found


def _shown(read: dict[str, Any]) -> str:
    first, latency = read["first"], read["latency"]
    return (
        f"first p50 {first['p50_ms']:5.1f} p99 {first['p99_ms']:6.1f} ms, then "
        f"p50 {latency['p50_ms']:6.1f} ms  p99 {latency['p99_ms']:6.1f} ms  max {latency['max_ms']:6.1f} ms  "
        f"{read['bytes_mean'] / 1000:.0f} kB  {read['faults'] or ''}"
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, nargs="+", default=MATCHES)
    parser.add_argument("--per-s", type=float, default=PER_S)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--watchers", type=int, default=WATCHERS)
    parser.add_argument("--keep", type=Path, help="fill databases below this folder once, and use those that are there")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    found: dict[str, Any] = {"machine": machine()}
    with tempfile.TemporaryDirectory(prefix="agentbbs-web-") as scratch:
        for number, matches in enumerate(asked.matches):
            folder = (asked.keep or Path(scratch)) / f"matches-{matches}"
            if not folder.exists():
                fill(folder, matches)
            print(f"{matches} matches", file=sys.stderr)
            last = number == len(asked.matches) - 1
            found[str(matches)] = measure(folder, asked.per_s, asked.seconds, asked.watchers if last else 0)
    print(json.dumps(found, indent=2))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
