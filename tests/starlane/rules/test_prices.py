"""What ports post."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starlane.goods import TRADE_GOODS, Good
from starlane.records import Port
from starlane.rules.prices import fair_at, fair_total, unit_price
from starlane.rules.worth import BASE

goods = st.sampled_from(TRADE_GOODS)


@pytest.mark.parametrize(
    ("sells", "stock", "tenths"), [(True, 500, 280), (True, 0, 440), (False, 0, 520), (False, 500, 360)]
)
def test_the_price_of_tools_from_full_to_empty(sells: bool, stock: int, tenths: int) -> None:
    assert unit_price(Good.TOOLS, sells=sells, stock=stock, size=500) == tenths


def test_a_price_is_rounded_for_the_port() -> None:
    assert unit_price(Good.ICE, sells=True, stock=1, size=300) == 110  # 109.87
    assert unit_price(Good.ICE, sells=False, stock=1, size=300) == 129  # 129.87


def test_the_whole_stock_costs_the_mean_of_both_ends() -> None:
    assert fair_total(Good.TOOLS, sells=True, stock=500, size=500, quantity=500) == 500 * 36
    assert fair_total(Good.TOOLS, sells=False, stock=0, size=500, quantity=500) == 500 * 44


@st.composite
def trades(draw: st.DrawFn) -> tuple[Good, bool, int, int, int]:
    """A good, whether the port sells it, its stock, its size, and a quantity that it can trade, at least 2."""
    size = draw(st.integers(2, 5_000))
    sells = draw(st.booleans())
    stock = draw(st.integers(2, size) if sells else st.integers(0, size - 2))
    most = stock if sells else size - stock
    return draw(goods), sells, stock, size, draw(st.integers(2, most))


@given(trades(), st.data())
def test_nothing_is_won_by_splitting_a_trade(trade: tuple[Good, bool, int, int, int], data: st.DataObject) -> None:
    good, sells, stock, size, quantity = trade
    first = data.draw(st.integers(1, quantity - 1))
    between = stock - first if sells else stock + first
    whole = fair_total(good, sells=sells, stock=stock, size=size, quantity=quantity)
    parts = fair_total(good, sells=sells, stock=stock, size=size, quantity=first) + fair_total(
        good, sells=sells, stock=between, size=size, quantity=quantity - first
    )
    lost = parts - whole if sells else whole - parts
    assert 0 <= lost <= 1


@given(trades())
def test_a_trade_lies_between_the_prices_before_and_after_it(trade: tuple[Good, bool, int, int, int]) -> None:
    good, sells, stock, size, quantity = trade
    after = stock - quantity if sells else stock + quantity
    ends = sorted(unit_price(good, sells=sells, stock=lies, size=size) for lies in (stock, after))
    total = 10 * fair_total(good, sells=sells, stock=stock, size=size, quantity=quantity)
    slack = quantity + 10  # tenths: each posted price is rounded, and the total to a credit
    assert ends[0] * quantity - slack <= total <= ends[1] * quantity + slack


@given(goods, st.integers(1, 5_000), st.data())
def test_prices_keep_their_bounds(good: Good, size: int, data: st.DataObject) -> None:
    stock = data.draw(st.integers(0, size))
    assert 7 * BASE[good] <= unit_price(good, sells=True, stock=stock, size=size) <= 11 * BASE[good]
    assert 9 * BASE[good] <= unit_price(good, sells=False, stock=stock, size=size) <= 13 * BASE[good]


def test_a_port_prices_by_its_own_stock() -> None:
    port = Port(
        sector=2,
        name="Lantern",
        ice_sells=True,
        ice_size=300,
        ice_stock=300,
        grain_sells=False,
        grain_size=300,
        grain_stock=0,
        tools_sells=False,
        tools_size=300,
        tools_stock=300,
    )
    assert fair_at(port, Good.ICE, 300) == 300 * 9
    assert fair_at(port, Good.GRAIN, 300) == 300 * 22
