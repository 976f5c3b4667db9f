"""Which profile is active at a turn: an ordered table of what to look for in a fresh observation."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tty_agent.activity.activity import ActivityProfile
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation

DEFAULT_ROUTE = "default"
"""The name that traces give to the way that no route took."""


class Route(msgspec.Struct, frozen=True):
    """If `matches`, that profile."""

    name: str
    matches: Callable[[Observation, ObservationHints], bool]
    profile: ActivityProfile


class RouteSet(msgspec.Struct, frozen=True):
    """The first route that matches wins; where none does, the default profile is active."""

    name: str
    default: ActivityProfile
    routes: tuple[Route, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError where traces could not tell two routes or two profiles apart."""
        names = [DEFAULT_ROUTE, *(route.name for route in self.routes)]
        if len(set(names)) != len(names):
            raise ValueError(f"the route set {self.name!r} has two routes of one name; {DEFAULT_ROUTE!r} is taken")
        for profile in (route.profile for route in self.routes):
            if self.profiles()[profile.name] is not profile:
                raise ValueError(f"the route set {self.name!r} has two profiles with the name {profile.name!r}")

    def select(self, observation: Observation, hints: ObservationHints) -> tuple[ActivityProfile, str]:
        """The profile for this turn, and the name of the route that was taken."""
        for route in self.routes:
            if route.matches(observation, hints):
                return route.profile, route.name
        return self.default, DEFAULT_ROUTE

    def profiles(self) -> dict[str, ActivityProfile]:
        """Every profile that can be active, by name; the default, with which a run begins, first."""
        found = {self.default.name: self.default}
        for route in self.routes:
            found.setdefault(route.profile.name, route.profile)
        return found
