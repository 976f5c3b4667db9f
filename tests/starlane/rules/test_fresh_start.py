"""The fresh start: always a ship, never a gain."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from starlane.goods import Good
from starlane.records import Pilot
from starlane.rules.fresh_start import fresh_start
from starlane.rules.worth import COUNTS, cargo_worth, ship_worth
from starlane.settings import Settings

SETTINGS = Settings(seed=1)


def ship(**fields: Any) -> Pilot:
    return Pilot(id=1, key="name:ada", name="Ada", sector=9, **fields)


def test_a_wealthy_pilot_gets_the_whole_new_ship() -> None:
    start = fresh_start(SETTINGS, ship(holds=80, credits=9_000, tools=60, bank=55_555), shot_down=100)
    assert start.given == {Good.HOLDS: 20, Good.CREDITS: 1_000, Good.FIGHTERS: 25}
    assert start.fined == 5_555
    assert start.gone[Good.HOLDS] == 80
    assert start.gone[Good.TOOLS] == 60


def test_a_pilot_with_nothing_gets_a_ship_and_nothing_more() -> None:
    start = fresh_start(SETTINGS, ship(holds=20), shot_down=0)
    assert start.given == {Good.HOLDS: 20, Good.CREDITS: 0, Good.FIGHTERS: 0}


def test_credits_come_before_fighters() -> None:
    start = fresh_start(SETTINGS, ship(holds=20, credits=500), shot_down=30)
    assert start.given == {Good.HOLDS: 20, Good.CREDITS: 1_000, Good.FIGHTERS: 10}


@given(
    holds=st.integers(20, 200),
    purse=st.integers(0, 5_000),
    bank=st.integers(0, 20_000),
    tools=st.integers(0, 20),
    fighters=st.integers(0, 60),
    shot_down=st.integers(0, 60),
)
def test_the_new_ship_never_counts_for_more_than_what_was_lost(
    holds: int, purse: int, bank: int, tools: int, fighters: int, shot_down: int
) -> None:
    wreck = ship(holds=holds, credits=purse, bank=bank, tools=tools, fighters=fighters)
    start = fresh_start(SETTINGS, wreck, shot_down)
    new = ship(**{good.value: amount for good, amount in start.given.items()})
    before = ship_worth(wreck) + cargo_worth(wreck) + wreck.credits + shot_down * COUNTS[Good.FIGHTERS]
    assert ship_worth(new) + new.credits <= before + start.fined
    assert min(start.given.values()) >= 0
    assert new.holds == 20
