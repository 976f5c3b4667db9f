"""The price list of the yard."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from starlane.rules.yard import affordable_holds, hold_price, holds_price
from starlane.settings import MAX_HOLDS


def test_each_hold_costs_more_than_the_one_before() -> None:
    assert [hold_price(holds) for holds in (0, 20, 100)] == [60, 300, 1_260]


@given(st.integers(0, MAX_HOLDS), st.integers(0, MAX_HOLDS))
def test_many_holds_cost_what_they_cost_one_by_one(holds: int, more: int) -> None:
    assert holds_price(holds, more) == sum(hold_price(each) for each in range(holds, holds + more))


@given(st.integers(0, MAX_HOLDS), st.integers(0, 300_000))
def test_what_is_affordable_can_be_paid_and_one_more_can_not(holds: int, purse: int) -> None:
    room = MAX_HOLDS - holds
    more = affordable_holds(holds, purse, room)
    assert holds_price(holds, more) <= purse
    assert more == room or holds_price(holds, more + 1) > purse
