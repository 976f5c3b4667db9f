"""Attacks and pickets, by dialogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.door.dialogue import converse
from tests.starlane.worlds import change, enroll, pilot, place, six_sectors

from starlane.door.dialogues.bridge import bridge
from starlane.orders import Actor
from starlane.records import Picket, Planet, Stance
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors(protected_days=0) as universe:
        yield universe


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return enroll(universe, "ada")


def test_there_may_be_nothing_to_attack(universe: Universe, ada: Actor) -> None:
    script = """
        Command (?=Help)? |A
        This sector is safe: the Haven Watch lets nobody fight here.
        Command (?=Help)? |
        """
    converse(universe, ada, bridge, script)
    place(universe, ada, sector=5)
    script = """
        Command (?=Help)? |A
        There is nobody here to attack. A picket that bars the way into a sector is fought by flying there.
        Command (?=Help)? |
        """
    converse(universe, ada, bridge, script)
    place(universe, ada, sector=6, fighters=0)
    script = """
        Command (?=Help)? |A
        You have no fighters aboard. The yard at Haven, sector 1, sells them.
        Command (?=Help)? |
        """
    converse(universe, ada, bridge, script)


def test_a_thornship_is_shot_down(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=6, fighters=1000)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |A
        1. the thornship Bramble, 40 fighters
        Attack which, 0 for none (0-1) [1]? |
        Fighters to send, 0 for none (0-1000) [1000]? |
        You sent 1,000 fighters against the thornship Bramble and lost …; the other side lost 40.
        You won: nothing is left of the other side.
        You take 700 credits (700 of the credits as bounty or reward).
        Sector 6, the Briars
        Command (?=Help)? |
        """,
    )


def test_who_can_be_attacked_is_listed(universe: Universe, ada: Actor) -> None:
    bea = enroll(universe, "bea")
    place(universe, bea, sector=4, fighters=3, credits=500)
    place(universe, ada, sector=4, fighters=100)
    with universe.look() as sky:
        brine = sky.get(Planet, 1)
    assert brine is not None
    change(universe, brine, owner=bea.pilot, fighters=9, colonists=50)
    change(universe, Picket(sector=4, owner=bea.pilot, fighters=0, stance=Stance.GUARD), fighters=5)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |A
        1. the ship of bea, 3 fighters
        2. the planet Brine, 9 fighters
        3. the picket of bea, 5 fighters
        Attack which, 0 for none (0-3) [0]? |
        Command (?=Help)? |A
        Attack which, 0 for none (0-3) [0]? |3
        Fighters to send, 0 for none (0-100) [100]? |90
        You won: nothing is left of the other side.
        Command (?=Help)? |A
        Attack which, 0 for none (0-2) [0]? |2
        Fighters to send, 0 for none (0-…) […]? |
        Planet   Brine, ocean, of ada
        Command (?=Help)? |A
        1. the ship of bea, 3 fighters
        Attack which, 0 for none (0-1) [1]? |
        Fighters to send, 0 for none (0-…) […]? |
        You take 250 credits.
        Command (?=Help)? |
        """,
    )
    assert pilot(universe, ada).kills == 1
    assert universe.verify() == []


def test_the_protected_attack_the_thorn_alone(ada: Actor) -> None:
    with six_sectors() as universe:
        cy = enroll(universe, "cy")
        bea = enroll(universe, "bea")
        place(universe, cy, sector=4)
        place(universe, bea, sector=4, protected_until=0)
        converse(
            universe,
            cy,
            bridge,
            """
            Command (?=Help)? |A
            Under protection you can attack thornships only. W gives the protection up.
            Command (?=Help)? |F
            Under protection you can't deploy fighters. W gives the protection up.
            Command (?=Help)? |W
            Then others can attack you, too. Give the protection up for good (Y/N) [N]? |N
            Command (?=Help)? |W
            Then others can attack you, too. Give the protection up for good (Y/N) [N]? |Y
            Command (?=Help)? |W
            You are not under protection.
            Command (?=Help)? |A
            1. the ship of bea, 25 fighters
            Attack which, 0 for none (0-1) [1]? |0
            """,
        )


def test_a_picket_is_deployed_and_taken_back(universe: Universe, ada: Actor) -> None:
    place(universe, ada, sector=3)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |F
        Your fighters: 0 deployed here, 25 aboard.
        How many shall stand here (0-25) [0]? |
        Command (?=Help)? |F
        How many shall stand here (0-25) [0]? |20
        T toll: let in whoever pays. G guard: let nobody in. H hunt: shoot at strangers, too.
        What do they do (T/G/H) [G]? |T
        20 fighters on picket here: toll.
        Command (?=Help)? |
        Picket   20 fighters of yours, toll
        Command (?=Help)? |F
        Your fighters: 20 deployed here, 5 aboard.
        How many shall stand here (0-25) [20]? |0
        Command (?=Help)? |
        """,
    )
    assert pilot(universe, ada).fighters == 25


def test_where_no_picket_may_stand(universe: Universe, ada: Actor) -> None:
    bea = enroll(universe, "bea")
    change(universe, Picket(sector=3, owner=bea.pilot, fighters=0, stance=Stance.TOLL), fighters=5)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |F
        This sector is safe: nobody deploys fighters here.
        Command (?=Help)? |
        """,
    )
    place(universe, ada, sector=3)
    converse(
        universe,
        ada,
        bridge,
        """
        Command (?=Help)? |F
        Fighters of bea stand here; one pilot's a sector.
        Command (?=Help)? |
        """,
    )
