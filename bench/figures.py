"""What the benchmark orders and what it measures: the values that pass between its processes and into the JSON."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec


class Mode(StrEnum):
    """How an agent goes from one match to the next, or that it never gets one."""

    REJOIN = "rejoin"
    """It sends `join` on the open connection."""
    RECONNECT = "reconnect"
    """It closes, and opens a new TCP connection and WebSocket with the game in the query."""
    WAIT = "wait"
    """All connections belong to one account, so they wait and never meet."""


class Order(msgspec.Struct, frozen=True):
    """One load to put on the venue at `host`:`port`, whose process is `server_pid`.

    In the playing modes each token is one agent. In `WAIT` the first token opens `connections` connections.
    """

    mode: Mode
    host: str
    port: int
    server_pid: int
    tokens: tuple[str, ...]
    seconds: float
    seed: int
    connections: int = 0


class Latency(msgspec.Struct, frozen=True):
    """Times in ms. `count` is how many were measured; all are 0 when none was."""

    count: int
    p50_ms: float
    p99_ms: float
    max_ms: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Latency:
        """The latency of samples in seconds, by nearest rank."""
        if not seconds:
            return cls(0, 0.0, 0.0, 0.0)
        ranked = sorted(seconds)
        last = len(ranked) - 1
        p50, p99 = ranked[round(last * 0.50)], ranked[round(last * 0.99)]
        return cls(len(ranked), p50 * 1000, p99 * 1000, ranked[last] * 1000)


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """What a playing load saw.

    All of it is of the window of `seconds` that begins when all agents are connected and settled, but for
    `faults`, which are of the whole load, from the first connection to the last.
    """

    agents: int
    seconds: float
    matches: float
    """Matches told in the window: results received, halved."""
    matches_per_s: float
    round_trip: Latency
    """From sending a move to reading the `state` that acknowledges it."""
    last_move_to_result: Latency
    """From sending the last move to reading `result`, at the seat that moved last. The commit is in it."""
    venue_cpu_s_per_1000: float
    """CPU seconds of the venue, all its threads, for 1,000 matches."""
    loop_cpu_s_per_1000: float
    """The part of it that its event loop's thread took: 1,000 over this is the most it could serve."""
    load_cpu_s_per_1000: float
    """CPU seconds of the load for 1,000 matches: 1,000 over this is the most it could drive."""
    others_share: float
    """Share of the machine's CPU that went to processes other than the venue and the load."""
    stolen_share: float
    """Share of the machine's CPU that its host gave to other machines."""
    faults: dict[str, int]
    """What should not have happened, by kind: refusals, drops, errors, forfeits, unrated results."""


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """A playing load's figures, with what it was told, match by match, over its whole length."""

    play: Play
    told: dict[str, int]
    """Match id to how many seats read its `result`; 0 where a seat read `hello` and no seat a `result`."""
    abandoned: tuple[str, ...]
    """Matches that were paired while the load was already leaving the queue: forfeits that it caused."""


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """What many waiting connections cost the venue."""

    connections: int
    kib_each: float
    """Growth of the venue's memory in RAM over the number of connections (the kernel's buffers not counted)."""
    connect_s: float
    """Time until every one of them was told that it is queued."""
    connect_cpu_s: float
    idle_cpu_share: float
    """Share of one core that the venue uses while all of them only wait."""
    faults: dict[str, int]


class Books(msgspec.Struct, frozen=True, kw_only=True):
    """Matches told compared, id by id, with matches stored, after the venue has stopped."""

    stored: int
    told: int
    """Matches whose `result` reached both seats."""
    told_once: int
    """Matches whose `result` reached one seat only."""
    lost: int
    """Matches of which some seat read a `result` and the database knows nothing. Must be 0."""
    untold: int
    """Matches begun or stored that did not reach both seats, less those that the load abandoned. Must be 0."""
    abandoned: int
    rebuild_exit: int
    """Exit code of `agentbbs ratings rebuild --check`: 0 when the ratings follow from the log."""
    stop_exit: int
    """Exit code of the venue after SIGTERM."""

    @property
    def clean(self) -> bool:
        """Nothing was lost and the ratings agree."""
        return self.lost == 0 and self.untold == 0 and self.rebuild_exit == 0 and self.stop_exit == 0


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """Both playing loads on one fresh venue."""

    agents: int
    rejoin: Play
    reconnect: Play
    peak_rss_kib: int
    books: Books


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run measured."""

    machine: str
    sync_ms: float
    uvloop: bool
    stages: tuple[Stage, ...]
    wait: Wait | None


class Aim(msgspec.Struct, frozen=True):
    """A figure and its bound; `at_least` says on which side of the bound it should be."""

    what: str
    figure: float
    bound: float
    at_least: bool
    ratio: float
    """How many times better than the bound; 1 or more is met."""

    @classmethod
    def of(cls, what: str, figure: float, bound: float, *, at_least: bool) -> Aim:
        """The aim with its ratio; a figure of 0 is no worse than a tiny one."""
        ratio = figure / bound if at_least else bound / max(figure, 1e-9)
        return cls(what, figure, bound, at_least, ratio)
