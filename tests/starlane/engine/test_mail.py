"""Letters, the radio, logs and notices."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.worlds import enroll, six_sectors

from starlane.engine.mail import MAX_LETTERS, MAX_NOTES, MAX_UNREAD_FROM_ONE
from starlane.engine.refusal import Refused
from starlane.engine.words import CHATTER_NOTICES, MAX_NOTICES, tell
from starlane.orders import Actor, Broadcast, Burn, Hear, Jot, MarkRead, Strike, Write
from starlane.records import NOBODY, Letter, Note
from starlane.reports import Done, Heard
from starlane.universe.universe import Universe


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made
        assert made.verify() == []


@pytest.fixture
def ada(universe: Universe) -> Actor:
    return enroll(universe, "Ada")


@pytest.fixture
def bob(universe: Universe) -> Actor:
    actor = enroll(universe, "Bob")
    heard(universe, actor)
    return actor


def letters(universe: Universe, who: Actor) -> list[Letter]:
    with universe.look() as sky:
        return sky.find(Letter, reader=who.pilot)


def notes(universe: Universe, who: Actor) -> list[Note]:
    with universe.look() as sky:
        return sky.find(Note, pilot=who.pilot)


def heard(universe: Universe, who: Actor) -> tuple[str, ...]:
    report = universe.perform(who, Hear())
    assert isinstance(report, Heard)
    return report.texts


def fill_box(universe: Universe, reader: Actor, *, read: bool) -> list[Letter]:
    with universe.transaction() as world:
        return [
            world.add(Letter(id=0, sender=NOBODY, reader=reader.pilot, day=0, body=f"{number}", read=read))
            for number in range(MAX_LETTERS)
        ]


# Letters


def test_a_letter_is_in_the_box_and_its_reader_knows(universe: Universe, ada: Actor, bob: Actor) -> None:
    universe.perform(ada, Write(to=bob.pilot, body=" Meet me at Ferry. "))

    (letter,) = letters(universe, bob)
    assert (letter.sender, letter.body, letter.read) == (ada.pilot, "Meet me at Ferry.", False)
    assert heard(universe, bob) == ("A letter from Ada.",)
    assert heard(universe, bob) == ()


def test_several_letters_are_one_notice(universe: Universe, ada: Actor, bob: Actor) -> None:
    for body in ("one", "two"):
        universe.perform(ada, Write(to=bob.pilot, body=body))

    assert heard(universe, bob) == ("A letter from Ada.",)


def test_letters_are_inert(universe: Universe, ada: Actor, bob: Actor) -> None:
    universe.perform(ada, Write(to=bob.pilot, body="\x1b[2Jhello\u202e"))

    assert letters(universe, bob)[0].body == r"\x1b[2Jhello\u202e"


@pytest.mark.parametrize(("body", "why"), [("  ", "nothing in it"), ("x" * 401, "401 characters"), ("\0" * 101, "404")])
def test_a_letter_says_something_and_not_too_much(
    universe: Universe, ada: Actor, bob: Actor, body: str, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        universe.perform(ada, Write(to=bob.pilot, body=body))


def test_letters_go_to_others_who_exist(universe: Universe, ada: Actor) -> None:
    with pytest.raises(Refused, match="your log"):
        universe.perform(ada, Write(to=ada.pilot, body="x"))
    with pytest.raises(Refused, match="no such pilot"):
        universe.perform(ada, Write(to=99, body="x"))


def test_only_the_reader_burns_and_marks(universe: Universe, ada: Actor, bob: Actor) -> None:
    universe.perform(ada, Write(to=bob.pilot, body="x"))
    (letter,) = letters(universe, bob)
    for order in (Burn(letter=letter.id), MarkRead(letter=letter.id)):
        with pytest.raises(Refused, match="no such letter in your box"):
            universe.perform(ada, order)

    universe.perform(bob, MarkRead(letter=letter.id))
    universe.perform(bob, MarkRead(letter=letter.id))
    assert letters(universe, bob)[0].read
    universe.perform(bob, Burn(letter=letter.id))
    assert letters(universe, bob) == []


def test_the_oldest_letter_that_was_read_gives_way(universe: Universe, ada: Actor, bob: Actor) -> None:
    before = fill_box(universe, bob, read=False)
    with pytest.raises(Refused, match="Bob's box is full of unread letters"):
        universe.perform(ada, Write(to=bob.pilot, body="x"))
    for letter in before[5:7]:
        universe.perform(bob, MarkRead(letter=letter.id))

    universe.perform(ada, Write(to=bob.pilot, body="x"))

    after = [letter.id for letter in letters(universe, bob)]
    assert len(after) == MAX_LETTERS
    assert before[5].id not in after
    assert before[6].id in after


def test_nobody_fills_a_box_alone(universe: Universe, ada: Actor, bob: Actor) -> None:
    for number in range(MAX_UNREAD_FROM_ONE):
        universe.perform(ada, Write(to=bob.pilot, body=f"{number}"))
    with pytest.raises(Refused, match="20 letters of yours to read first"):
        universe.perform(ada, Write(to=bob.pilot, body="one more"))

    universe.perform(bob, MarkRead(letter=letters(universe, bob)[0].id))
    universe.perform(ada, Write(to=bob.pilot, body="one more"))


# The radio and the notices


def test_a_broadcast_reaches_all_others(universe: Universe, ada: Actor, bob: Actor) -> None:
    cat = enroll(universe, "Cat")
    for listener in (ada, bob, cat):
        heard(universe, listener)

    report = universe.perform(ada, Broadcast(body="Ferry is dry"))

    assert report == Done(text="It goes out to 2 pilots.")
    assert heard(universe, bob) == heard(universe, cat) == ("Radio from Ada: Ferry is dry",)
    assert heard(universe, ada) == ()


def test_the_radio_does_not_drown_what_concerns_a_pilot(universe: Universe, ada: Actor, bob: Actor) -> None:
    with universe.transaction() as world:
        tell(world, bob.pilot, "Your picket is lost.")
    for number in range(MAX_NOTICES + 5):
        universe.perform(ada, Broadcast(body=f"{number}"))

    texts = heard(universe, bob)

    assert texts[0] == "Your picket is lost."
    assert len(texts) == CHATTER_NOTICES


# The log


def test_a_log_is_its_pilots_own(universe: Universe, ada: Actor, bob: Actor) -> None:
    universe.perform(ada, Jot(body="Ferry buys ice"))
    (note,) = notes(universe, ada)
    assert note.text == "Ferry buys ice"
    with pytest.raises(Refused, match="no such line"):
        universe.perform(bob, Strike(note=note.id))

    universe.perform(ada, Strike(note=note.id))
    assert notes(universe, ada) == []


def test_a_full_log_loses_nothing(universe: Universe, ada: Actor) -> None:
    for number in range(MAX_NOTES):
        universe.perform(ada, Jot(body=f"{number}"))

    with pytest.raises(Refused, match="100 lines"):
        universe.perform(ada, Jot(body="one more"))
    assert len(notes(universe, ada)) == MAX_NOTES
