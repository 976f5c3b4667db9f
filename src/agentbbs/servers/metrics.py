"""The venue's numbers in Prometheus' text format, made when somebody asks and not before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from agentbbs.games.catalog import ids
from agentbbs.play.lobby import Lobby
from agentbbs.play.runner import Runner
from agentbbs.play.spectators import Audience
from agentbbs.play.tally import MOVE_MS_BOUNDS, Tally
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.errors import Code


class Commits(Protocol):
    """What the writer of finished matches counts."""

    commits: int
    committed_matches: int
    commit_seconds: float
    commit_failures: int
    largest_batch: int

    @property
    def pending(self) -> int:
        """Finished matches that are not committed yet."""
        ...


class Health(Protocol):
    """What the composition root knows of the whole."""

    @property
    def status(self) -> str:
        """`ok`, `stopping`, or `retrying` while finished matches can't be stored."""
        ...

    @property
    def tally(self) -> Tally:
        """What was counted of connections and matches."""
        ...

    @property
    def writer(self) -> Commits:
        """What was counted of commits."""
        ...


class _Venue(Collector):
    """Reads the counts of a running venue."""

    def __init__(self, health: Health, runner: Runner, lobby: Lobby, audience: Audience) -> None:
        self._health = health
        self._runner = runner
        self._lobby = lobby
        self._audience = audience

    def collect(self) -> Iterator[Metric]:
        yield from self._gauges()
        yield from self._counters()
        yield self._move_seconds()

    def _gauges(self) -> Iterator[Metric]:
        queue = GaugeMetricFamily("agentbbs_queue_length", "Connections that wait for an opponent.", labels=["game"])
        for game in ids():
            queue.add_metric([game], self._lobby.waiting(game))
        yield queue
        tally = self._health.tally
        yield GaugeMetricFamily("agentbbs_matches_live", "Matches that are on.", value=len(self._runner.live))
        yield GaugeMetricFamily("agentbbs_connections", "Open connections of agents.", value=tally.connections)
        yield _by_transport(
            GaugeMetricFamily("agentbbs_calls", "Callers of the hub.", labels=["transport"]), tally.calls
        )
        yield GaugeMetricFamily(
            "agentbbs_commit_batch_max", "Matches in the largest transaction.", value=self._health.writer.largest_batch
        )
        yield GaugeMetricFamily("agentbbs_spectators", "Onlookers of live matches.", value=self._audience.count())
        yield GaugeMetricFamily(
            "agentbbs_matches_unstored",
            "Finished matches that are not committed yet.",
            value=self._health.writer.pending,
        )

    def _counters(self) -> Iterator[Metric]:
        writer, tally = self._health.writer, self._health.tally
        yield CounterMetricFamily(
            "agentbbs_connections_opened", "Connections since the start.", value=tally.connections_total
        )
        calls = CounterMetricFamily("agentbbs_calls_opened", "Calls to the hub since the start.", labels=["transport"])
        yield _by_transport(calls, tally.calls_total)
        yield CounterMetricFamily("agentbbs_matches_begun", "Matches begun.", value=tally.matches_begun)
        ended = CounterMetricFamily("agentbbs_matches_ended", "Matches ended.", labels=["termination"])
        yield _by_kind(ended, Termination, tally.matches_ended)
        errors = CounterMetricFamily("agentbbs_errors", "Error messages sent to agents.", labels=["code"])
        yield _by_kind(errors, Code, tally.errors)
        yield CounterMetricFamily("agentbbs_late_moves", "Moves that came after their match.", value=tally.late_moves)
        yield CounterMetricFamily("agentbbs_commits", "Transactions of finished matches.", value=writer.commits)
        yield CounterMetricFamily("agentbbs_matches_committed", "Matches committed.", value=writer.committed_matches)
        yield CounterMetricFamily(
            "agentbbs_commit_seconds", "Time spent in those transactions.", value=writer.commit_seconds
        )
        yield CounterMetricFamily("agentbbs_commit_failures", "Transactions that failed.", value=writer.commit_failures)

    def _move_seconds(self) -> Metric:
        tally = self._health.tally
        buckets, total = [], 0
        for bound, count in zip(MOVE_MS_BOUNDS, tally.move_ms, strict=False):
            total += count
            buckets.append((str(bound / 1000), float(total)))
        buckets.append(("+Inf", float(tally.moves)))
        family = HistogramMetricFamily("agentbbs_move_seconds", "Time that agents took for an accepted move.")
        family.add_metric([], buckets, tally.move_ms_sum / 1000)
        return family


def _by_kind(family: CounterMetricFamily, kinds: Iterable[str], counts: Mapping[str, int]) -> Metric:
    """One count a kind from the start on, at 0: Prometheus sees no growth in a series that begins at 1."""
    for kind in kinds:
        family.add_metric([kind], counts.get(kind, 0))
    return family


def _by_transport(family: GaugeMetricFamily | CounterMetricFamily, counts: Mapping[str, int]) -> Metric:
    for transport, count in sorted(counts.items()):
        family.add_metric([transport], count)
    return family


def exposition(health: Health, runner: Runner, lobby: Lobby, audience: Audience) -> tuple[bytes, str]:
    """The body and the content type of an answer to a scrape."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Venue(health, runner, lobby, audience))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return generate_latest(registry), CONTENT_TYPE_LATEST
