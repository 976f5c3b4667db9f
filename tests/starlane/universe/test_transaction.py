"""A transaction is one piece: all of it, or nothing."""

from __future__ import annotations

import sqlite3
from contextlib import suppress

import msgspec
import pytest
from tests.starlane.worlds import enroll, pilot, six_sectors

from starlane.flows import Flow
from starlane.goods import Good
from starlane.records import FlowTotal, News, Picket, Pilot, Stance
from starlane.settings import MAX_AMOUNT


def test_what_raises_leaves_nothing_behind() -> None:
    with six_sectors() as universe:
        with universe.look() as sky:
            before = (sky.today, sky.find(FlowTotal), sky.find(News))
        with suppress(ZeroDivisionError), universe.transaction() as world:
            state = world.dice.state
            world.add(News(id=0, day=0, text="never"))
            world.flow(Flow.YARD, Good.TOOLS, 5)
            world.dice.below(6)
            world.next_day()
            raise ZeroDivisionError
        with universe.transaction() as world:
            assert (world.today, world.find(FlowTotal), world.find(News)) == before
            assert world.dice.state == state


def test_day_and_dice_are_kept() -> None:
    with six_sectors() as universe:
        states = set()
        for day in range(1, 5):
            with universe.transaction() as world:
                world.next_day()
                world.dice.below(6)
                state = world.dice.state
            with universe.transaction() as world:
                assert (world.today, world.dice.state) == (day, state)
            states.add(state)
        assert len(states) == 4


def test_numbers_given_are_never_given_again() -> None:
    with six_sectors() as universe, universe.transaction() as world:
        first = world.add(News(id=99, day=0, text="a"))
        second = world.add(News(id=0, day=0, text="b"))
        assert (first.id, second.id) == (1, 2)
        world.drop(second)
        assert world.add(News(id=0, day=0, text="c")).id == 3
        assert [line.text for line in world.find(News)] == ["a", "c"]


def test_a_kind_with_a_key_of_its_own_is_put() -> None:
    picket = Picket(sector=4, owner=1, fighters=5, stance=Stance.GUARD)
    with six_sectors() as universe, universe.transaction() as world:
        with pytest.raises(TypeError, match="Picket has a key of its own"):
            world.add(picket)
        world.put(picket)
        world.put(msgspec.structs.replace(picket, fighters=7))
        assert [kept.fighters for kept in world.find(Picket)] == [7]
        world.drop(picket)
        assert world.get(Picket, 4) is None


def test_flows_add_up_by_flow_and_good() -> None:
    with six_sectors() as universe, universe.transaction() as world:
        for amount in (5, -3, 0, 10):
            world.flow(Flow.JETTISON, Good.ICE, amount)
        world.flow(Flow.JETTISON, Good.GRAIN, 0)
        assert [(total.good, total.amount) for total in world.find(FlowTotal, flow=Flow.JETTISON)] == [(Good.ICE, 12)]


@pytest.mark.parametrize(
    "wrong", [{"credits": -1}, {"bank": MAX_AMOUNT + 1}, {"ice": 21}, {"grain": 15, "tools": 6}, {"turns": -1}], ids=str
)
def test_amounts_that_must_not_be_fail_the_whole_order(wrong: dict[str, int]) -> None:
    with six_sectors() as universe:
        ada = enroll(universe, "ada")
        before = pilot(universe, ada)
        with suppress(sqlite3.IntegrityError), universe.transaction() as world:
            world.add(News(id=0, day=0, text="never"))
            world.put(msgspec.structs.replace(before, **wrong))
            pytest.fail("it was kept")
        with universe.look() as sky:
            assert sky.get(Pilot, ada.pilot) == before
            assert sky.find(News, text="never") == []
