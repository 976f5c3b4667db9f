"""An agent that plays people too: a match with a person comes in between, and the join holds on."""

from __future__ import annotations

import threading
from typing import Final

import pytest
from tests.scripted_venue import (
    Gone,
    Reaches,
    Says,
    ScriptedVenue,
    Step,
    Waits,
    error,
    frame,
    hello,
    join,
    move,
    queued,
    result,
    state,
)
from tests.scripted_venue import played as plays

from agentbbs.client import Conversation, Misuse, NoOpponent, Phase, Queued, Turn, connect, play
from agentbbs.client.conversation import Conversation as Talk

FIRST_ROW: Final = "0 3 1 4 2"
JOIN: Final = join("ttt", humans=True)
RESIGNED: Final[list[Step]] = [state("", over=True), result(termination="resign", rated=False, why="human")]
BY_A_PERSON: Final[list[Step]] = [JOIN, queued(), hello(opponent="carol"), state(""), *RESIGNED]
RATED: Final[list[Step]] = plays(FIRST_ROW, match="m-2")[2:]


def scripted(turn: Turn) -> str:
    return ("0", "1", "2")[turn.ply // 2]


def after_a_person(*steps: Says) -> Talk:
    """A conversation after a match with a person, and what came then."""
    talk = Conversation()
    talk.join("ttt", humans=True)
    for step in (*BY_A_PERSON[1:], *steps):
        assert isinstance(step, Says)
        talk.receive(frame(step))
    return talk


def test_humans_stands_in_the_join_only_where_it_is_true() -> None:
    assert b'"humans":true' in Conversation().join("ttt", humans=True)
    assert b"humans" not in Conversation().join("ttt")


@pytest.mark.parametrize(
    ("came", "phase"),
    [
        ([], Phase.JOINING),
        ([queued()], Phase.QUEUED),
        ([queued(), hello("m-2")], Phase.PLAYING),
        ([queued(), error("no_opponent")], Phase.JOINING),
    ],
)
def test_the_next_join_finds_whatever_came_meanwhile(came: list[Says], phase: Phase) -> None:
    talk = after_a_person(*came)
    assert b'"join"' in talk.join("ttt", humans=True)
    assert talk.phase is phase
    assert not talk.held


@pytest.mark.parametrize("asked", [{"game": "c4", "humans": True}, {"game": "ttt"}])
def test_a_join_for_something_else_needs_a_connection_of_its_own(asked: dict[str, object]) -> None:
    talk = after_a_person(queued())
    assert talk.held
    with pytest.raises(Misuse):
        talk.join(**asked)  # type: ignore[arg-type]  # the cases are data


def test_refusals_of_what_crossed_the_end_are_no_answer_to_the_next_join() -> None:
    talk = Conversation()
    talk.join("ttt", humans=True)
    for step in (queued(), hello(), state("")):
        talk.receive(frame(step))
    talk.move("0")
    talk.resign()
    for crossed in (*RESIGNED, queued(), error("not_your_turn"), error("bad_message")):
        assert isinstance(crossed, Says)
        talk.receive(frame(crossed))
    assert talk.phase is Phase.QUEUED


def test_a_match_with_a_person_comes_on_top_of_those_that_were_asked_for() -> None:
    moved: list[Step] = [*BY_A_PERSON[:4], move("0", 0), state("0"), state("0", over=True), BY_A_PERSON[-1]]
    with ScriptedVenue([*moved, queued(), JOIN, *RATED, Gone()]) as there:
        results = play(there.url, token="t", game="ttt", choose=scripted, matches=1, humans=True)
    assert [one.why for one in results] == ["human", None]


async def test_a_match_that_began_before_the_next_join_is_played_from_its_first_turn() -> None:
    began = threading.Event()
    script: list[Step] = [*BY_A_PERSON, queued(), *RATED[:2], Reaches(began), JOIN, *RATED[2:], Gone()]
    with ScriptedVenue(script) as there:
        async with connect(there.url, token="t") as venue:
            match = await venue.join("ttt", humans=True)
            while await match.next_turn() is not None:
                pass
            assert match.result.why == "human"
            began.wait(10)
            again = await venue.join("ttt", humans=True)
            assert (again.id, (await again.play(scripted)).outcome) == ("m-2", "win")


async def test_another_game_is_joined_on_a_new_connection() -> None:
    with ScriptedVenue(
        [*BY_A_PERSON, queued(), Gone()], [join("c4"), queued("c4"), error("no_opponent"), Gone()]
    ) as there:
        async with connect(there.url, token="t") as venue:
            match = await venue.join("ttt", humans=True)
            while await match.next_turn() is not None:
                pass
            with pytest.raises(NoOpponent):
                await venue.join("c4")


async def test_the_wait_after_a_person_is_told_as_any_wait() -> None:
    told: list[Queued] = []
    asked = threading.Event()
    script: list[Step] = [*BY_A_PERSON, JOIN, Waits(asked), queued(waiting=2), error("no_opponent"), Gone()]
    with ScriptedVenue(script) as there:
        async with connect(there.url, token="t") as venue:
            match = await venue.join("ttt", humans=True)
            while await match.next_turn() is not None:
                pass
            asked.set()
            with pytest.raises(NoOpponent):
                await venue.join("ttt", humans=True, on_queued=told.append)
    assert told == [Queued("ttt", 2)]
