"""Who may order what, and what a new day gives to whoever orders something on it."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.engine.perform import OPERATOR_HANDLERS, PILOT_HANDLERS
from starlane.engine.refusal import Refused, Superseded
from starlane.goods import Good
from starlane.orders import (
    OPERATOR,
    OPERATOR_ORDERS,
    PILOT_ORDERS,
    Actor,
    Broadcast,
    Enter,
    GrantTurns,
    Jettison,
    Jot,
    NewDay,
    Order,
    Waive,
)
from starlane.reports import Report


def test_every_order_is_somebodys_business_and_only_once() -> None:
    assert set(PILOT_HANDLERS) == set(PILOT_ORDERS) - {Enter}
    assert set(OPERATOR_HANDLERS) == {Enter, *OPERATOR_ORDERS}


@pytest.mark.parametrize("order", [*PILOT_HANDLERS, *OPERATOR_HANDLERS], ids=lambda order: order.__name__)
def test_a_handler_takes_its_order_and_reports(order: type[Order]) -> None:
    handler = {**PILOT_HANDLERS, **OPERATOR_HANDLERS}[order]
    hints = get_type_hints(handler)
    returned = hints.pop("return")
    assert order in hints.values()
    assert all(issubclass(report, Report) for report in get_args(returned) or (returned,))


def test_pilots_and_operator_keep_to_their_own_orders() -> None:
    with six_sectors() as universe:
        ada = enroll(universe, "ada")
        for order in (NewDay(), GrantTurns(pilot=1, turns=5), Enter(key="name:bob", name="bob")):
            with pytest.raises(Refused, match="Only the operator"):
                universe.perform(ada, order)
        with pytest.raises(Refused, match="Only a pilot"):
            universe.perform(OPERATOR, Waive())


def test_an_older_session_is_over_and_a_stranger_has_none() -> None:
    with six_sectors() as universe:
        old = enroll(universe, "ada")
        new = enroll(universe, "ada")
        assert new.pilot == old.pilot
        with pytest.raises(Superseded, match="this session is over"):
            universe.perform(old, Jot(body="still here"))
        universe.perform(new, Jot(body="here"))
        with pytest.raises(Refused, match="enter first"):
            universe.perform(Actor(99, 1), Jot(body="boo"))


def test_a_new_day_gives_turns_with_the_first_order_on_it() -> None:
    with six_sectors(turns_per_day=250) as universe:
        ada = enroll(universe, "ada")
        place(universe, ada, turns=3)
        universe.perform(ada, Jot(body="the same day"))
        assert pilot(universe, ada).turns == 3
        for _ in range(2):
            universe.perform(OPERATOR, NewDay())
        assert pilot(universe, ada).turns == 3
        universe.perform(ada, Jot(body="two days later"))
        assert (pilot(universe, ada).turns, pilot(universe, ada).turns_day) == (250, 2)


def test_who_plays_over_midnight_is_aboard_still() -> None:
    with six_sectors() as universe:
        ada = enroll(universe, "ada")
        universe.perform(OPERATOR, NewDay())
        universe.perform(ada, Broadcast(body="good morning"))
        assert pilot(universe, ada).aboard


def test_a_refused_order_gives_nothing() -> None:
    with six_sectors() as universe:
        ada = enroll(universe, "ada")
        place(universe, ada, turns=3)
        universe.perform(OPERATOR, NewDay())
        with pytest.raises(Refused):
            universe.perform(ada, Jettison(good=Good.ICE, amount=5))
        assert pilot(universe, ada).turns == 3
