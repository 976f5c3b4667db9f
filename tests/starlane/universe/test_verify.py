"""A sound world has no faults, and each kind of fault is found."""

from __future__ import annotations

import pytest
from tests.starlane.worlds import enroll, six_sectors

from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Universe:
    made = six_sectors()
    enroll(made, "ada")
    enroll(made, "bob")
    return made


_FAULTS = [
    ("UPDATE pilot SET credits = credits + 1 WHERE id = 1", ["credits: 4001 are held, but the books have 4000"]),
    (
        "INSERT INTO picket VALUES (1, 1, 1, 'guard')",
        ["fighters: 91 are held, but the books have 90", "fighters are deployed in the safe sector 1"],
    ),
    ("UPDATE bargain SET sector = 4", []),
    ("UPDATE planet SET owner = 9 WHERE id = 2", ["planet 2: owner is 9, but there is no pilot 9"]),
    ("UPDATE pilot SET alliance = 3 WHERE id = 1", ["pilot 1: alliance is 3, but there is no alliance 3"]),
    ("UPDATE pilot SET planet = 1 WHERE id = 1", ["pilot 1 stands on a planet of another sector"]),
    (
        "UPDATE pilot SET sector = 4, planet = 1, docked = 1 WHERE id = 1",
        ["pilot 1 is docked where there is no port", "pilot 1 is docked and landed at once"],
    ),
    ("UPDATE pilot SET turns_day = 7 WHERE id = 1", ["pilot 1 has been given turns of a day to come"]),
    (
        "UPDATE pilot SET sectors_seen = 9 WHERE id = 1",
        ["pilot 1 has seen another number of sectors than it has visited"],
    ),
    ("UPDATE pilot SET key = 'name:ada'", ["2 pilots have the key 'name:ada'"]),
    ("INSERT INTO alliance VALUES (1, 'Red', 1, 0)", ["alliance 1 is led by pilot 1, who is not in it"]),
    ("UPDATE port SET ice_size = 400 WHERE sector = 5", ["port 5 has more ice than room for it"]),
    ("INSERT INTO letter VALUES (1, 0, 8, 0, 'hm', 0)", ["letter 1: reader is 8, but there is no pilot 8"]),
    ("DELETE FROM lane WHERE target = 6", ["1 sectors can't be reached from sector 1, among them sector 6"]),
    ("DELETE FROM lane WHERE source = 6", ["1 sectors can't be left for sector 1, among them sector 6"]),
    ("DELETE FROM journal WHERE seq = 1", ["the journal lacks the orders 1 to 1"]),
    ("UPDATE journal SET day = 2 WHERE seq = 2", ["the journal has come to day 2, but it is day 0"]),
    ("UPDATE journal SET day = 1 WHERE seq = 1", ["order 2 of the journal was given on day 0, after one of day 1"]),
]


@pytest.mark.parametrize(("change", "told"), _FAULTS, ids=[change for change, _ in _FAULTS])
def test_what_is_wrong_is_told(universe: Universe, change: str, told: list[str]) -> None:
    with universe:
        assert universe.verify() == []
        with universe.transaction() as world:
            world.connection.execute(change)
        assert universe.verify() == told


def test_a_line_that_is_no_order_is_told(universe: Universe) -> None:
    with universe:
        with universe.transaction() as world:
            world.connection.execute("""UPDATE journal SET instruction = '{"do":"dance"}' WHERE seq = 2""")
        (told,) = universe.verify()
        assert told.startswith("the journal has a line after order 1 that is no order: ")


def test_amounts_out_of_bounds_are_told(universe: Universe) -> None:
    with universe:
        with universe.transaction() as world:
            world.connection.execute("PRAGMA ignore_check_constraints = ON")
            world.connection.execute("UPDATE pilot SET ice = -5, grain = 30 WHERE id = 1")
        told = universe.verify()
        assert "pilot 1: ice is -5" in told
        assert "pilot 1 has more cargo than holds" in told
