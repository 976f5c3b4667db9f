"""The seed and the journal are the world; and whatever pilots order, the books agree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.starlane.random_orders import GENEROUS, rich
from tests.starlane.worlds import change, enroll, hand_made, pilot, six_sectors, small_world

from starlane.orders import Jot
from starlane.universe.replay import differences, fingerprint
from starlane.universe.universe import Universe


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 150))
def test_any_orders_leave_a_sound_world_that_can_be_played_again(seed: int, count: int) -> None:
    with six_sectors(**GENEROUS) as universe:
        crowd = rich(universe, seed)
        for _ in range(count):
            crowd.order()
        assert universe.verify() == []
        assert differences(universe, hand_made()) == []


def test_a_made_world_is_played_again_from_its_settings(tmp_path: Path) -> None:
    with small_world(tmp_path / "u.db", **GENEROUS) as universe:
        crowd = rich(universe)
        for _ in range(400):
            crowd.order()
        assert crowd.carried_out.total() > 100
        assert universe.verify() == []
    with Universe.open(tmp_path / "u.db") as universe:
        assert differences(universe) == []


def test_the_same_orders_make_the_same_world() -> None:
    marks = []
    for seed in (1, 1, 2):
        with small_world(**GENEROUS) as universe:
            crowd = rich(universe, seed)
            for _ in range(60):
                crowd.order()
            marks.append(fingerprint(universe))
    assert marks[0] == marks[1] != marks[2]


def test_what_the_journal_does_not_know_is_found() -> None:
    with small_world() as universe:
        ada = enroll(universe, "ada")
        change(universe, pilot(universe, ada), kills=5)
        found = differences(universe)
        assert len(found) == 1
        assert found[0].startswith("pilot differs from the replay")


def test_an_order_that_can_not_be_given_again_is_found() -> None:
    with small_world() as universe:
        ada = enroll(universe, "ada")
        universe.perform(ada, Jot(body="x"))
        with universe.transaction() as world:
            world.connection.execute("UPDATE journal SET session = 9 WHERE seq = 2")
        assert differences(universe) == [
            "order 2 was carried out once and now is not: You have come aboard from elsewhere; this session is over."
        ]


@pytest.mark.slow
def test_a_long_game_is_sound_and_can_be_played_again() -> None:
    with small_world(sectors=60, **GENEROUS) as universe:
        crowd = rich(universe, 77)
        for number in range(20_000):
            crowd.order()
            if number % 500 == 0:
                assert universe.verify() == []
        assert differences(universe) == []
