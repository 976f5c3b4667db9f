"""What a run used up, as it is drawn."""

from __future__ import annotations

import math
import re

import pytest

from agentbbs.web.drawing.run_charts import UNITS, Series, bar, course, whisker

from .html import valid_fragment


def say(value: float) -> str:
    return f"{value:g}"


def test_each_agent_has_a_line_from_the_first_decision_to_its_last() -> None:
    chart = course("Tokens", [Series("ann", [(1, 0), (5, 50)]), Series("bob", [(1, 10), (3, 100)])], say)
    svg = valid_fragment(chart).all("svg")[0]
    assert svg.get("aria-label") == "Tokens: ann 50; bob 100"
    assert re.findall(r'class="line (s\d)" points="([^"]+)"', chart) == [
        ("s0", f"0,{UNITS} {UNITS},500"),
        ("s1", "0,900 500,0"),
    ]
    assert "decision 5" in chart
    assert re.findall(r'text-anchor="end">(\d+)<', chart) == ["0", "50", "100"]


@pytest.mark.parametrize("most", [1e-6, 0.004, 0.9999999, 1, 3, 7, 999, 1e12, 1e300])
def test_the_axis_has_round_marks_and_ends_above_every_value(most: float) -> None:
    chart = course("Cost", [Series("ann", [(1, 0), (2, most)])], repr)
    marks = [float(text) for text in re.findall(r'text-anchor="end">([^<d]+)<', chart)]
    assert marks[-1] >= most
    assert 2 <= len(marks) <= 6
    assert all(0 <= int(y) <= UNITS for y in re.findall(r",(-?\d+)", chart.split("points=")[1]))


@pytest.mark.parametrize("points", [[], [(1, 5)], [(1, 0), (2, 0)], [(1, math.nan), (2, math.inf)]])
def test_what_has_no_course_is_not_drawn(points: list[tuple[int, float]]) -> None:
    assert course("Tokens", [Series("ann", points)], say) == ""


def test_names_are_escaped_and_inert() -> None:
    chart = course("<b>", [Series('"><script>\u202e', [(1, 0), (2, 3)])], say)
    valid_fragment(chart)
    assert "<script" not in chart
    assert "\u202e" not in chart


def test_a_bar_begins_at_nought_on_either_side() -> None:
    assert 'x="0" width="500"' in bar(5, 0, 10)
    assert 'x="500" width="250"' in bar(5, -10, 10)
    assert 'x="250" width="250"' in bar(-5, -10, 10)
    assert bar(0, 0, 0) == bar(math.nan, 0, 1) == bar(1, 0, math.inf) == ""


def test_an_interval_has_its_mean_within() -> None:
    drawn = whisker(4, 5, 6, (0, 10))
    assert 'x="400" width="200"' in drawn
    assert "M500 0v10" in drawn
    assert whisker(1, 1, 1, (1, 1)) == ""
