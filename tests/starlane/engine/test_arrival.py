"""Coming aboard: newcomers, names, sessions; going ashore; giving up protection."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.starlane.engine.front import bargains, gazette, in_a_bargain
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.engine.refusal import Refused, Superseded
from starlane.orders import OPERATOR, Actor, Enter, Hear, Leave, Move, NewDay, Waive
from starlane.records import HAVEN, Pilot, Seen
from starlane.reports import Entered
from starlane.settings import MAX_NAME_CHARS
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


def enter(universe: Universe, key: str, name: str) -> Entered:
    report = universe.perform(OPERATOR, Enter(key=key, name=name))
    assert isinstance(report, Entered)
    return report


def name_of(universe: Universe, key: str, name: str) -> str:
    return enter(universe, key, name).name


# Newcomers


def test_a_stranger_gets_a_ship_at_haven(universe: Universe) -> None:
    universe.perform(OPERATOR, NewDay())
    report = enter(universe, "#17", "Ada")
    assert report == Entered(pilot=1, session=1, name="Ada", new=True, day=1, turns=250)
    ada = pilot(universe, 1)
    assert (ada.key, ada.sector, ada.aboard, ada.docked) == ("#17", HAVEN, True, False)
    assert (ada.credits, ada.holds, ada.fighters, ada.free_holds()) == (2_000, 20, 25, 20)
    assert (ada.turns, ada.turns_day, ada.arrived_day, ada.protected_until) == (250, 1, 1, 4)
    assert ada.sectors_seen == 1
    with universe.look() as sky:
        assert [(seen.sector, seen.visited, seen.day) for seen in sky.find(Seen, pilot=1)] == [(HAVEN, True, 1)]
    assert "Ada has come to Haven." in gazette(universe).splitlines()


def test_the_operator_sets_the_starter_kit() -> None:
    with six_sectors(start_credits=5, start_holds=3, start_fighters=0, turns_per_day=9, protected_days=0) as universe:
        ada = pilot(universe, enter(universe, "#1", "Ada").pilot)
        assert (ada.credits, ada.holds, ada.fighters, ada.turns) == (5, 3, 0, 9)
        assert not ada.protected(0)
        assert universe.verify() == []


def test_nobody_comes_without_a_key(universe: Universe) -> None:
    with pytest.raises(Refused, match="has not said who you are"):
        enter(universe, "", "Ada")


# Coming again


def test_a_pilot_comes_back_to_its_ship(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    universe.perform(ada, Move(to=2))
    universe.perform(ada, Leave())
    assert not pilot(universe, ada).aboard
    report = enter(universe, "name:Ada", "Ada")
    assert (report.pilot, report.session, report.new, report.turns) == (ada.pilot, 2, False, 249)
    assert pilot(universe, ada).aboard
    assert pilot(universe, ada).sector == 2


def test_entering_ends_the_older_session(universe: Universe) -> None:
    first = enroll(universe, "Ada")
    second = enroll(universe, "Ada")
    with pytest.raises(Superseded):
        universe.perform(first, Hear())
    with pytest.raises(Superseded):
        universe.perform(first, Leave())
    universe.perform(second, Hear())
    assert pilot(universe, second).aboard


def test_whoever_was_cut_off_in_port_is_free(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    in_a_bargain(universe, ada)
    place(universe, ada, docked=True, spoilt=1)
    enroll(universe, "Ada")
    after = pilot(universe, ada)
    assert (after.docked, after.spoilt, bargains(universe)) == (False, 0, 0)


def test_leaving_ends_the_bargain_but_not_the_stay_on_a_planet(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    in_a_bargain(universe, ada)
    place(universe, ada, docked=True)
    universe.perform(ada, Leave())
    assert (pilot(universe, ada).docked, bargains(universe)) == (False, 0)
    place(universe, ada, sector=4, planet=2)
    again = enroll(universe, "Ada")
    universe.perform(again, Leave())
    assert pilot(universe, ada).planet == 2


def test_a_new_day_gives_turns_once(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    place(universe, ada, turns=3)
    universe.perform(OPERATOR, NewDay())
    assert enter(universe, "name:Ada", "Ada").turns == 250
    place(universe, ada, turns=7)
    assert enter(universe, "name:Ada", "Ada").turns == 7


# Names


def test_names_are_unique_whatever_their_case(universe: Universe) -> None:
    names = [name_of(universe, f"#{number}", name) for number, name in enumerate(["Ada", "ADA", "ada", "Straße"])]
    assert names == ["Ada", "ADA-2", "ada-3", "Straße"]
    assert name_of(universe, "#9", "STRASSE") == "STRASSE-2"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Smith, John", "Smith John"),
        ("Ada (you)", "Ada you"),
        ("Ada: I give up", "Ada I give up"),
        ("Command (?=Help)?", "Command ?=Help ?"),
        ("nobody", "nobody-2"),
        ("Yours", "Yours-2"),
        (",:()", "Pilot"),
    ],
)
def test_a_name_says_nothing_that_screens_say(universe: Universe, name: str, shown: str) -> None:
    assert name_of(universe, "#1", name) == shown
    assert name_of(universe, "#1", name) == shown, "and keeps it"


def test_a_long_name_is_cut_and_stays_unique(universe: Universe) -> None:
    long = "A pilot of a very long name indeed"
    names = [name_of(universe, f"#{number}", long) for number in range(12)]
    assert names[0] == "A pilot of a very long n"
    assert names[1] == "A pilot of a very long-2"
    assert names[11] == "A pilot of a very lon-12"
    assert all(len(name) <= MAX_NAME_CHARS for name in names)
    assert [name_of(universe, f"#{number}", long) for number in range(12)] == names


@pytest.mark.parametrize("name", ["", "   ", "\x1b\x07", "\u202e"])
def test_the_nameless_are_pilots(universe: Universe, name: str) -> None:
    assert name_of(universe, "#1", name) == "Pilot"
    assert name_of(universe, "#2", name) == "Pilot-2"


def test_a_name_of_the_board_is_followed(universe: Universe) -> None:
    name_of(universe, "#1", "Ada")
    name_of(universe, "#2", "Bob")
    assert name_of(universe, "#1", "Countess") == "Countess"
    assert name_of(universe, "#2", "countess") == "countess-2"
    assert name_of(universe, "#1", "COUNTESS") == "COUNTESS"
    assert "Ada is called Countess from now on." in gazette(universe)


def test_a_number_stays_while_it_is_needed(universe: Universe) -> None:
    for number in (1, 2, 3):
        name_of(universe, f"#{number}", "Ada")
    assert name_of(universe, "#2", "Eve") == "Eve"
    assert name_of(universe, "#3", "Ada") == "Ada-3"
    assert name_of(universe, "#1", "Una") == "Una"
    assert name_of(universe, "#3", "Ada") == "Ada"


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.text(max_size=30) | st.sampled_from(["x", "X", "x-2"])), max_size=12))
def test_no_name_is_had_twice_nor_holds_what_acts(visits: list[tuple[int, str]]) -> None:
    with six_sectors() as universe:
        for number, name in visits:
            universe.perform(OPERATOR, Enter(key=f"#{number}", name=name))
        with universe.look() as sky:
            names = [found.name for found in sky.find(Pilot)]
        assert len({name.casefold() for name in names}) == len(names) == len({number for number, _ in visits})
        assert all(0 < len(name) <= MAX_NAME_CHARS and "\x1b" not in name for name in names)
        assert universe.verify() == []


# Protection


def test_protection_can_be_given_up_once(universe: Universe) -> None:
    ada = enroll(universe, "Ada")
    universe.perform(ada, Waive())
    assert not pilot(universe, ada).protected(0)
    with pytest.raises(Refused, match="under no protection"):
        universe.perform(ada, Waive())


def test_nobody_enters_for_a_pilot() -> None:
    with six_sectors() as universe:
        ada = enroll(universe, "Ada")
        with pytest.raises(Refused):
            universe.perform(ada, Enter(key="#2", name="Bob"))
        assert ada == Actor(1, 1)
