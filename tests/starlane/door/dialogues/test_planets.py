"""On planets, by dialogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.door.dialogue import converse
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.door.dialogues.bridge import bridge
from starlane.orders import Actor
from starlane.universe.universe import Universe

OWN = "Planet: Bring, Take, Job, Works, Show, Lift off, Quit (B/T/J/W/S/L/Q) [Q]?"
WILD = "Planet: Claim, Show, Lift off, Quit (C/S/L/Q) [Q]?"


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as universe:
        yield universe


@pytest.fixture
def ada(universe: Universe) -> Actor:
    ada = enroll(universe, "ada")
    place(universe, ada, sector=4, colonists=15)
    return ada


def test_a_planet_is_claimed_and_worked(universe: Universe, ada: Actor) -> None:
    place(universe, ada, credits=5000)
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |L
        1. Brine, ocean, nobody
        2. Cinder, ash, nobody
        Land on which, 0 for none (0-2) [0]? |1
        Brine, ocean planet in sector 4
        Owner    nobody
        {WILD} |C
        Settle all your 15 colonists here (Y/N) [Y]? |
        Name of the planet [Brine]: |Marrow
        {OWN} |B
        F=fighters, M=money.
        What to bring down (F/M, Enter=nothing)? |F
        How many fighters to bring down (0-25) [25]? |5
        You have left 5 fighters on Marrow, which has 5 now.
        {OWN} |B
        What to bring down (F/M, Enter=nothing)? |
        {OWN} |T
        C=colonists, F=fighters.
        What to take aboard (C/F, Enter=nothing)? |C
        How many colonists to take aboard (0-15) [15]? |1
        {OWN} |J
        What 1,000 colonists make a day here without works: I=ice …, G=grain …, T=tools …, F=fighters ….
        What shall they make (I/G/T/F) [G]? |T
        {OWN} |W
        Raise the works to level 1 for 2,000 credits and 40 tools here (Y/N) [N]? |Y
        That takes 40 tools on the planet, and 0 lie there.
        {OWN} |S
        Makes    tools, 0 the coming day
        {OWN} |?
        Planets
        {OWN} |Q
        Your ship stays on Marrow until you lift off or fly away.
        Command (?=Help)? |
        Landed   on Marrow
        Command (?=Help)? |L
        {OWN} |L
        You have lifted off from Marrow.
        Command (?=Help)? |
        """,
    )
    ship = pilot(universe, ada)
    assert (ship.turns, ship.colonists, ship.fighters) == (249, 1, 20)
    assert universe.verify() == []


def test_a_claim_takes_settlers(universe: Universe, ada: Actor) -> None:
    place(universe, ada, colonists=3)
    converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |L
        Land on which, 0 for none (0-2) [0]? |
        Command (?=Help)? |L
        Land on which, 0 for none (0-2) [0]? |1
        {WILD} |C
        A claim takes 10 colonists; you have 3. The yard at Haven has them.
        {WILD} |L
        Command (?=Help)? |
        """,
    )


def test_no_planet_here(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=1)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |L
        There is no planet in this sector.
        Command (?=Help)? |
        """,
    )


def test_the_longest_questions_fit_into_a_row(universe: Universe, ada: Actor) -> None:
    place(universe, ada, credits=50_000, ice=1, grain=1, tools=1)
    shown = converse(
        universe,
        ada,
        bridge,
        f"""
        Command (?=Help)? |L
        Land on which, 0 for none (0-2) [0]? |1
        {WILD} |C
        Settle all your 15 colonists here (Y/N) [Y]? |
        Name of the planet [Brine]: |
        {OWN} |B
        I=ice, G=grain, T=tools, F=fighters, M=money.
        What to bring down (I/G/T/F/M, Enter=nothing)? |
        {OWN} |W
        Raise the works to level 1 for 2,000 credits and 40 tools here (Y/N) [N]? |
        {OWN} |Q
        """,
    )
    assert all(len(line) < 80 for line in shown if "? " in line)
