"""Regions: every place in one, Haven's first and Thornhold's last."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.dice import Dice
from starlane.making.layout import Layout
from starlane.making.regions import PLACES_PER_REGION, divided
from starlane.settings import MIN_SECTORS


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(MIN_SECTORS, 300))
def test_every_place_is_in_one_region(seed: int, places: int) -> None:
    dice = Dice(seed)
    regions = divided(dice, Layout(dice, places).out(), 0, places - 1)
    assert sorted(place for region in regions for place in region) == list(range(places))
    assert len(regions) == max(2, places // PLACES_PER_REGION)
    assert all(regions)
    assert regions[0][0] == 0
    assert regions[-1][-1] == places - 1
