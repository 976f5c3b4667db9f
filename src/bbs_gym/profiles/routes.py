"""Route sets: which profile is active follows what waits for input, by the live row of the screen alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bbs_gym.profiles.bbs import BBS_DOOR_SAFE
from bbs_gym.profiles.starlane import STARLANE_ENTRY, STARLANE_GAME
from bbs_gym.profiles.tw2 import TW2_ENTRY, TW2_GAME
from bbs_gym.readers.live_screen import of_turn
from bbs_gym.reading import STARLANE, TW2, live_game
from tty_agent.activity.routes import Route, RouteSet
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation


def in_game(game: str, *, alone: bool = True) -> Callable[[Observation, ObservationHints], bool]:
    """A route's check: that game waits for input. `alone` as of `bbs_gym.reading.live_game`."""

    def matches(observation: Observation, hints: ObservationHints) -> bool:
        return live_game(of_turn(observation, hints), game, alone=alone)

    return matches


TW2_AUTO: Final = RouteSet("tw2-auto", default=TW2_ENTRY, routes=(Route("tw2-detected", in_game(TW2), TW2_GAME),))

BBS_AUTO: Final = RouteSet(
    "bbs-auto", default=BBS_DOOR_SAFE, routes=(Route("tw2-detected", in_game(TW2, alone=False), TW2_GAME),)
)

STARLANE_AUTO: Final = RouteSet(
    "starlane-auto",
    default=STARLANE_ENTRY,
    routes=(Route("starlane-detected", in_game(STARLANE), STARLANE_GAME),),
)

ROUTE_SETS: Final = (TW2_AUTO, BBS_AUTO, STARLANE_AUTO)
