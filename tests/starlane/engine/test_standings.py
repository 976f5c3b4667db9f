"""Standings: net worth is the sum of its parts, and ranks follow from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.engine.front import ally, fighter_pilot, settle, station
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.engine.standings import net_worth, ranking, scores
from starlane.orders import OPERATOR, Actor, NewDay
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made


@pytest.fixture
def ada(universe: Universe) -> Actor:
    """A pilot who owns something of everything."""
    actor = fighter_pilot(universe, "Ada", ice=5, colonists=2, bank=900, scanner=True)
    station(universe, actor, 4, 40)
    station(universe, actor, 6, 2)
    settle(universe, actor, 1, works=2, fighters=7, credits=11, grain=30)
    return actor


def test_the_parts_add_up_to_the_net_worth(universe: Universe, ada: Actor) -> None:
    enroll(universe, "Bob")
    owner = pilot(universe, ada)
    with universe.look() as sky:
        lines = {line.name: line for line in scores(sky)}
        assert lines["Ada"].net_worth == net_worth(sky, owner)
    for line in lines.values():
        parts = line.ship + line.credits + line.bank + line.cargo + line.pickets + line.planets
        assert line.net_worth == parts
    own = lines["Ada"]
    assert all((own.ship, own.credits, own.bank, own.cargo, own.pickets, own.planets))
    assert (lines["Bob"].pickets, lines["Bob"].planets) == (0, 0)


def test_the_richest_comes_first_and_equals_share_a_rank(universe: Universe, ada: Actor) -> None:
    for name in ("Bob", "Cyd", "Dot"):
        enroll(universe, name)
    place(universe, 4, credits=1)
    with universe.look() as sky:
        lines = ranking(sky)
    assert [(line.rank, line.name) for line in lines] == [(1, "Ada"), (2, "Bob"), (2, "Cyd"), (4, "Dot")]
    assert lines[0].pilot == ada.pilot


def test_scores_tell_alliance_and_turns_of_today(universe: Universe, ada: Actor) -> None:
    ally(universe, ada, enroll(universe, "Bob"))
    place(universe, ada, turns=3, kills=2, thorns=1, deaths=4)
    with universe.look() as sky:
        line = scores(sky)[0]
    assert (line.alliance, line.key, line.turns, line.day) == ("The Ring", "name:Ada", 3, 0)
    assert (line.kills, line.thorns, line.deaths, line.sectors_seen) == (2, 1, 4, 1)
    universe.perform(OPERATOR, NewDay())
    with universe.look() as sky:
        assert {line.turns for line in scores(sky)} == {250}


def test_an_empty_world_has_no_standings(universe: Universe) -> None:
    with universe.look() as sky:
        assert ranking(sky) == ()
        assert scores(sky) == ()
