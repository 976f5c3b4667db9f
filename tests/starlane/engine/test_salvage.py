"""Salvage: what a winner takes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from starlane.engine.salvage import salvage
from starlane.goods import CARGO, Good
from starlane.records import Pilot
from starlane.settings import MAX_AMOUNT

LOAD = st.integers(0, 60)


def ship(number: int, **fields: int) -> Pilot:
    return Pilot(id=number, key=f"name:{number}", name=f"Pilot {number}", sector=4).with_more(**fields)


def test_the_dearest_goods_go_first_into_the_room_that_there_is() -> None:
    winner, wreck, taken = salvage(ship(1, holds=10), ship(2, holds=60, tools=8, grain=10, ice=20, colonists=9))
    assert taken == {Good.TOOLS: 4, Good.GRAIN: 5, Good.ICE: 1}
    assert (winner.tools, winner.grain, winner.ice, winner.colonists) == (4, 5, 1, 0)
    assert (wreck.tools, wreck.grain, wreck.ice, wreck.colonists) == (4, 5, 19, 9)


def test_a_full_purse_takes_no_more() -> None:
    winner, wreck, taken = salvage(ship(1, credits=MAX_AMOUNT - 10), ship(2, credits=500))
    assert (winner.credits, wreck.credits, taken) == (MAX_AMOUNT, 490, {Good.CREDITS: 10})


@given(room=LOAD, purse=LOAD, loads=st.tuples(LOAD, LOAD, LOAD, LOAD))
def test_nothing_is_made_and_half_is_the_most(room: int, purse: int, loads: tuple[int, int, int, int]) -> None:
    before = ship(2, holds=sum(loads), credits=purse, **{g.value: n for g, n in zip(CARGO, loads, strict=True)})
    winner, wreck, taken = salvage(ship(1, holds=room), before)
    assert winner.free_holds() >= 0
    for good in (*CARGO, Good.CREDITS):
        assert winner.amount(good) == taken.get(good, 0) <= before.amount(good) // 2
        assert winner.amount(good) + wreck.amount(good) == before.amount(good)
