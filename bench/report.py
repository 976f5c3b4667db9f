"""The figures as text, beside what was aimed at and beside the comparable server in Go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from bench.figures import Aim, Play, Report, Stage, Wait

AIM_AGENTS: Final = 200
"""The number of agents for which rates and most times are aimed at."""
CROWD_AGENTS: Final = 1000
"""The number of agents at which nothing may be lost."""
AIM_WAITING: Final = 5000
"""Waiting connections for which the memory of one is aimed at."""
GO_MATCHES_PER_S: Final = 192.0
"""The comparable server in Go, at 200 agents: a connection a match, five commits a match."""
TRUSTED_SHARE: Final = 0.05
"""CPU that others may take before the rates say more about the machine than about the venue."""


def aims(report: Report) -> tuple[Aim, ...]:
    """Every aim that the run has a figure for. A time is that of the slower of the two playing modes."""
    found: list[Aim] = []
    for stage in report.stages:
        round_trip = max(play.round_trip.p99_ms for play in (stage.rejoin, stage.reconnect))
        if stage.agents == AIM_AGENTS:
            result = max(play.last_move_to_result.p99_ms for play in (stage.rejoin, stage.reconnect))
            found += [
                Aim.of("matches/s, rejoining, 200 agents", stage.rejoin.matches_per_s, 2000, at_least=True),
                Aim.of("matches/s, reconnecting, 200 agents", stage.reconnect.matches_per_s, 600, at_least=True),
                Aim.of("round trip p99 in ms, 200 agents", round_trip, 25, at_least=False),
                Aim.of("last move to result p99 in ms, 200 agents", result, 40, at_least=False),
            ]
        if stage.agents == CROWD_AGENTS:
            found.append(Aim.of("round trip p99 in ms, 1,000 agents", round_trip, 80, at_least=False))
    if report.wait is not None and report.wait.connections == AIM_WAITING:
        found.append(Aim.of("KiB a waiting connection, 5,000 of them", report.wait.kib_each, 30, at_least=False))
    return tuple(found)


def stage_text(stage: Stage) -> str:
    """One stage, as lines under the columns of `COLUMNS`."""
    return "\n".join(_stage(stage))


COLUMNS: Final = (
    "agents  matches       a second   round trip ms        last move to result ms   CPU s per 1,000 matches\n"
    "                                  p50     p99          p50     p99              venue  its loop   load"
)


def closing_text(report: Report) -> str:
    """What comes after the stages: the waiting connections, the machine, the comparison."""
    return "\n".join(_closing(report))


def _closing(report: Report) -> Iterator[str]:
    if report.wait is not None:
        yield from _wait(report.wait)
        yield ""
    yield f"{report.machine}, {'uvloop' if report.uvloop else 'asyncio'}; 4 KiB to disk takes {report.sync_ms:.2f} ms"
    yield ""
    yield from _verdict(report)


def _stage(stage: Stage) -> Iterator[str]:
    for mode, play in (("rejoining", stage.rejoin), ("reconnecting", stage.reconnect)):
        yield _row(mode, play)
        yield from _remarks(play)
    books = stage.books
    yield (
        f"        peak RSS {stage.peak_rss_kib / 1024:,.0f} MiB; matches told {books.told:,}, stored {books.stored:,}, "
        f"lost {books.lost}, untold {books.untold}"
    )
    if books.told_once or books.abandoned:
        yield f"        told to one seat only {books.told_once}, abandoned by the load {books.abandoned}"
    yield f"        ratings rebuild --check: exit {books.rebuild_exit}; stop: exit {books.stop_exit}"


def _row(mode: str, play: Play) -> str:
    trip, result = play.round_trip, play.last_move_to_result
    return (
        f"{play.agents:6,}  {mode:12} {play.matches_per_s:9,.0f}   {trip.p50_ms:5.1f}  {trip.p99_ms:6.1f}"
        f"        {result.p50_ms:5.1f}  {result.p99_ms:6.1f}"
        f"           {play.venue_cpu_s_per_1000:6.3f}    {play.loop_cpu_s_per_1000:6.3f}"
        f"  {play.load_cpu_s_per_1000:5.3f}"
    )


def _remarks(play: Play) -> Iterator[str]:
    if play.others_share > TRUSTED_SHARE or play.stolen_share > TRUSTED_SHARE:
        yield (
            f"        the machine was not ours alone: others took {play.others_share:.0%} of it, "
            f"its host {play.stolen_share:.0%}"
        )
    yield from _faults(play.faults)


def _wait(wait: Wait) -> Iterator[str]:
    yield (
        f"{wait.connections:,} waiting connections: {wait.kib_each:.1f} KiB each, connected in {wait.connect_s:.1f} s "
        f"({wait.connect_cpu_s:.1f} s CPU), idle they take {wait.idle_cpu_share:.1%} of a core"
    )
    yield from _faults(wait.faults)


def _faults(faults: dict[str, int]) -> Iterable[str]:
    return (f"        {count} x {kind}" for kind, count in sorted(faults.items()))


def _verdict(report: Report) -> Iterator[str]:
    for aim in aims(report):
        sign = ">=" if aim.at_least else "<="
        met = "met" if aim.ratio >= 1 else "missed"
        yield f"{aim.what:44} {aim.figure:9,.1f}  aim {sign} {aim.bound:7,.0f}   {aim.ratio:5.2f} x  {met}"
    for stage in report.stages:
        if stage.agents == CROWD_AGENTS:
            lost = stage.books.lost + stage.books.untold
            yield f"{'matches lost or untold, 1,000 agents':44} {lost:9,}  aim    none              {_met(lost == 0)}"
        if stage.agents == AIM_AGENTS:
            yield (
                f"against {GO_MATCHES_PER_S:.0f} matches/s of the server in Go at 200 agents: "
                f"rejoining {stage.rejoin.matches_per_s / GO_MATCHES_PER_S:.1f} x, "
                f"reconnecting {stage.reconnect.matches_per_s / GO_MATCHES_PER_S:.1f} x"
            )


def _met(met: bool) -> str:  # noqa: FBT001 - a word for a truth value
    return "met" if met else "missed"
