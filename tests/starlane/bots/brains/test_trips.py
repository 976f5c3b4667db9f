"""The map that pilots keep, and what trade between two ports brings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from starlane.bots.brains.atlas import UNREACHED, Atlas, Berth, Stall, guessed_size
from starlane.bots.brains.trips import Means, priced, trips
from starlane.bots.helm import Charted
from starlane.goods import TRADE_GOODS, Good
from starlane.rules.prices import unit_price
from starlane.views import LaneView, PortLine

SIZES = st.integers(20, 200).map(lambda tens: tens * 10)


def row(sector: int, *lanes: int) -> Charted:
    return Charted(
        sector=sector, port_letters="", lanes=tuple(LaneView(to=to, seen=False, one_way=False) for to in lanes)
    )


@given(good=st.sampled_from(TRADE_GOODS), sells=st.booleans(), size=SIZES, share=st.integers(10, 100))
def test_the_size_of_a_port_follows_from_its_board(good: Good, sells: bool, size: int, share: int) -> None:
    open_for = size * share // 100
    stock = open_for if sells else size - open_for
    price = unit_price(good, sells=sells, stock=stock, size=size)
    guess = guessed_size(PortLine(good=good, sells=sells, open_for=open_for, size=0, unit_price=price))
    assert abs(guess - size) <= max(10, size * 30 // 100 if share < 40 else size * 8 // 100)


def berth(sector: int, letters: str, *, open_for: int, size: int = 500) -> Berth:
    return Berth(
        sector=sector,
        day=0,
        stalls={
            good: Stall(good=good, sells=letter == "S", open_for=open_for, size=size)
            for good, letter in zip(TRADE_GOODS, letters, strict=True)
        },
    )


@given(
    holds=st.integers(1, 200),
    money=st.integers(0, 9_000),
    here=st.integers(0, 500),
    there=st.integers(0, 500),
)
def test_a_trip_keeps_to_its_means_and_pays(holds: int, money: int, here: int, there: int) -> None:
    source, target = berth(1, "SSS", open_for=here), berth(2, "BBB", open_for=there)
    trip = priced(source, target, Means(sector=1, docked=True, holds=holds, credits=money), turns=2)
    if trip is None:
        return
    assert trip.gain > 0
    assert sum(lot.units for lot in trip.lots) <= holds
    cost = sum(source.stalls[lot.good].total(lot.units) for lot in trip.lots)
    assert cost <= money
    assert sum(target.stalls[lot.good].total(lot.units) for lot in trip.lots) - cost == trip.gain


def test_ways_go_by_known_lanes_around_those_who_bar_them() -> None:
    atlas = Atlas()
    atlas.study([row(1, 2, 3), row(2, 4), row(3, 5), row(5, 4), row(4, 1)])
    assert atlas.way(1, 4) == (2, 4)
    assert atlas.turns(4, 3) == 2
    atlas.bar(2)
    assert atlas.way(1, 4) == (3, 5, 4)
    assert atlas.turns(1, 2) == UNREACHED
    assert atlas.way(1, 9) == ()
    atlas.open_again()
    assert atlas.turns(1, 4) == 2


def test_trips_stay_within_reach() -> None:
    atlas = Atlas()
    atlas.study([row(1, 2), row(2, 1, 3), row(3, 2)])
    atlas.ports = {1: berth(1, "SBB", open_for=300), 3: berth(3, "BBS", open_for=300)}
    means = Means(sector=1, docked=True, holds=20, credits=2_000)
    assert [(trip.source, trip.target, trip.turns) for trip in trips(atlas, means, to_source=2, between=2)] == [
        (1, 3, 3),
        (3, 1, 6),
    ]
    assert not list(trips(atlas, means, to_source=2, between=1))
