"""What is there to read: the box, the log, the Gazette, alliances, bounties."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.engine.front import ally
from tests.starlane.worlds import change, enroll, pilot, six_sectors

from starlane.engine.bulletins import alliances, bounties, gazette, letters, notes, pilot_name
from starlane.orders import OPERATOR, Actor, Invite, Jot, MarkRead, NewDay, Write
from starlane.records import NOBODY, Bounty, News
from starlane.universe.universe import Universe
from starlane.views import BountyView, LetterView, NoteView


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return enroll(universe, "Ada")


@pytest.fixture
def bob(universe: Universe) -> Actor:
    return enroll(universe, "Bob")


def test_letters_lie_in_the_box_of_their_reader(universe: Universe, ada: Actor, bob: Actor) -> None:
    universe.perform(ada, Write(to=bob.pilot, body="Meet me in 5."))
    universe.perform(OPERATOR, NewDay())
    universe.perform(ada, Write(to=bob.pilot, body="Where were you?"))
    universe.perform(bob, MarkRead(letter=1))
    reader, writer = pilot(universe, bob), pilot(universe, ada)
    with universe.look() as sky:
        assert letters(sky, writer) == ()
        assert letters(sky, reader) == (
            LetterView(letter=1, sender=ada.pilot, sender_name="Ada", day=0, body="Meet me in 5.", read=True),
            LetterView(letter=2, sender=ada.pilot, sender_name="Ada", day=1, body="Where were you?", read=False),
        )


def test_notes_are_ones_own(universe: Universe, ada: Actor, bob: Actor) -> None:
    universe.perform(ada, Jot(body="5 sells ice"))
    own, other = pilot(universe, ada), pilot(universe, bob)
    with universe.look() as sky:
        assert notes(sky, own) == (NoteView(note=1, day=0, text="5 sells ice"),)
        assert notes(sky, other) == ()


def test_the_gazette_keeps_its_order_and_its_days(universe: Universe) -> None:
    with universe.transaction() as world:
        for day, text in ((1, "late"), (0, "first"), (0, "second"), (2, "latest")):
            world.add(News(id=0, day=day, text=text))
        world.next_day()
        world.next_day()
    with universe.look() as sky:
        assert [line.text for line in gazette(sky, 2)] == ["late", "latest"]
        assert [(line.day, line.text) for line in gazette(sky, 99)] == [
            (0, "first"),
            (0, "second"),
            (1, "late"),
            (2, "latest"),
        ]
        assert gazette(sky, 0) == ()


def test_alliances_name_their_leader_first(universe: Universe, ada: Actor, bob: Actor) -> None:
    ally(universe, bob, ada)
    cyd = enroll(universe, "Cyd")
    universe.perform(bob, Invite(pilot=cyd.pilot))
    invited, member = pilot(universe, cyd), pilot(universe, ada)
    with universe.look() as sky:
        (ring,) = alliances(sky, invited)
        assert [(each.name, each.leader) for each in ring.members] == [("Bob", True), ("Ada", False)]
        assert (ring.name, ring.invited) == ("The Ring", True)
        assert not alliances(sky, member)[0].invited


def test_bounties_are_added_up_the_most_first(universe: Universe, ada: Actor, bob: Actor) -> None:
    for id_, target, credits_ in ((1, ada, 500), (2, bob, 700), (3, ada, 600)):
        change(universe, Bounty(id=id_, target=target.pilot, poster=bob.pilot, credits=credits_))
    with universe.look() as sky:
        assert bounties(sky) == (
            BountyView(target=ada.pilot, name="Ada", credits=1_100),
            BountyView(target=bob.pilot, name="Bob", credits=700),
        )


def test_nobody_has_no_name(universe: Universe) -> None:
    with universe.look() as sky:
        assert pilot_name(sky, NOBODY) == pilot_name(sky, 5) == ""
