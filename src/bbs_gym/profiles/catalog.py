"""All profiles and route sets by name: the gym's own, those of any terminal, and a user's."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from bbs_gym.profiles.agentgames import AGENTGAMES_PRACTICE
from bbs_gym.profiles.bbs import BBS_PROFILES
from bbs_gym.profiles.boards import MESSAGE_BOARD
from bbs_gym.profiles.bre import BRE
from bbs_gym.profiles.chat import CHAT
from bbs_gym.profiles.routes import ROUTE_SETS
from bbs_gym.profiles.starlane import STARLANE_PROFILES
from bbs_gym.profiles.tele_arena import TELE_ARENA
from bbs_gym.profiles.tw2 import TW2_PROFILES
from tty_agent.activity.activity import ActivityProfile
from tty_agent.activity.profiles import GENERIC_PROFILES
from tty_agent.activity.routes import RouteSet
from tty_agent.terminal.inert import inert


class UnknownProfile(LookupError):
    """No profile, or no route set, has that name. The text names what is near, or all there are."""


class Catalog(msgspec.Struct, frozen=True):
    """Profiles and route sets by name."""

    profiles: Mapping[str, ActivityProfile]
    route_sets: Mapping[str, RouteSet]

    def profile(self, name: str) -> ActivityProfile:
        """The profile of that name. Raises UnknownProfile."""
        if name not in self.profiles:
            raise UnknownProfile(_missing("profile", name, self.profiles))
        return self.profiles[name]

    def route_set(self, name: str) -> RouteSet:
        """The route set of that name. Raises UnknownProfile."""
        if name not in self.route_sets:
            raise UnknownProfile(_missing("route set", name, self.route_sets))
        return self.route_sets[name]


GYM_PROFILES: Final = (
    *BBS_PROFILES,
    *TW2_PROFILES,
    BRE,
    TELE_ARENA,
    *STARLANE_PROFILES,
    AGENTGAMES_PRACTICE,
    MESSAGE_BOARD,
    CHAT,
)
"""Those of the gym, in the order in which they are listed."""

BUILT_IN: Final = Catalog(
    MappingProxyType(GENERIC_PROFILES | {profile.name: profile for profile in GYM_PROFILES}),
    MappingProxyType({routes.name: routes for routes in ROUTE_SETS}),
)


def profile(name: str) -> ActivityProfile:
    """The built-in profile of that name. Raises UnknownProfile."""
    return BUILT_IN.profile(name)


def route_set(name: str) -> RouteSet:
    """The built-in route set of that name. Raises UnknownProfile."""
    return BUILT_IN.route_set(name)


def _missing(kind: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    rest = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
    return f"there is no {kind} {inert(repr(name[:80]))}: {rest}"
