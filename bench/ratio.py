"""How much of this machine the venue leaves to the agents: `python bench/ratio.py`.

The same load on the venue and on `bench/bare.py`, which says the same and does nothing else, in turns, so that
whatever else the machine does meets both. Prints the median of the rounds and the ratio.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.figures import Mode, Played
from bench.venue import load
from bench.venue_process import VenueError, VenueProcess

AGENTS: Final = 200
SECONDS: Final = 4.0


class BareServer(VenueProcess):
    """The yardstick as a process."""

    def _serve(self) -> list[str]:
        return [sys.executable, "-m", "bench.bare", str(self.folder)]

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._environment |= {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)}


def rate(venue: VenueProcess, mode: Mode, tokens: tuple[str, ...], seconds: float) -> float:
    """Matches a second in one window."""
    play = load(venue, mode, tokens, Played, seconds=seconds, seed=1).play
    return play.matches / play.seconds


def measure(folder: Path, rounds: int, seconds: float) -> dict[Mode, tuple[list[float], list[float]]]:
    """For each mode the rates of the bare server and of the venue, round by round."""
    modes = (Mode.REJOIN, Mode.RECONNECT)
    found: dict[Mode, tuple[list[float], list[float]]] = {mode: ([], []) for mode in modes}
    for turn in range(rounds):
        for which, kind in enumerate((BareServer, VenueProcess)):
            place = folder / f"{turn}-{kind.__name__}"
            place.mkdir()
            with kind(place) as venue:
                names = [f"bench-{number}" for number in range(AGENTS)]
                tokens = venue.mint(names) if kind is VenueProcess else tuple(names)
                for mode in modes:
                    found[mode][which].append(rate(venue, mode, tokens, seconds))
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
    return found


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python bench/ratio.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each (3)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"time measured in each mode ({SECONDS:g})")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="agentbbs-ratio-") as folder:
            found = measure(Path(folder), options.rounds, options.seconds)
    except VenueError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    print(f"matches a second, {AGENTS} agents, medians of {options.rounds} rounds in turns")
    for mode, (bare, venue) in found.items():
        nothing, all_of_it = median(bare), median(venue)
        print(f"{mode:<10} bare {nothing:6.0f}   venue {all_of_it:6.0f}   ratio {all_of_it / nothing:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
