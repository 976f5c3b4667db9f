"""Ratings drawn: lines that stay inside, axes with round numbers, and the same in words."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.web.drawing.charts import (
    MOST_POINTS,
    UNITS,
    axis_ratings,
    rating_graph,
    said,
    sparkline,
    thinned,
    trend,
)

RATINGS = st.floats(-500, 4000, allow_subnormal=False)


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def line(svg: str) -> list[tuple[float, float]]:
    """The points of the one line."""
    found = next(one for one in drawn(svg).iter() if one.tag.endswith("polyline"))
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in found.attrib["points"].split())]


def labels(svg: str) -> list[str]:
    return [one.text or "" for one in drawn(svg).iter() if one.tag.endswith("text")]


@given(st.lists(RATINGS, min_size=2, max_size=25))
def test_a_sparkline_goes_from_edge_to_edge_and_stays_inside(ratings: list[float]) -> None:
    points = line(sparkline(tuple(ratings)))
    assert len(points) == len(ratings)
    assert (points[0][0], points[-1][0]) == (0, UNITS)
    assert all(0 <= y <= UNITS for _, y in points)


def test_a_sparkline_rises_with_the_rating() -> None:
    first, second, third = line(sparkline((1500, 1516, 1490)))
    assert second[1] < first[1] < third[1]


@pytest.mark.parametrize("ratings", [[], [1500.0]])
def test_there_is_no_line_without_two_ends(ratings: list[float]) -> None:
    assert sparkline(tuple(ratings)) == ""


def test_a_rating_that_hardly_moved_is_no_mountain() -> None:
    heights = [y for _, y in line(sparkline((1500, 1501, 1500)))]
    assert max(heights) - min(heights) < UNITS / 10


@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        ((1500.0, 1532.4), "+32"),
        ((1500.0, 1400.0, 1493.2), "-7"),
        ((1500.4, 1499.6), "±0"),
        ((1500.0,), "±0"),
        ((), ""),
    ],
)
def test_a_trend_in_words_is_the_difference_of_what_is_shown(ratings: tuple[float, ...], words: str) -> None:
    assert trend(ratings) == words


@given(RATINGS, RATINGS)
def test_the_axis_has_few_round_ratings_evenly_apart_around_all(one: float, other: float) -> None:
    low, high = sorted((one, other))
    axis = axis_ratings(low, high)
    assert 2 <= len(axis) <= 5
    assert axis[0] <= low <= high <= axis[-1]
    steps = {after - before for before, after in itertools.pairwise(axis)}
    assert len(steps) == 1
    assert str(steps.pop()).rstrip("0") in {"1", "2", "5"}


def test_the_axis_of_a_common_career() -> None:
    assert axis_ratings(1483.2, 1622.7) == (1450, 1500, 1550, 1600, 1650)
    assert axis_ratings(1500, 1500) == (1490, 1495, 1500, 1505, 1510)


@given(st.lists(RATINGS, min_size=1, max_size=60))
def test_a_graph_stays_inside_and_ends_at_the_newest_match(ratings: list[float]) -> None:
    points = line(rating_graph(list(enumerate(ratings, 1)), title="t"))
    assert all(0 <= x <= UNITS and 0 <= y <= UNITS for x, y in points)
    assert (points[0][0], points[-1][0]) == (0, UNITS)
    assert points == sorted(points, key=lambda point: point[0])


def test_a_graph_names_its_ends_and_its_ratings() -> None:
    svg = rating_graph([(1, 1516.0), (40, 1570.0), (200, 1533.0)], title="Rating of ada at Connect 4")
    assert labels(svg) == ["1500", "1520", "1540", "1560", "1580", "match 1", "match 200"]
    root = drawn(svg)
    assert root.attrib["role"] == "img"
    told = {child.tag: child.text for child in root if child.attrib.get("id")}
    assert told == {
        "title": "Rating of ada at Connect 4",
        "desc": "1516 after match 1, 1533 after match 200. Lowest 1516, after match 1; highest 1570, after match 40.",
    }


def test_a_thinned_career_keeps_its_places() -> None:
    points = line(rating_graph([(1, 1500.0), (50, 1510.0), (101, 1520.0)], title="t"))
    assert [x for x, _ in points] == [0, 490, UNITS]


def test_one_match_is_a_level_line() -> None:
    (first, last) = line(rating_graph([(1, 1516.0)], title="t"))
    assert first[1] == last[1]
    assert said([(1, 1516.0)]).startswith("1516 after match 1")


def test_a_title_is_text_and_nothing_else() -> None:
    svg = rating_graph([(1, 1500.0)], title="</title><script>alert(1)</script>\u202e\n")
    assert "<script" not in svg
    assert next(drawn(svg).iter("title")).text == "</title><script>alert(1)</script>\\u202e\\n"


def test_a_graph_of_all_points_is_light() -> None:
    marks = [(nth, 1500 + nth % 97) for nth in range(1, MOST_POINTS + 1)]
    assert len(rating_graph(marks, title="t").encode()) < 8 * 1024
    assert "style=" not in rating_graph(marks, title="t")


@given(st.integers(2, 30), st.integers(1, 400))
def test_thinned_marks_are_even_and_keep_both_ends(most: int, count: int) -> None:
    marks = [(nth, 1500.0) for nth in range(1, count + 1)]
    kept = thinned(marks, most)
    assert len(kept) == min(most, count)
    assert (kept[0], kept[-1]) == (marks[0], marks[-1])
    gaps = {after[0] - before[0] for before, after in itertools.pairwise(kept)}
    assert not gaps or max(gaps) - min(gaps) <= 1
