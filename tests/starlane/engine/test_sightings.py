"""What pilots have seen: visits count once, glimpses not at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.engine.sightings import glimpse, has_visited, visit
from starlane.records import Seen
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        enroll(made, "Ada")
        place(made, 1, sector=5)
        yield made
        assert made.verify() == []


def test_a_visit_counts_once(universe: Universe) -> None:
    ada = pilot(universe, 1)
    with universe.transaction() as world:
        ada, first = visit(world, ada)
        again, second = visit(world, ada)
    assert (first, second) == (True, False)
    assert again == ada == pilot(universe, 1)
    assert ada.sectors_seen == 2


def test_a_glimpse_is_no_visit_and_does_not_undo_one(universe: Universe) -> None:
    ada = pilot(universe, 1)
    with universe.transaction() as world:
        for sector in (1, 5, 5):
            glimpse(world, ada, sector)
        assert [has_visited(world, ada, sector) for sector in (1, 5, 3)] == [True, False, False]
        assert visit(world, ada)[1]
        glimpse(world, ada, 5)
        assert has_visited(world, ada, 5)


def test_a_sighting_has_the_day_and_the_stock(universe: Universe) -> None:
    ada = pilot(universe, 1)
    with universe.transaction() as world:
        glimpse(world, ada, 4)
        world.next_day()
        glimpse(world, ada, 5)
        seen = {seen.sector: seen for seen in world.find(Seen, pilot=1)}
    assert (seen[4].day, seen[5].day) == (-1, 1)
    assert (seen[5].ice_stock, seen[5].grain_stock, seen[5].tools_stock) == (500, 500, 0)
