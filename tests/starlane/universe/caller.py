"""A process of its own that works on a universe: `python -m tests.starlane.universe.caller PATH WHAT NUMBER`.

It says `ready` and waits for a line before it starts, so that several start at once.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.starlane.random_orders import Crowd

from starlane.records import Pilot
from starlane.settings import Settings
from starlane.universe.universe import Universe


def increment(path: Path, times: int) -> None:
    """Read and write the same record, over and over."""
    with Universe.open(path) as universe:
        _start()
        for _ in range(times):
            with universe.transaction() as world:
                pilot = world.get(Pilot, 1)
                assert pilot is not None
                world.put(pilot.with_more(kills=1))


def play(path: Path, seed: int) -> None:
    """Give orders by chance for ever, as a pilot of one's own, and say so after each."""
    with Universe.open(path) as universe:
        _start()
        crowd = Crowd(universe, (f"pilot {seed}",), seed)
        while True:
            crowd.order()
            _say(crowd.carried_out.total())


def make(path: Path, seed: int) -> None:
    """Make a world, or open it if another was faster, and tell its seed."""
    _start()
    with Universe.open_or_make(path, Settings(seed=seed, sectors=40)) as universe:
        _say(universe.settings.seed)


def _say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def _start() -> None:
    _say("ready")
    sys.stdin.readline()


if __name__ == "__main__":
    {"increment": increment, "play": play, "make": make}[sys.argv[2]](Path(sys.argv[1]), int(sys.argv[3]))
