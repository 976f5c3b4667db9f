"""Flying, by dialogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.door.dialogue import converse
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.door.dialogues.bridge import bridge
from starlane.orders import Actor, Deploy
from starlane.records import Stance
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors(protected_days=0) as universe:
        yield universe


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return enroll(universe, "ada")


def picket(universe: Universe, sector: int, stance: Stance, fighters: int = 20) -> Actor:
    """A picket of Bea's there."""
    bea = enroll(universe, "bea")
    place(universe, bea, sector=sector, fighters=fighters + 1)
    universe.perform(bea, Deploy(fighters=fighters, stance=stance))
    place(universe, bea, sector=1)
    return bea


def test_a_number_flies_next_door(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |2
        Sector 2, Haven Reach, safe
        Lanes    1, (3)    () not visited
        You      249 turns, …
        Command (?=Help)? |
        Sector 2, Haven Reach, safe
        You      249 turns, …
        """,
    )


def test_m_asks_where_to(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |M
        Lanes lead to 2, 5. Any other sector takes several turns.
        Fly to sector (1-6)? |5
        Sector 5, the Briars
        Command (?=Help)? |M
        Fly to sector (1-6)? |
        Command (?=Help)? |
        """,
    )


def test_a_path_is_shown_and_flown_lane_by_lane(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |3
        Path: 1 > 2 > 3 (2 turns)
        Fly there (Y/N) [Y]? |N
        Command (?=Help)? |3
        Fly there (Y/N) [Y]? |
        Sector 2, Haven Reach, safe: port SBB
        Sector 3, Haven Reach
        You      248 turns, …
        Command (?=Help)? |
        """,
    )


def test_the_autopilot_stops_where_the_thorn_is(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=3)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |6
        Sector 6, the Briars
        Thorn    the thornship Bramble, 40 fighters
        Command (?=Help)? |1
        Path: 6 > 4 > 5 > 1 (3 turns)
        Fly there (Y/N) [Y]? |Y
        Sector 4, the Briars: 2 planets
        Sector 5, the Briars: port SSB
        Sector 1, …
        Command (?=Help)? |
        """,
    )
    place(universe, ada, sector=3)
    bea = enroll(universe, "bea")
    place(universe, bea, sector=4)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |5
        Fly there (Y/N) [Y]? |
        The autopilot stops in sector 4: another ship. Type 5 to fly on.
        Sector 4, the Briars
        Command (?=Help)? |
        """,
    )


def test_there_is_no_such_sector(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |7
        There is no sector 7; they are numbered from 1 to 6.
        Command (?=Help)? |0
        There is no sector 0; they are numbered from 1 to 6.
        Command (?=Help)? |1
        You are in sector 1 already.
        Command (?=Help)? |
        """,
    )


def test_without_turns_the_ship_stays(universe: Universe, ada: Actor) -> None:
    place(universe, ada, turns=0)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |2
        You have no turns left today; more come with the next day.
        Command (?=Help)? |3
        You have 0 turns left today; that does not get you there.
        Fly there (Y/N) [Y]? |
        You have no turns left today; more come with the next day.
        Command (?=Help)? |
        """,
    )


def test_a_toll_is_paid(universe: Universe, ada: Actor) -> None:
    bea = picket(universe, 4, Stance.TOLL)
    place(universe, ada, sector=3)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |4
        The way into sector 4 is barred by 20 fighters of bea; they let in whoever pays … credits.
        P=Pay, F=Force your way, S=Stay here (P/F/S) [S]? |
        Command (?=Help)? |4
        P=Pay, F=Force your way, S=Stay here (P/F/S) [S]? |P
        You pay … credits of toll.
        Sector 4, the Briars
        Picket   20 fighters of bea, toll 20
        Command (?=Help)? |
        """,
    )
    assert pilot(universe, ada).credits == 2000 - pilot(universe, bea).bank == 1980


def test_a_way_is_forced(universe: Universe, ada: Actor) -> None:
    picket(universe, 4, Stance.GUARD)
    place(universe, ada, sector=3, fighters=500)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |4
        The way into sector 4 is barred by 20 fighters of bea; they let nobody in.
        F=Force your way, S=Stay here (F/S) [S]? |F
        Fighters to send, 0 for none (0-500) [500]? |0
        Command (?=Help)? |4
        F=Force your way, S=Stay here (F/S) [S]? |F
        Fighters to send, 0 for none (0-500) [500]? |
        You sent 500 fighters against bea's picket and lost …; the other side lost 20.
        You won: nothing is left of the other side.
        Sector 4, the Briars
        Command (?=Help)? |
        """,
    )


def test_hunters_may_end_a_ship(universe: Universe, ada: Actor) -> None:
    picket(universe, 4, Stance.HUNT, fighters=5000)
    place(universe, ada, sector=3, fighters=0)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |4
        The way into sector 4 is barred by 5,000 fighters of bea; they hunt strangers.
        Your ship is destroyed. You start afresh at Haven.
        Sector 1, …
        *** Your ship was destroyed by the hunters of bea in sector 3. …
        Command (?=Help)? |
        """,
    )
    assert pilot(universe, ada).deaths == 1


def test_the_scanner(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |S
        You have no scanner. The yard at Haven, sector 1, sells one (keys Y, N).
        Command (?=Help)? |
        """,
    )
    place(universe, ada, scanner=True, sector=4)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |S
        The scanner shows the next sectors:
        3  Haven Reach: port BBS
        5  the Briars: port SSB
        6  the Briars: 1 planet, thornships with 40 fighters
        Command (?=Help)? |
        """,
    )


def test_the_airlock(universe: Universe, ada: Actor) -> None:
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |J
        Your holds are empty; there is nothing to jettison.
        Command (?=Help)? |
        """,
    )
    place(universe, ada, ice=10, colonists=5)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |J
        Jettison what, I=ice, C=colonists (Enter=nothing)? |
        Command (?=Help)? |J
        Jettison what, I=ice, C=colonists (Enter=nothing)? |I
        Units of ice to throw away, 0 for none (0-10) [0]? |4
        Command (?=Help)? |
        """,
    )
    assert pilot(universe, ada).ice == 6
