"""How ports recover."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.goods import TRADE_GOODS, Good
from starlane.records import Port
from starlane.rules.growth import growth


@st.composite
def ports(draw: st.DrawFn) -> Port:
    fields: dict[str, int | bool] = {}
    for good in TRADE_GOODS:
        size = draw(st.integers(1, 5_000))
        fields |= {
            f"{good}_sells": draw(st.booleans()), f"{good}_size": size, f"{good}_stock": draw(st.integers(0, size)),
        }  # fmt: skip
    return Port(sector=1, name="Quay", **fields)  # type: ignore[arg-type]  # sizes and stocks by name


@settings(max_examples=40, deadline=None)
@given(ports())
def test_every_port_is_whole_again_within_a_fortnight_if_it_is_left_alone(port: Port) -> None:
    for good in TRADE_GOODS:
        days = 0
        while port.open_for(good) < port.size(good):
            before = port.open_for(good)
            port = port.traded(good, growth(port, good))
            assert before < port.open_for(good) <= port.size(good)
            days += 1
        assert days <= 14 or port.size(good) < 200  # less than 1 unit is rounded down, which small ports feel
        assert growth(port, good) == 0


def test_a_port_recovers_eight_parts_in_a_hundred() -> None:
    port = Port(
        sector=1, name="Quay",
        ice_sells=True, ice_size=1_000, ice_stock=0,
        grain_sells=False, grain_size=1_000, grain_stock=1_000,
        tools_sells=True, tools_size=1_000, tools_stock=990,
    )  # fmt: skip

    assert [growth(port, good) for good in (Good.ICE, Good.GRAIN, Good.TOOLS)] == [80, -80, 10]
