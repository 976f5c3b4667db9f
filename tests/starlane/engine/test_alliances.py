"""Alliances, from founding to the last one out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.worlds import enroll, pilot, six_sectors

from starlane.engine.alliances import MAX_INVITATIONS, MAX_MEMBERS
from starlane.engine.refusal import Refused
from starlane.orders import Actor, Expel, Found, Invite, Join, Quit
from starlane.records import NOBODY, Alliance, Invitation, News, Notice
from starlane.reports import Done
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def crew(universe: Universe) -> list[Actor]:
    """Ada, who leads The Ring, Bob, who is in it, and Cat, who is not."""
    ada, bob, cat = (enroll(universe, name) for name in ("Ada", "Bob", "Cat"))
    universe.perform(ada, Found(name="The Ring"))
    bring_in(universe, ada, bob)
    return [ada, bob, cat]


def bring_in(universe: Universe, leader: Actor, guest: Actor) -> None:
    universe.perform(leader, Invite(pilot=guest.pilot))
    universe.perform(guest, Join(alliance=pilot(universe, leader).alliance))


def the_ring(universe: Universe) -> Alliance | None:
    with universe.look() as sky:
        return next((alliance for alliance in sky.find(Alliance) if alliance.name == "The Ring"), None)


def gazette(universe: Universe) -> list[str]:
    with universe.look() as sky:
        return [line.text for line in sky.find(News)]


def last_notice(universe: Universe, who: Actor) -> str:
    with universe.look() as sky:
        return sky.find(Notice, pilot=who.pilot)[-1].text


def test_an_alliance_is_founded_joined_and_in_the_news(universe: Universe, crew: list[Actor]) -> None:
    ada, bob, _ = crew
    ring = the_ring(universe)

    assert ring is not None
    assert ring.leader == ada.pilot
    assert pilot(universe, bob).alliance == ring.id
    assert last_notice(universe, ada) == "Bob has joined The Ring."
    assert [line for line in gazette(universe) if "Ring" in line] == [
        "Ada has founded the alliance The Ring.",
        "Bob has joined The Ring.",
    ]


def test_names_are_taken_in_any_case(universe: Universe, crew: list[Actor]) -> None:
    with pytest.raises(Refused, match="already"):
        universe.perform(crew[2], Found(name="the  RING"))


def test_one_alliance_a_pilot(universe: Universe, crew: list[Actor]) -> None:
    ada, bob, cat = crew
    with pytest.raises(Refused, match="You are in The Ring; quit it first"):
        universe.perform(bob, Found(name="Another"))
    universe.perform(cat, Found(name="The Fork"))
    universe.perform(cat, Invite(pilot=bob.pilot))
    assert last_notice(universe, bob) == "Cat invites you to join the alliance The Fork."
    with pytest.raises(Refused, match="quit it first"):
        universe.perform(bob, Join(alliance=pilot(universe, cat).alliance))

    universe.perform(bob, Quit())
    universe.perform(bob, Join(alliance=pilot(universe, cat).alliance))
    assert pilot(universe, bob).alliance == pilot(universe, cat).alliance != pilot(universe, ada).alliance


def test_only_the_leader_invites_and_only_once(universe: Universe, crew: list[Actor]) -> None:
    ada, bob, cat = crew
    with pytest.raises(Refused, match="Only the leader of The Ring"):
        universe.perform(bob, Invite(pilot=cat.pilot))
    with pytest.raises(Refused, match="found one first"):
        universe.perform(cat, Invite(pilot=bob.pilot))
    with pytest.raises(Refused, match="Bob is in The Ring already"):
        universe.perform(ada, Invite(pilot=bob.pilot))
    with pytest.raises(Refused, match="no such pilot"):
        universe.perform(ada, Invite(pilot=99))
    universe.perform(ada, Invite(pilot=cat.pilot))
    with pytest.raises(Refused, match="has an invitation already"):
        universe.perform(ada, Invite(pilot=cat.pilot))


def test_nobody_joins_uninvited_nor_twice_on_one_invitation(universe: Universe, crew: list[Actor]) -> None:
    _, bob, cat = crew
    ring = pilot(universe, bob).alliance
    with pytest.raises(Refused, match="not invited"):
        universe.perform(cat, Join(alliance=ring))
    universe.perform(bob, Quit())
    with pytest.raises(Refused, match="not invited"):
        universe.perform(bob, Join(alliance=ring))


def test_an_alliance_has_so_many_members(universe: Universe, crew: list[Actor]) -> None:
    ada, _, cat = crew
    universe.perform(ada, Invite(pilot=cat.pilot))
    for number in range(MAX_MEMBERS - 2):
        bring_in(universe, ada, enroll(universe, f"P{number}"))

    with pytest.raises(Refused, match="has 8 members"):
        universe.perform(cat, Join(alliance=pilot(universe, ada).alliance))
    with pytest.raises(Refused, match="has 8 members"):
        universe.perform(ada, Invite(pilot=enroll(universe, "Late").pilot))


def test_the_oldest_invitation_lapses(universe: Universe, crew: list[Actor]) -> None:
    guests = [enroll(universe, f"P{number}").pilot for number in range(MAX_INVITATIONS + 1)]
    for guest in guests:
        universe.perform(crew[0], Invite(pilot=guest))

    with universe.look() as sky:
        assert [invitation.pilot for invitation in sky.find(Invitation)] == guests[1:]


def test_the_lead_goes_to_the_pilot_of_longest_standing(universe: Universe, crew: list[Actor]) -> None:
    ada, bob, cat = crew
    bring_in(universe, ada, cat)

    universe.perform(ada, Quit())

    ring = the_ring(universe)
    assert ring is not None
    assert ring.leader == bob.pilot
    assert last_notice(universe, cat) == "Ada has left The Ring. Bob leads it now."
    universe.perform(bob, Invite(pilot=ada.pilot))


def test_the_last_one_out_ends_it_and_its_invitations(universe: Universe, crew: list[Actor]) -> None:
    ada, bob, cat = crew
    universe.perform(ada, Invite(pilot=cat.pilot))
    universe.perform(bob, Quit())

    report = universe.perform(ada, Quit())

    assert isinstance(report, Done)
    assert report.text.endswith("You were the last, and it is no more.")
    assert the_ring(universe) is None
    with universe.look() as sky:
        assert sky.count(Invitation) == 0
    assert gazette(universe)[-1] == "The Ring is no more."
    with pytest.raises(Refused, match="in no alliance"):
        universe.perform(ada, Quit())
    universe.perform(cat, Found(name="The Ring"))


def test_the_leader_puts_members_out(universe: Universe, crew: list[Actor]) -> None:
    ada, bob, cat = crew
    with pytest.raises(Refused, match="Only the leader"):
        universe.perform(bob, Expel(pilot=ada.pilot))
    with pytest.raises(Refused, match="no such pilot in your alliance"):
        universe.perform(ada, Expel(pilot=cat.pilot))
    with pytest.raises(Refused, match="can't put yourself out"):
        universe.perform(ada, Expel(pilot=ada.pilot))

    universe.perform(ada, Expel(pilot=bob.pilot))

    assert pilot(universe, bob).alliance == NOBODY
    assert last_notice(universe, bob) == "Ada has put you out of The Ring."
    assert gazette(universe)[-1] == "The Ring has put out Bob."
