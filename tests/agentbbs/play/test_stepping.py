"""Which screen a step leads to."""

from __future__ import annotations

import pytest

from agentbbs.play.stepping import Step, step


@pytest.mark.parametrize(
    ("at", "wanted", "leads_to"),
    [
        (0, Step.NEXT, 1),
        (9, Step.NEXT, 9),
        (1, Step.BACK, 0),
        (0, Step.BACK, 0),
        (5, Step.FIRST, 0),
        (5, Step.LAST, 9),
    ],
)
def test_a_step_stays_between_the_first_screen_and_the_last(at: int, wanted: Step, leads_to: int) -> None:
    assert step(at, wanted, 9) == leads_to
