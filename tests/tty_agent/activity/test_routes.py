"""Routes: the first that matches, else the default."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from tests.tty_agent.trace_samples import an_observation

from tty_agent.activity.activity import ActivityProfile
from tty_agent.activity.profiles import SHELL, STABILITY_ONLY
from tty_agent.activity.routes import Route, RouteSet
from tty_agent.hints import ObservationHints, extract
from tty_agent.observation.observation import Observation


def shows(text: str) -> Callable[[Observation, ObservationHints], bool]:
    return lambda observation, hints: text in observation.pretty_screen


def named(name: str) -> ActivityProfile:
    return msgspec.structs.replace(STABILITY_ONLY, name=name)


TW2 = named("tw2-game")
ROUTES = RouteSet("tw2-auto", SHELL, (Route("game", shows("Sector"), TW2), Route("ship", shows("Ship"), named("ship"))))


@pytest.mark.parametrize(
    ("screen", "profile", "route"),
    [
        ("Main menu", "shell", "default"),
        ("Sector 42", "tw2-game", "game"),
        ("Ship in Sector 42", "tw2-game", "game"),
        ("Ship", "ship", "ship"),
    ],
)
def test_the_first_route_that_matches(screen: str, profile: str, route: str) -> None:
    observation = an_observation(pretty_screen=screen)
    selected, taken = ROUTES.select(observation, extract(observation))
    assert (selected.name, taken) == (profile, route)


def test_all_profiles_by_name() -> None:
    assert set(ROUTES.profiles()) == {"shell", "tw2-game", "ship"}
    assert next(iter(ROUTES.profiles())) == ROUTES.default.name


def test_two_routes_may_lead_to_one_profile() -> None:
    RouteSet("same", SHELL, (Route("a", shows("a"), TW2), Route("b", shows("b"), TW2), Route("c", shows("c"), SHELL)))


def test_names_are_unique() -> None:
    with pytest.raises(ValueError, match="two routes of one name"):
        RouteSet("twice", SHELL, (Route("a", shows("a"), TW2), Route("a", shows("b"), TW2)))
    with pytest.raises(ValueError, match="'default' is taken"):
        RouteSet("taken", SHELL, (Route("default", shows("a"), TW2),))
    with pytest.raises(ValueError, match="two profiles with the name 'shell'"):
        RouteSet("alike", SHELL, (Route("a", shows("a"), named("shell")),))
