"""A whole visit, from coming aboard to leaving."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.door.dialogue import ScriptedConsole
from tests.starlane.worlds import enroll, six_sectors

from starlane.door.console import HungUp, TimeUp
from starlane.door.identity import Identity
from starlane.door.visit import visit
from starlane.orders import OPERATOR, Broadcast, Enter, NewDay, PostBounty, Write
from starlane.records import Pilot
from starlane.universe.universe import Universe

ADA = Identity(key="name:ada", name="ada")


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as universe:
        yield universe


def call(universe: Universe, script: str) -> list[str]:
    """A call of Ada's that she ends herself."""
    console = ScriptedConsole(script)
    visit(console, universe, ADA)
    console.finish()
    assert not console.idle(), "nobody is asked for notices after the visit"
    return console.shown


def drop(universe: Universe, script: str) -> list[str]:
    """A call of Ada's whose line drops at the end of the script."""
    console = ScriptedConsole(script)
    with pytest.raises(HungUp):
        visit(console, universe, ADA)
    console.finish()
    return console.shown


def ada(universe: Universe) -> Pilot:
    with universe.look() as sky:
        (found,) = sky.find(Pilot, key=ADA.key)
    return found


def test_the_first_visit(universe: Universe) -> None:
    call(
        universe,
        """
        S T A R L A N E
        Welcome aboard, ada. Your ship lies at Haven, with 20 holds and 2,000 credits. …
        Do you want instructions (Y/N) [N]? |Y
        How to play
        [Hit a key]|
        Sector 1, …
        You      250 turns, 2,000 credits, 25 fighters, holds 20: 20 free
        Command (?=Help)? |Q
        Leave the game (Y/N) [N]? |Y
        You own … credits in all, rank 1 of 1. 250 turns left today.
        Goodbye, ada.
        """,
    )
    assert not ada(universe).aboard


def test_a_line_that_drops_at_the_first_prompt_leaves_nothing_wrong(universe: Universe) -> None:
    drop(universe, "S T A R L A N E")
    assert not ada(universe).aboard
    drop(
        universe,
        """
        Welcome back, ada. It is day 0; you have 250 turns.
        Sector 1, …
        Command (?=Help)? |2
        Sector 2, …
        """,
    )
    assert not ada(universe).aboard
    assert ada(universe).sector == 2
    assert universe.verify() == []


def test_what_happened_meanwhile_is_told(universe: Universe) -> None:
    drop(universe, "Do you want instructions (Y/N) [N]? |")
    bea = enroll(universe, "bea")
    universe.perform(OPERATOR, NewDay())
    universe.perform(bea, Write(to=ada(universe).id, body="Peace?"))
    universe.perform(bea, Broadcast(body="Hello"))
    universe.perform(bea, PostBounty(target=ada(universe).id, credits=500))
    drop(
        universe,
        """
        Welcome back, ada. It is day 1; you have 250 turns.
        The Haven Gazette
        Day 1: bea offers 500 credits to whoever destroys the ship of ada.
        *** A letter from bea.
        *** Radio from bea: Hello
        *** bea has put 500 credits on your head.
        You have 1 unread letter. Keys R, R: read mail.
        Sector 1, …
        """,
    )


def test_who_comes_in_from_elsewhere_ends_the_older_call(universe: Universe) -> None:
    class Twice(ScriptedConsole):
        """At the first command prompt the pilot enters once more."""

        def command(self, prompt: object, keys: object) -> str:
            universe.perform(OPERATOR, Enter(key=ADA.key, name=ADA.name))
            self.show(*self.idle())
            raise AssertionError("the older call goes on")

    console = Twice("Do you want instructions (Y/N) [N]? |N")
    visit(console, universe, ADA)
    assert console.shown[-1] == "You have come aboard from elsewhere; this session is over."
    assert ada(universe).aboard, "elsewhere"


def test_the_end_of_the_callers_time_is_a_leave(universe: Universe) -> None:
    class Short(ScriptedConsole):
        def command(self, prompt: object, keys: object) -> str:
            raise TimeUp

    with pytest.raises(TimeUp):
        visit(Short("Do you want instructions (Y/N) [N]? |N"), universe, ADA)
    assert not ada(universe).aboard
