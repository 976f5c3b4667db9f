"""Kills a loaded venue, again and again: `python bench/chaos.py`. Needs Linux, and the package.

Half of the agents play over WebSocket, half over SSH. At a random moment the venue gets SIGKILL; then its
database must hold every result that an agent was told, with the rating that it was told, each match once, and
the ladders must follow from the log. The next venue starts on the same data folder. Exit code 1 if any of it
is not so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import asyncssh

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.venue_process import VenueProcess

from agentbbs.client import MatchResult, Turn, Venue, VenueError, connect
from agentbbs.commands.ssh_carrier import dialler
from agentbbs.store import accounts, keys
from agentbbs.store.database import Database

AGENTS: Final = 16
"""Enough that matches end at every moment; half over SSH."""
LONGEST_LIFE_S: Final = 1.0
"""A venue is killed after 0 to so many seconds of play."""
FIRST_RESULT_LIMIT_S: Final = 30.0
"""The longest time until the load plays; a venue slower than this has failed."""

_STORED: Final = "SELECT id, name_0, name_1, winner, rating_after_0, rating_after_1 FROM game_matches"


class Loss(Exception):
    """What was told is not what is stored."""


class ChaoticVenue(VenueProcess):
    """A venue with both doors open, that can be killed."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        super().__init__(folder)
        self._environment |= {"AGENTBBS_SSH_ADDR": "127.0.0.1:0"}
        self.names = names
        self.tokens: dict[str, str] = {}

    @property
    def ssh(self) -> str:
        """`HOST:PORT` of `game@`."""
        return str(json.loads((self.folder / "venue.json").read_bytes())["ssh"])

    def kill(self) -> None:
        """SIGKILL: nothing is flushed, nobody is told."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def enrol(self) -> None:
        """An account with a token and a key for each agent; call it once, while the venue runs."""
        self.tokens = dict(zip(self.names, self.mint(self.names), strict=True))
        with Database.in_folder(self.folder) as database, database.begin() as conn:
            for name in self.names:
                key = asyncssh.generate_private_key("ssh-ed25519")
                key.write_private_key(self.key(name))
                public = keys.parse(key.export_public_key().decode())
                keys.add(conn, accounts.find(conn, name).id, public, now_ms=0)

    def key(self, name: str) -> Path:
        """The private key of an agent."""
        return self.folder / f"{name}.key"

    def trust(self) -> Path:
        """A known_hosts file for this venue's present address."""
        host, _, port = self.ssh.rpartition(":")
        public = asyncssh.read_private_key(self.folder / "ssh_host_ed25519_key").export_public_key().decode()
        path = self.folder / "known_hosts"
        path.write_text(f"[{host}]:{port} {public}")
        return path


class Told:
    """Every result that an agent was told."""

    def __init__(self) -> None:
        self.results: dict[tuple[str, str], MatchResult] = {}
        self.first = asyncio.Event()

    def add(self, name: str, result: MatchResult) -> None:
        self.results[result.match, name] = result
        self.first.set()


async def agent(dial: Venue, name: str, told: Told, rng: random.Random) -> None:
    """Play random ttt until the venue is gone."""

    async def choose(turn: Turn) -> str:
        return rng.choice(turn.legal)

    try:
        async with dial as venue:
            while True:
                told.add(name, await venue.play("ttt", choose))
    except VenueError:
        return


async def live_and_die(venue: ChaoticVenue, rng: random.Random) -> dict[tuple[str, str], MatchResult]:
    """One life of the venue under load; what it told."""
    told, trust = Told(), venue.trust()
    async with asyncio.TaskGroup() as group:
        for number, name in enumerate(venue.names):
            if number % 2:
                way = Venue(dialler(f"ssh://game@{venue.ssh}", venue.key(name), trust))
            else:
                way = connect(f"ws://{venue.host}:{venue.port}", token=venue.tokens[name])
            group.create_task(agent(way, name, told, random.Random(rng.random())))
        await asyncio.wait_for(told.first.wait(), FIRST_RESULT_LIMIT_S)
        await asyncio.sleep(rng.random() * LONGEST_LIFE_S)
        venue.kill()
    return told.results


def check(folder: Path, told: dict[tuple[str, str], MatchResult]) -> int:
    """How many matches are stored. Raises Loss if they are not what was told."""
    with closing(sqlite3.connect(folder / "agentbbs.db")) as database:
        rows = database.execute(_STORED).fetchall()
    stored = {row[0]: row for row in rows}
    if len(stored) != len(rows):
        raise Loss(f"{len(rows) - len(stored)} matches are stored twice")
    for (match, name), result in told.items():
        row = stored.get(match)
        if row is None:
            raise Loss(f"{name} was told of match {match}, which is not stored")
        seat = row[1:3].index(name)
        if (row[3], round(row[4 + seat])) != (result.winner, result.rating):
            raise Loss(f"{name} was told {result}, stored is {row}")
    return len(stored)


def run(kills: int, folder: Path, rng: random.Random) -> None:
    """All the lives. Raises Loss."""
    told: dict[tuple[str, str], MatchResult] = {}
    names = [f"chaos-{number:02}" for number in range(AGENTS)]
    venue = ChaoticVenue(folder, names)
    stored, started = 0, time.monotonic()
    for life in range(1, kills + 1):
        with venue:
            if not venue.tokens:
                venue.enrol()
            told |= asyncio.run(live_and_die(venue, rng))
        stored = check(folder, told)
        if venue.rebuild_check():
            raise Loss(f"the ladders do not follow from the log after kill {life}")
        ends = "\n" if life == kills or not sys.stderr.isatty() else "\r"
        sys.stderr.write(f"kill {life} of {kills}: {stored} stored, {len(told)} results told, all found{ends}")
        sys.stderr.flush()
    over_ssh = sum(names.index(name) % 2 for _, name in told)
    print(
        f"{kills} kills in {time.monotonic() - started:.0f} s: {stored} matches stored, {len(told)} results told "
        f"({over_ssh} over SSH), 0 lost, 0 twice, ladders right after each kill"
    )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python bench/chaos.py", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how often (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="makes the moments of the kills repeatable")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="agentbbs-chaos-"))
    try:
        run(options.kills, folder / "data", random.Random(options.seed))
    except Loss as loss:
        sys.stderr.write(f"\nlost: {loss}\nthe data is kept in {folder}\n")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
