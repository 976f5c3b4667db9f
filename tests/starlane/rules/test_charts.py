"""The map: lanes out and shortest ways, against a search that tries them all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.records import Lane
from starlane.rules.charts import MAX_KEPT_TREES, Charts


def charts(ways: list[tuple[int, int]]) -> Charts:
    return Charts(Lane(id=id_, source=source, target=target) for id_, (source, target) in enumerate(ways, 1))


def test_lanes_are_in_order_and_one_way() -> None:
    chart = charts([(1, 9), (1, 2), (2, 1)])
    assert chart.out_of(1) == (2, 9)
    assert chart.out_of(9) == ()
    assert chart.out_of(77) == ()


@settings(max_examples=60, deadline=None)
@given(st.sets(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=14), st.integers(1, 5), st.integers(1, 5))
def test_a_way_is_the_first_of_the_shortest(ways: set[tuple[int, int]], source: int, target: int) -> None:
    chart = charts(sorted(ways, reverse=True))
    expected = _first_shortest(ways, source, target)
    if expected is None:
        with pytest.raises(LookupError):
            chart.path(source, target)
    else:
        assert chart.path(source, target) == expected
        assert chart.hops(source)[target] == len(expected)


def _first_shortest(ways: set[tuple[int, int]], source: int, target: int) -> tuple[int, ...] | None:
    """By trying all ways, one lane longer each round."""
    trails: list[tuple[int, ...]] = [()]
    for _ in range(6):
        there = [trail for trail in trails if (source, *trail)[-1] == target]
        if there:
            return min(there)
        trails = [(*trail, to) for trail in trails for at, to in sorted(ways) if at == (source, *trail)[-1]]
    return None


def test_a_detour_is_taken_where_the_straight_lane_leads_the_other_way() -> None:
    chart = charts([(2, 1), (1, 3), (3, 4), (4, 2)])
    assert chart.path(1, 2) == (3, 4, 2)
    assert chart.path(2, 1) == (1,)
    assert chart.path(3, 3) == ()


def test_answers_stay_right_when_more_trees_are_asked_for_than_are_kept() -> None:
    count = MAX_KEPT_TREES * 2
    chart = charts([(at, at % count + 1) for at in range(1, count + 1)])
    for _ in range(2):
        assert all(chart.path(at, at % count + 1) == (at % count + 1,) for at in range(1, count + 1))


def test_hops_count_lanes_the_nearest_first() -> None:
    hops = charts([(1, 2), (2, 3), (1, 3), (3, 4)]).hops(1)
    assert list(hops.items()) == [(1, 0), (2, 1), (3, 1), (4, 2)]
