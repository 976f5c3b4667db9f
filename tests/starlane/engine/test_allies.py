"""Who is a friend of whom."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.worlds import enroll, pilot, six_sectors

from starlane.engine.allies import allied
from starlane.orders import Actor, Found, Invite, Join
from starlane.records import NOBODY
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made


@pytest.fixture
def crew(universe: Universe) -> list[Actor]:
    """Ada and Bob, who are in one alliance, and Cat, who is not."""
    ada, bob, cat = (enroll(universe, name) for name in ("Ada", "Bob", "Cat"))
    universe.perform(ada, Found(name="The Ring"))
    universe.perform(ada, Invite(pilot=bob.pilot))
    universe.perform(bob, Join(alliance=pilot(universe, ada).alliance))
    return [ada, bob, cat]


def test_members_are_allied_and_others_are_not(universe: Universe, crew: list[Actor]) -> None:
    ada, bob, cat = (actor.pilot for actor in crew)
    with universe.look() as sky:
        assert allied(sky, ada, bob)
        assert allied(sky, cat, cat)
        assert not allied(sky, ada, cat)
        assert not allied(sky, cat, 99)
        assert not allied(sky, 98, 99)
        assert not allied(sky, NOBODY, NOBODY)


def test_pilots_of_no_alliance_are_not_allied(universe: Universe) -> None:
    one, other = enroll(universe, "Ada"), enroll(universe, "Bob")
    with universe.look() as sky:
        assert not allied(sky, one.pilot, other.pilot)
