"""What a day brings, and that nothing is made or lost by it but what the books say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.starlane.worlds import change, enroll, pilot, place, six_sectors

from starlane import orders
from starlane.engine.new_day import NEWS_DAYS, NOTICE_DAYS
from starlane.engine.refusal import Refused, Superseded
from starlane.engine.words import news, tell
from starlane.goods import Good
from starlane.orders import OPERATOR, Actor, NewDay, Order
from starlane.records import Bargain, Job, News, Notice, Planet, Port
from starlane.reports import Done
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


def get(universe: Universe, kind: type[Any], key: int) -> Any:
    with universe.look() as sky:
        return sky.get(kind, key)


def pass_days(universe: Universe, days: int) -> None:
    for _ in range(days):
        universe.perform(OPERATOR, NewDay())


def test_the_calendar_turns_and_bargains_and_presence_end(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    bargain = Bargain(
        pilot=ada.pilot, sector=1, good=Good.ICE, buying=True, quantity=1, fair=9, ask=10, reserve=8, patience=2
    )
    change(universe, bargain)

    assert universe.perform(OPERATOR, NewDay()) == Done(text="It is day 1.")

    assert get(universe, Bargain, ada.pilot) is None
    assert not pilot(universe, ada).aboard


def test_ports_sell_more_and_want_more(universe: Universe) -> None:
    haven = get(universe, Port, 1)  # buys ice, sells grain and tools; 500 of each at most
    change(universe, haven, ice_stock=500, grain_stock=0, tools_stock=495)

    pass_days(universe, 1)

    haven = get(universe, Port, 1)
    assert (haven.ice_stock, haven.grain_stock, haven.tools_stock) == (460, 40, 500)


def test_planets_harvest_and_grow(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    brine = get(universe, Planet, 1)
    change(universe, brine, owner=ada.pilot, colonists=1_000, grain=5, job=Job.GRAIN)

    pass_days(universe, 1)
    brine = get(universe, Planet, 1)
    assert (brine.grain, brine.colonists) == (125, 1_030)

    pass_days(universe, 60)
    brine = get(universe, Planet, 1)
    assert (brine.grain, brine.colonists) == (1_000, 2_500)


def test_planets_of_nobody_stay_as_they_are(universe: Universe) -> None:
    before = change(universe, get(universe, Planet, 1), colonists=500)

    pass_days(universe, 3)

    assert get(universe, Planet, 1) == before


def test_protection_ends_by_the_number_of_the_day(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    shielded = []
    for day in range(5):
        shielded.append(pilot(universe, ada).protected(day))
        pass_days(universe, 1)

    assert shielded == [True, True, True, False, False]


def test_old_words_go(universe: Universe) -> None:
    with universe.transaction() as world:
        tell(world, 77, "a notice")
        news(world, "a line")

    def left() -> tuple[int, int]:
        with universe.look() as sky:
            return sky.count(Notice, text="a notice"), sky.count(News, text="a line")

    pass_days(universe, NOTICE_DAYS)
    assert left() == (1, 1)
    pass_days(universe, 1)
    assert left() == (0, 1)
    pass_days(universe, NEWS_DAYS - NOTICE_DAYS - 1)
    assert left() == (0, 1)
    pass_days(universe, 1)
    assert left() == (0, 0)


# Nothing is made or lost but by the books

PILOTS = 4
_amounts = st.integers(-60, 60)
_numbers = st.integers(0, PILOTS + 1)
_texts = st.text(max_size=30)

pilot_orders: st.SearchStrategy[Order] = st.one_of(
    st.builds(orders.Land, planet=st.integers(1, 3)),
    st.builds(orders.LiftOff),
    st.builds(orders.Claim, name=_texts),
    st.builds(orders.Load, good=st.sampled_from(Good), amount=_amounts),
    st.builds(orders.Employ, job=st.sampled_from(Job)),
    st.builds(orders.Build),
    st.builds(orders.Write, to=_numbers, body=_texts),
    st.builds(orders.Burn, letter=_numbers),
    st.builds(orders.MarkRead, letter=_numbers),
    st.builds(orders.Broadcast, body=_texts),
    st.builds(orders.Jot, body=_texts),
    st.builds(orders.Strike, note=_numbers),
    st.builds(orders.Hear),
    st.builds(orders.Found, name=st.sampled_from(["The Ring", "The Fork"])),
    st.builds(orders.Invite, pilot=_numbers),
    st.builds(orders.Join, alliance=_numbers),
    st.builds(orders.Quit),
    st.builds(orders.Expel, pilot=_numbers),
)
"""Any order of planets, mail and alliances."""

moments = st.one_of(
    st.tuples(st.integers(1, PILOTS), pilot_orders),
    st.tuples(st.integers(1, PILOTS), pilot_orders),
    st.tuples(st.integers(1, PILOTS), pilot_orders),
    st.tuples(st.just(0), st.just(NewDay()) | st.builds(orders.GrantTurns, pilot=_numbers, turns=_amounts)),
)
"""An order and who gives it; 0 is the operator."""


def stage(universe: Universe) -> list[Actor]:
    """Pilots over the planets, rich enough that most orders can be carried out, with one planet settled."""
    cast = [OPERATOR, *(enroll(universe, f"P{number}") for number in range(PILOTS))]
    for actor in cast[1:]:
        place(universe, actor, sector=4, holds=100, ice=10, grain=10, tools=45, colonists=25, credits=9_000)
    change(universe, get(universe, Planet, 2), owner=cast[1].pilot, tools=200, colonists=900, grain=40, credits=50)
    place(universe, cast[1], planet=2)
    return cast


@settings(max_examples=40, deadline=None)
@given(st.lists(moments, min_size=1, max_size=40))
def test_whatever_is_ordered_the_books_agree(story: list[tuple[int, Order]]) -> None:
    with six_sectors() as universe:
        cast = stage(universe)
        for who, order in story:
            try:
                universe.perform(cast[who], order)
            except (Refused, Superseded):
                continue
            assert universe.verify() == [], order
