"""Turns that the operator gives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.engine.refusal import Refused
from starlane.orders import OPERATOR, GrantTurns, Hear, NewDay
from starlane.reports import Done, Heard
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors(turns_per_day=250) as made:
        yield made


def test_a_pilot_gets_turns_while_aboard_and_hears_of_it(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    place(universe, ada, turns=3)
    universe.perform(ada, Hear())

    assert universe.perform(OPERATOR, GrantTurns(pilot=ada.pilot, turns=50)) == Done(text="Ada has 53 turns now.")

    assert pilot(universe, ada).turns == 53
    assert universe.perform(ada, Hear()) == Heard(texts=("The operator has given you 50 turns.",))


def test_turns_are_taken_down_to_none(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    universe.perform(ada, Hear())

    universe.perform(OPERATOR, GrantTurns(pilot=ada.pilot, turns=-1_000))
    universe.perform(OPERATOR, GrantTurns(pilot=ada.pilot, turns=-1))

    assert pilot(universe, ada).turns == 0
    assert universe.perform(ada, Hear()) == Heard(texts=("The operator has taken from you 250 turns.",))


def test_a_grant_before_the_first_order_of_a_day_comes_on_top_of_its_turns(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    place(universe, ada, turns=7)
    universe.perform(OPERATOR, NewDay())

    universe.perform(OPERATOR, GrantTurns(pilot=ada.pilot, turns=10))
    assert pilot(universe, ada).turns == 260

    universe.perform(ada, Hear())
    assert pilot(universe, ada).turns == 260


def test_only_pilots_get_turns_and_only_from_the_operator(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    with pytest.raises(Refused, match="no such pilot"):
        universe.perform(OPERATOR, GrantTurns(pilot=99, turns=1))
    with pytest.raises(Refused):
        universe.perform(ada, GrantTurns(pilot=ada.pilot, turns=1))
