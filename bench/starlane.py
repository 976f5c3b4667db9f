"""The benchmark of Starlane: `python bench/starlane.py [--quick] [--json FILE]`. Needs Linux, and the package.

1. The ladder: games on different seeds by bots of all levels, in process, as many at a time as there are cores. Levels
   must rank in order with intervals that do not overlap, and no seat may have an edge beyond chance.
2. The loop: the share of its winner's turns that lie in one repeated cycle; and games with a player that repeats the
   best two-port loop that it knows, which must lose.
3. The crowd: 64 callers of one universe file, through `Universe.perform` in 64 processes and through `starlane play` in
   64 terminals, at an even 300 commands a second in all and as fast as they are answered.
4. The start: from `starlane play` to its first prompt.

A game by bots that are nearly equal says nothing about levels, so that every line-up mixes them, and its seats are
turned from game to game. The same seeds give the same games.
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

# The folder of this file goes: in it the package `starlane` would be this file.
sys.path.pop(0)
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.starlane_callers import (
    FLAT_OUT_S,
    PACE_PER_S,
    PACED_S,
    STARTS,
    Load,
    Starts,
    new_universe,
    starts,
    through_perform,
    through_terminals,
)
from bench.starlane_figures import LevelFigures, SeatFigures, by_level, by_seat, ranked
from bench.starlane_games import (
    ADMIRAL,
    FIRST_SEED,
    LINE_UPS,
    LOOP,
    LOOP_LINE_UPS,
    RANDOM,
    TRADER,
    Played,
    games,
    play,
)

GAMES: Final = 200
QUICK_GAMES: Final = 10
LOOP_SHARE: Final = 5
"""One game with a looper for so many of the ladder."""
LOOP_SEEDS: Final = 500_000
"""Away from those of the ladder."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is measured."""

    games: int
    seconds: float
    ranks_in_order: bool
    levels: list[LevelFigures]
    seats: list[SeatFigures]
    seats_within_chance: bool
    loop_loses: bool
    with_looper: list[LevelFigures]
    loads: list[Load]
    starts: Starts | None


def played(count: int, line_ups: Sequence[tuple[str, ...]], first_seed: int, jobs: int) -> list[Played]:
    """Play games, some at a time; in the order of their seeds."""
    done: list[Played] = []
    with mp.get_context("fork").Pool(jobs) as pool:
        for each in pool.imap(play, games(count, line_ups, first_seed)):
            done.append(each)
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{len(done)} of {count} games ")
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    return done


def crowd(*, quick: bool) -> list[Load]:
    """The loads of 64 callers."""
    loads = []
    share = 3 if quick else 1
    for measure in (through_perform, through_terminals):
        for per_s, window_s in ((PACE_PER_S, PACED_S / share), (0, FLAT_OUT_S / share)):
            with tempfile.TemporaryDirectory() as folder:
                loads.append(measure(new_universe(Path(folder)), per_s, window_s))
    return loads


def measured(asked: argparse.Namespace) -> Figures:
    """Everything that is asked for."""
    begun = time.monotonic()
    loads, started = [], None
    if not asked.games_only:
        loads = crowd(quick=asked.quick)
        with tempfile.TemporaryDirectory() as folder:
            started = starts(new_universe(Path(folder)), STARTS // 4 if asked.quick else STARTS)
    ladder = played(asked.games, LINE_UPS, FIRST_SEED, asked.jobs)
    looped = played(max(asked.games // LOOP_SHARE, 2), LOOP_LINE_UPS, LOOP_SEEDS, asked.jobs)
    levels, seats, with_looper = by_level(ladder), by_seat(ladder), by_level(looped)
    return Figures(
        games=len(ladder),
        seconds=time.monotonic() - begun,
        ranks_in_order=ranked(levels, (RANDOM, TRADER, ADMIRAL)),
        levels=levels,
        seats=seats,
        seats_within_chance=all(row.low <= row.wins <= row.high for row in seats),
        loop_loses=ranked(with_looper, (LOOP, TRADER, ADMIRAL)),
        with_looper=with_looper,
        loads=loads,
        starts=started,
    )


def show(figures: Figures) -> None:
    """Print the tables."""
    for load in figures.loads:
        pace = f"at {load.asked_per_s:.0f}/s" if load.asked_per_s else "flat out"
        print(
            f"{load.callers} callers, {load.way:9} {pace:10} {load.commands_per_s:7.0f} commands/s"
            f"   median {load.median_ms:6.1f} ms   p99 {load.p99_ms:6.1f} ms   worst {load.worst_ms:6.1f} ms"
        )
    if figures.starts is not None:
        row = figures.starts
        print(f"start to first prompt, {row.runs} runs: median {row.median_ms:.0f} ms, worst {row.worst_ms:.0f} ms")
    _show_levels(f"the ladder, {figures.games} games", figures.levels)
    print(f"  levels rank in order, intervals apart: {_yes(told=figures.ranks_in_order)}\n")
    print(
        f"  {'seat':>4} {'games':>6} {'wins':>5} {'by chance':>10} {'95 % together':>15}   net worth over its level's"
    )
    for seat in figures.seats:
        edge = f"{seat.edge.mean:.3f} ({seat.edge.low:.3f} to {seat.edge.high:.3f})"
        chance = f"{seat.low} to {seat.high}"
        print(f"  {seat.seat:>4} {seat.games:>6} {seat.wins:>5} {seat.chance:>10.1f} {chance:>15}   {edge}")
    print(f"  no seat wins beyond chance: {_yes(told=figures.seats_within_chance)}")
    _show_levels("with a player that repeats one loop", figures.with_looper)
    print(f"  the loop loses to traders and admirals: {_yes(told=figures.loop_loses)}")
    print(f"{figures.seconds:.0f} s")


def _show_levels(title: str, rows: Sequence[LevelFigures]) -> None:
    print(
        f"\n{title}\n  {'player':8} {'games':>6} {'wins':>5} {'net worth':>10} {'95 %':>19}   one cycle's share of wins"
    )
    for row in rows:
        worth, shares = row.net_worth, f"{row.cycle_share:6.1%} (worst {row.worst_cycle_share:.1%})"
        apart = f"{worth.low:,.0f} to {worth.high:,.0f}"
        cycle = shares if row.wins else "-"
        print(f"  {row.player:8} {row.games:>6} {row.wins:>5} {worth.mean:>10,.0f} {apart:>19}   {cycle}")


def _yes(*, told: bool) -> str:
    return "yes" if told else "NO"


def main(argv: Sequence[str] | None = None) -> int:
    """Read the arguments, measure, print; the exit status is 1 if levels, seats or the loop are not as they must be."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example:\n  python bench/starlane.py --games 40 --games-only --json /tmp/starlane.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--games", type=int, metavar="N", help=f"of the ladder (default: {GAMES}; {QUICK_GAMES} quick)")
    parser.add_argument("--quick", action="store_true", help="few games, short windows: a look, no figures to keep")
    parser.add_argument("--games-only", action="store_true", help="no crowd, no starts")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="games at a time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    asked = parser.parse_args(argv)
    if asked.games is None:
        asked.games = QUICK_GAMES if asked.quick else GAMES
    figures = measured(asked)
    show(figures)
    if asked.json is not None:
        _write(asked.json, figures)
    return 0 if figures.ranks_in_order and figures.seats_within_chance and figures.loop_loses else 1


def _write(path: Path, figures: Any) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(figures)) + b"\n")


if __name__ == "__main__":
    sys.exit(main())
