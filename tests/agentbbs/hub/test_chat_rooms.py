"""The chat without a screen: each caller is the list of what it heard."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.hub.chat_rooms import (
    MAIN,
    MAX_LINES,
    MAX_ROOMS,
    MAX_TEXT_CHARS,
    SCROLLBACK_LINES,
    WINDOW_MS,
    ChatLine,
    ChatRooms,
    Kind,
    LooksOn,
    RoomName,
    TooFast,
    TooManyRooms,
    Voice,
)

ANN = Voice(1, 11, "ann")
BOB = Voice(2, 12, "bob")
ANN_AGAIN = Voice(3, 11, "ann")
GUEST = Voice(4, None, "guest (node 4)")


def nobody(line: ChatLine) -> None:
    """Hears, and tells nobody."""


LATER_MS = 10 * WINDOW_MS


def heard(lines: list[ChatLine]) -> list[tuple[Kind, str, str]]:
    return [(line.kind, line.name, line.text) for line in lines]


def chat(*voices: Voice) -> tuple[ChatRooms, list[list[ChatLine]]]:
    """A chat with these in it, and what each of them hears from now on."""
    rooms = ChatRooms()
    ears: list[list[ChatLine]] = [[] for _ in voices]
    for voice, ear in zip(voices, ears, strict=True):
        rooms.enter(voice, ear.append, now_ms=0)
    for ear in ears:
        ear.clear()
    return rooms, ears


def test_all_in_a_room_hear_what_is_said_in_one_order_and_nobody_else_does() -> None:
    rooms, (ann, bob, guest) = chat(ANN, BOB, GUEST)
    rooms.join(GUEST.node, MAIN, now_ms=1)
    rooms.say(1, "hi", now_ms=2)
    rooms.say(2, "waves", acted=True, now_ms=3)
    assert heard(ann) == heard(bob) == heard(guest) == [(Kind.SAID, "ann", "hi"), (Kind.ACTED, "bob", "waves")]
    rooms.join(1, "#Den", now_ms=4)
    assert rooms.room_of(1) == "den"
    rooms.say(1, "psst", now_ms=5)
    assert heard(ann)[2:] == [(Kind.SAID, "ann", "psst")]
    assert heard(bob)[2:] == [(Kind.LEFT, "ann", "")]
    assert [(room.name, room.members) for room in rooms.rooms()] == [(MAIN, 2), ("den", 1)]
    assert rooms.members("den") == (ANN,)
    assert rooms.members() == (ANN, BOB, GUEST)


def test_who_comes_hears_what_was_said_before_and_a_room_goes_with_the_last() -> None:
    rooms, (ann,) = chat(ANN)
    for number in range(SCROLLBACK_LINES + 5):
        rooms.say(1, str(number), now_ms=number * LATER_MS)
    backlog = rooms.enter(BOB, ann.append, now_ms=0)
    assert [line.text for line in backlog] == [str(number) for number in range(5, SCROLLBACK_LINES + 5)]
    rooms.join(1, "den", now_ms=200 * LATER_MS)
    rooms.say(1, "secret", now_ms=200 * LATER_MS)
    assert [line.text for line in rooms.join(2, "den", now_ms=200 * LATER_MS)] == ["secret"]
    for node in (1, 2):
        rooms.leave(node, now_ms=201 * LATER_MS)
        rooms.leave(node, now_ms=201 * LATER_MS)
    assert [room.name for room in rooms.rooms()] == [MAIN]
    rooms.enter(ANN, ann.append, now_ms=202 * LATER_MS)
    assert rooms.join(1, "den", now_ms=202 * LATER_MS) == ()


def test_comings_and_goings_are_told_once_for_an_account() -> None:
    rooms, (bob,) = chat(BOB)
    rooms.enter(ANN, nobody, now_ms=1)
    rooms.enter(ANN_AGAIN, nobody, now_ms=2)
    rooms.leave(ANN.node, now_ms=3)
    rooms.leave(ANN_AGAIN.node, now_ms=4)
    assert heard(bob) == [(Kind.JOINED, "ann", ""), (Kind.LEFT, "ann", "")]


def test_a_private_word_is_for_one_account_wherever_it_is() -> None:
    rooms, (ann, bob, again) = chat(ANN, BOB, ANN_AGAIN)
    rooms.join(3, "den", now_ms=1)
    bob.clear()
    line = rooms.whisper(BOB, ANN, "hey", now_ms=2)
    assert line is not None
    assert heard(ann) == heard(again) == [(Kind.PRIVATE, "bob", "hey")]
    assert heard(bob) == [(Kind.SENT, "ann", "hey")]
    absent = Voice(9, 99, "eve")
    assert rooms.whisper(absent, absent, "hm", now_ms=3) is not None
    assert rooms.whisper(BOB, ANN, " \n", now_ms=3) is None
    assert [line.text for line in rooms.enter(absent, nobody, now_ms=3)] == [], "it is in no scrollback"


def test_guests_look_on() -> None:
    rooms, (ann, guest) = chat(ANN, GUEST)
    with pytest.raises(LooksOn):
        rooms.say(4, "hi", now_ms=1)
    with pytest.raises(LooksOn):
        rooms.whisper(GUEST, ANN, "hi", now_ms=1)
    with pytest.raises(LooksOn):
        rooms.join(4, "den", now_ms=1)
    rooms.join(1, "den", now_ms=1)
    rooms.join(4, "den", now_ms=1)
    rooms.say(1, "hi", now_ms=1)
    assert heard(guest)[-1] == (Kind.SAID, "ann", "hi")
    assert heard(ann) == [(Kind.JOINED, "guest (node 4)", ""), (Kind.SAID, "ann", "hi")]


@pytest.mark.parametrize("name", ["", "#", "a b", "-a", "x" * 21, "ä", "a\n", "\x1b[2J"])
def test_no_room_is_called_that(name: str) -> None:
    rooms, _ = chat(ANN)
    with pytest.raises(RoomName):
        rooms.join(1, name, now_ms=1)


def test_nobody_talks_faster_than_one_reads() -> None:
    rooms, (_, again, bob) = chat(ANN, ANN_AGAIN, BOB)
    start = WINDOW_MS + 1
    for number in range(MAX_LINES):
        rooms.say((1, 3)[number % 2], "x", now_ms=start + number)
    for act in (
        lambda: rooms.say(3, "x", now_ms=start + WINDOW_MS - 1),
        lambda: rooms.whisper(ANN, BOB, "x", now_ms=start + WINDOW_MS - 1),
        lambda: rooms.join(1, "den", now_ms=start + WINDOW_MS - 1),
    ):
        with pytest.raises(TooFast):
            act()
    rooms.say(2, "x", now_ms=start + WINDOW_MS - 1)
    rooms.say(1, "x", now_ms=start + WINDOW_MS)
    assert len(bob) == len(again) == MAX_LINES + 2
    bob.clear()
    for number in range(3 * MAX_LINES):
        rooms.leave(1, now_ms=LATER_MS + number)
        rooms.leave(3, now_ms=LATER_MS + number)
        rooms.enter(ANN, nobody, now_ms=LATER_MS + number)
        rooms.enter(ANN_AGAIN, nobody, now_ms=LATER_MS + number)
    assert len(bob) <= MAX_LINES, "and nobody fills a screen by coming and going"


def test_there_are_not_too_many_rooms() -> None:
    rooms = ChatRooms()
    for number in range(1, MAX_ROOMS):
        rooms.enter(Voice(number, number, "x"), nobody, now_ms=0)
        rooms.join(number, f"room-{number}", now_ms=0)
    rooms.enter(Voice(100, 100, "late"), nobody, now_ms=0)
    with pytest.raises(TooManyRooms):
        rooms.join(100, "one-more", now_ms=0)
    assert rooms.join(100, "room-1", now_ms=0) == ()


def test_a_node_is_in_the_chat_once() -> None:
    rooms, _ = chat(ANN)
    with pytest.raises(ValueError, match="node 1"):
        rooms.enter(ANN, nobody, now_ms=0)


deeds = st.lists(
    st.tuples(
        st.sampled_from(["enter", "leave", "join", "say", "whisper"]),
        st.integers(1, 4),
        st.sampled_from(["den", "attic", MAIN]) | st.text(max_size=30),
    ),
    max_size=60,
)


@given(deeds)
def test_whatever_happens_each_hears_its_own_room_line_by_line(acts: list[tuple[str, int, str]]) -> None:
    rooms = ChatRooms()
    where: dict[int, str] = {}

    def ear(node: int) -> Callable[[ChatLine], None]:
        def hear(line: ChatLine) -> None:
            assert line.text == " ".join(line.text.split())
            assert len(line.text) <= MAX_TEXT_CHARS
            assert line.room in {"", rooms.room_of(node)}

        return hear

    for now_s, (deed, node, text) in zip(count(), acts, strict=False):
        now_ms = now_s * WINDOW_MS
        voice = Voice(node, None if node == 4 else node % 3, f"n{node}")
        with contextlib.suppress(RoomName, LooksOn):  # the property is about what is heard
            if deed == "enter" and node not in where:
                rooms.enter(voice, ear(node), now_ms=now_ms)
            elif deed == "leave":
                rooms.leave(node, now_ms=now_ms)
            elif deed == "whisper":
                rooms.whisper(voice, Voice(1, 1, "n1"), text, now_ms=now_ms)
            elif node in where and deed == "join":
                rooms.join(node, text, now_ms=now_ms)
            elif node in where:
                rooms.say(node, text, now_ms=now_ms)
        where = {voice.node: rooms.room_of(voice.node) or "" for voice in rooms.members()}
        assert {room.name for room in rooms.rooms()} == {MAIN, *where.values()}
        assert sum(room.members for room in rooms.rooms()) == len(where)
