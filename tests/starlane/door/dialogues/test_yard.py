"""The yard and the bank, by dialogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.door.dialogue import converse
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.door.dialogues.bridge import bridge
from starlane.orders import Actor
from starlane.universe.universe import Universe

ASKED = "Yard and bank (H/F/S/C/N/D/W/E, L=list, Q=leave, ?=help) [Q]?"


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as universe:
        yield universe


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return enroll(universe, "ada")


def test_every_counter(universe: Universe, ada: Actor) -> None:
    place(universe, ada, credits=10_000)
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |Y
        The yard and the bank at Haven, prices in credits
        {ASKED} |H
        All … that you can pay for cost … together.
        How many holds do you want (0-…) [0]? |5
        {ASKED} |F
        How many fighters do you want, 50 each (0-…) [0]? |10
        {ASKED} |S
        How many fighters do you want to sell (0-35) [0]? |35
        {ASKED} |S
        You have no fighters aboard to sell.
        {ASKED} |C
        How many colonists do you want, 8 each (0-25) [0]? |25
        {ASKED} |C
        You can't buy colonists: there is no room in your ship.
        {ASKED} |N
        Buy a scanner for 3,000 credits (Y/N) [N]? |Y
        {ASKED} |N
        You have a scanner; S at the command prompt uses it.
        {ASKED} |D
        How many credits do you pay in (0-…) [0]? |1000
        {ASKED} |W
        How many credits do you draw out (0-1000) [0]? |400
        {ASKED} |E
        How many turns do you work, for 5 credits each (0-250) [0]? |10
        {ASKED} |L
        Money    … credits aboard, 600 in the bank
        {ASKED} |?
        Yard and bank
        {ASKED} |Q
        Command (?=Help)? |
        """,
    )
    ship = pilot(universe, ada)
    assert ship.turns == 240
    assert (ship.holds, ship.fighters, ship.colonists, ship.scanner, ship.bank) == (25, 0, 25, True, 600)
    assert universe.verify() == []


def test_the_poor_and_the_full(universe: Universe, ada: Actor) -> None:
    place(universe, ada, credits=0, holds=200, turns=0)
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |Y
        {ASKED} |H
        Your ship has as many holds as it can take.
        {ASKED} |F
        You can't buy fighters: one costs 50 credits; you have 0.
        {ASKED} |N
        It costs 3,000 credits; you have 0.
        {ASKED} |D
        You have no credits aboard.
        {ASKED} |W
        You have no credits in the bank.
        {ASKED} |E
        You have no turns left today.
        {ASKED} |
        Command (?=Help)? |
        """,
    )


def test_elsewhere(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=3)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |Y
        The yard and the bank are at Haven, sector 1. Type 1 to fly there.
        Command (?=Help)? |
        """,
    )
