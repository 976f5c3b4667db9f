"""The shape of worlds: what holds for the places before they have numbers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.dice import Dice
from starlane.making.layout import MAX_LANES_OUT, Layout, reached
from starlane.settings import MIN_SECTORS

seeds = st.integers(0, 2**64 - 1)


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(MIN_SECTORS, 200))
def test_two_way_lanes_alone_connect_all_places(seed: int, places: int) -> None:
    out = Layout(Dice(seed), places).out()
    both_ways = [tuple(target for target in out[place] if place in out[target]) for place in range(places)]
    assert len(out) == places
    assert len(reached(both_ways, [0])) == places
    assert all(1 <= len(targets) <= MAX_LANES_OUT for targets in out)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_no_one_way_lane_touches_haven(seed: int) -> None:
    out = Layout(Dice(seed), 60).out()
    assert set(out[0]) == {place for place, targets in enumerate(out) if 0 in targets}


def test_places_belong_to_the_centre_that_is_fewest_lanes_away() -> None:
    line = [(1,), (0, 2), (1, 3), (2, 4), (3,)]
    assert reached(line, [0, 4]) == {0: 0, 4: 4, 1: 0, 3: 4, 2: 0}
