"""Names: none twice, and as many as the greatest world needs."""

from __future__ import annotations

from starlane.dice import Dice
from starlane.making.names import Names
from starlane.rules.thorn import MAX_SHIPS
from starlane.settings import MAX_SECTORS


def test_there_are_names_for_the_greatest_world() -> None:
    names = Names(Dice(1))
    places = [names.place() for _ in range(MAX_SECTORS * 6 // 10)]
    assert len(set(places)) == len(places)
    assert max(map(len, places)) <= 12
    assert len({names.thornship() for _ in range(MAX_SHIPS)}) == MAX_SHIPS


def test_regions_and_ports_say_what_they_are() -> None:
    names = Names(Dice(1))
    assert len(names.region().split()) == 2
    assert len(names.port().split()) == 2


def test_names_follow_from_the_dice() -> None:
    assert Names(Dice(5)).place() == Names(Dice(5)).place()
