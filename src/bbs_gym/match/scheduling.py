"""The scheduler of a match, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from bbs_gym.match.continuous import Continuous
from bbs_gym.match.rounds import Barrier, Race, Sequential
from bbs_gym.match.schedule import Progress, Rules, Schedule
from bbs_gym.match.settings import Scheduler

_SCHEDULERS: Final[Mapping[Scheduler, Callable[[Rules, Progress | None], Schedule]]] = MappingProxyType(
    {
        Scheduler.SEQUENTIAL: Sequential,
        Scheduler.PARALLEL_BARRIER: Barrier,
        Scheduler.PARALLEL_RACE: Race,
        Scheduler.CONTINUOUS: Continuous,
    }
)


def make_schedule(rules: Rules, progress: Progress | None = None) -> Schedule:
    """At its beginning, or where `progress` left it."""
    return _SCHEDULERS[rules.scheduler](rules, progress)
