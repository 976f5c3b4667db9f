"""What traders say: always a price in the standard form, never more than a line."""

from __future__ import annotations

import re

import pytest

from starlane.dice import Dice
from starlane.engine.patter import opening, price, reply
from starlane.goods import Good
from starlane.records import Bargain
from starlane.reports import Haggle
from starlane.rules.haggling import Answer, Mood
from starlane.settings import MAX_AMOUNT

MAX_LINE_CHARS = 160
"""Of what a report says."""


def _bargain(*, buying: bool, patience: int) -> Bargain:
    return Bargain(
        pilot=1,
        sector=2,
        good=Good.GRAIN,
        buying=buying,
        quantity=200,
        fair=MAX_AMOUNT,
        ask=MAX_AMOUNT,
        reserve=MAX_AMOUNT,
        patience=patience,
    )


@pytest.mark.parametrize(
    ("buying", "patience", "said"),
    [
        (True, 3, "We'll sell them for 1,000,000,000."),
        (False, 1, "We'll pay 1,000,000,000."),
        (True, 0, "Our last word: 1,000,000,000."),
    ],
)
def test_the_three_forms_of_a_price(buying: bool, patience: int, said: str) -> None:
    assert price(_bargain(buying=buying, patience=patience)) == said


@pytest.mark.parametrize("mood", Mood)
@pytest.mark.parametrize("state", Haggle)
def test_every_reply_is_one_plain_line_that_ends_as_its_state_does(mood: Mood, state: Haggle) -> None:
    bargain = _bargain(buying=True, patience=0 if state is Haggle.FINAL else 1)
    ends = {
        Haggle.OPEN: " Our patience wears thin. We'll sell them for 1,000,000,000.",
        Haggle.FINAL: " Our last word: 1,000,000,000.",
        Haggle.DEAL: " You have bought 200 grain for 1,000,000,000 credits.",
        Haggle.BROKEN: " This talk is over; no deal.",
    }
    for chance in range(20):
        line = reply(Dice(chance), Answer(state, mood, bargain))
        assert line.endswith(ends[state])
        assert re.fullmatch(rf"[ -~]{{1,{MAX_LINE_CHARS}}}", line)


def test_a_port_that_remembers_greets_otherwise() -> None:
    bargain = _bargain(buying=False, patience=3)
    fresh, again = ({opening(Dice(chance), bargain, spoilt) for chance in range(50)} for spoilt in (0, 1))
    assert len(fresh) > 2
    assert len(again) > 2
    assert not fresh & again
