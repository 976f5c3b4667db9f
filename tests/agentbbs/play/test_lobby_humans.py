"""Agents that play people while they wait: challenged, and back in the queue."""

from __future__ import annotations

from typing import Any, Final

import pytest
from tests.agentbbs.play.scripted import ScriptedBot, ScriptedLog
from tests.agentbbs.play.venue import Agent, Venue
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.play.lobby import RETURN_PAUSE_S, NotWaiting

CLOCK_MS: Final = 90_000


async def waiting(venue: Venue, name: str = "alice", account: int = 1, **more: Any) -> Agent:
    """An agent that waits for a match of Tic-Tac-Toe and plays people."""
    agent = venue.agent(name, account)
    agent.joins("ttt", humans=True, **more)
    await turn()
    agent.wire.take()
    return agent


def meets(venue: Venue, *, plays: bool = False) -> ScriptedBot:
    """A person challenges the only agent there is."""
    (agent,) = venue.lobby.challengeable()
    person = ScriptedBot("carol", plays=plays)
    venue.lobby.challenge(agent.key, person, move_timeout_ms=CLOCK_MS)
    return person


def resigns(person: ScriptedBot) -> None:
    assert person.chair is not None
    person.chair.resign()


def test_only_those_who_said_so_are_listed_the_longest_waiting_first() -> None:
    async def work() -> None:
        venue = Venue()
        await waiting(venue, "alice", 1)
        await pass_time(3)
        bob = venue.agent("bob", 1)
        bob.joins("c4")
        await waiting(venue, "carol", 1)
        listed = venue.lobby.challengeable()
        assert [(one.name, one.game, one.rating, one.waited_s) for one in listed] == [
            ("alice", "ttt", 1500, 3.0),
            ("carol", "ttt", 1500, 0.0),
        ]

    in_virtual_time(work())


def test_a_challenge_begins_an_unrated_match_with_a_clock_of_its_own() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        person = meets(venue)
        hello, state = alice.hears()
        assert (hello["type"], hello["opponent"], hello["moveTimeoutMs"]) == ("hello", "carol", CLOCK_MS)
        assert state["remainingMs"] == CLOCK_MS
        assert (len(venue.lobby), venue.lobby.waiting("ttt"), venue.playing) == (0, 0, 1)
        await pass_time(CLOCK_MS / 1000 - 1)
        assert venue.playing == 1
        resigns(person)
        result = alice.hears()[1]
        assert (result["outcome"], result["rated"], result["why"]) == ("win", False, "human")
        assert result["rating"] == result["ratingBefore"] == 1500
        assert venue.log.standings == {}

    in_virtual_time(work())


def test_the_clock_of_a_match_with_a_person_runs_out_too() -> None:
    async def work() -> None:
        venue = Venue()
        await waiting(venue)
        meets(venue)
        await pass_time(CLOCK_MS / 1000 + 1)
        assert venue.playing == 0

    in_virtual_time(work())


def test_after_the_result_the_agent_waits_on_and_is_paired_without_a_join() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        person = meets(venue)
        bob = venue.agent("bob", 2, "ttt")
        await turn()
        alice.wire.take()
        resigns(person)
        assert alice.hears_kinds() == ["state", "result", "queued"]
        assert (len(venue.lobby), venue.playing) == (2, 0)
        await pass_time(RETURN_PAUSE_S)
        assert alice.hears_kinds() == ["hello", "state"]
        assert bob.hears_kinds() == ["queued", "hello", "state"]
        (match,) = venue.runner.live
        assert (match.why_unrated, match.move_timeout_ms) == (None, 15_000)

    in_virtual_time(work())


def test_it_waits_on_with_the_time_that_it_had_waited() -> None:
    async def work() -> None:
        venue = Venue(queue_wait_s=20)
        alice = await waiting(venue)
        await pass_time(15)
        person = meets(venue)
        await pass_time(60)
        resigns(person)
        await pass_time(RETURN_PAUSE_S)
        assert [one.waited_s for one in venue.lobby.challengeable()] == [15.0]
        alice.wire.take()
        await pass_time(4.9)
        assert alice.hears_kinds() == []
        await pass_time(0.2)
        assert alice.hears_kinds() == ["no_opponent"]
        assert (len(venue.lobby), venue.lobby.waiting("ttt")) == (0, 0)

    in_virtual_time(work())


def test_it_can_be_challenged_again_and_again() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        for _ in range(3):
            resigns(meets(venue))
            await pass_time(RETURN_PAUSE_S)
        assert alice.hears_kinds() == ["hello", "state", "state", "result", "queued"] * 3

    in_virtual_time(work())


def test_who_waits_no_more_can_not_be_challenged() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        (entry,) = venue.lobby.challengeable()
        person = meets(venue)
        for _ in range(2):
            with pytest.raises(NotWaiting):
                venue.lobby.challenge(entry.key, ScriptedBot("dave"), move_timeout_ms=CLOCK_MS)
            resigns(person)  # the pause after it: left alone
        await pass_time(RETURN_PAUSE_S)
        alice.hangs_up()
        with pytest.raises(NotWaiting):
            venue.lobby.challenge(entry.key, ScriptedBot("dave"), move_timeout_ms=CLOCK_MS)
        assert venue.playing == 0

    in_virtual_time(work())


def test_nobody_is_challenged_who_did_not_say_so() -> None:
    async def work() -> None:
        venue = Venue()
        alice = venue.agent("alice", 1, "ttt")
        await turn()
        assert venue.lobby.challengeable() == ()
        with pytest.raises(NotWaiting):
            venue.lobby.challenge(alice.session.key, ScriptedBot("carol"), move_timeout_ms=CLOCK_MS)
        assert len(venue.lobby) == 1

    in_virtual_time(work())


# What crosses the end of the match


def test_a_join_that_it_sends_all_the_same_changes_nothing() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        resigns(meets(venue))
        alice.wire.take()
        alice.joins("ttt", humans=True)
        assert alice.hears() == []
        alice.joins("ttt", humans=True)
        assert alice.hears_kinds() == ["bad_message"]
        assert len(venue.lobby) == 1

    in_virtual_time(work())


def test_such_a_join_may_come_when_the_next_match_has_begun() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        resigns(meets(venue))
        venue.agent("bob", 2, "ttt")
        await pass_time(RETURN_PAUSE_S)
        alice.wire.take()
        alice.joins("tic-tac-toe", humans=True)
        assert alice.hears() == []
        assert venue.playing == 1

    in_virtual_time(work())


@pytest.mark.parametrize(
    "other", [{"game": "c4"}, {"game": "halma"}, {"practice": "random"}, {"resume": "x"}, {"humans": False}]
)
def test_a_join_for_something_else_is_refused_as_ever(other: dict[str, object]) -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        resigns(meets(venue))
        alice.wire.take()
        alice.says({"type": "join", "game": "ttt", "humans": True} | other)
        assert alice.hears_kinds() == ["bad_message"]
        assert len(venue.lobby) == 1

    in_virtual_time(work())


def test_a_move_that_was_under_way_is_no_move_of_the_next_match() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        person = meets(venue)
        venue.agent("bob", 2, "ttt")
        await turn()
        resigns(person)
        alice.wire.take()
        alice.moves("4", ply=0)
        assert alice.hears_kinds() == ["not_your_turn"]

    in_virtual_time(work())


# Ends that bring nobody back


def test_who_hangs_up_in_the_match_is_gone() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        person = meets(venue)
        alice.hangs_up()
        await pass_time(RETURN_PAUSE_S)
        assert (len(venue.lobby), venue.playing) == (0, 0)
        assert person.told("result")[0][1].reason == "forfeit: disconnect"

    in_virtual_time(work())


def test_who_hangs_up_in_the_pause_is_gone() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        resigns(meets(venue))
        alice.hangs_up()
        await pass_time(200)
        assert (len(venue.lobby), venue.lobby.waiting("ttt")) == (0, 0)

    in_virtual_time(work())


def test_a_match_that_could_not_be_stored_brings_nobody_back() -> None:
    async def work() -> None:
        log = ScriptedLog()
        venue = Venue(log=log)
        alice = await waiting(venue)
        resigns(meets(venue))
        alice.wire.take()
        log.fail()
        assert alice.hears_kinds() == ["internal"]
        assert len(venue.lobby) == 0
        alice.joins("ttt", humans=True)
        assert alice.hears_kinds() == ["queued"]

    in_virtual_time(work())


def test_a_venue_that_stops_says_so_instead() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        person = meets(venue)
        venue.lobby.stop()
        alice.wire.take()
        resigns(person)
        assert alice.hears_kinds() == ["state", "result", "server_shutdown"]
        assert alice.wire.closed is not None

    in_virtual_time(work())


def test_an_agent_that_lost_its_rights_is_not_put_back() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await waiting(venue)
        person = meets(venue)
        alice.session.expel("the token was revoked")
        alice.wire.take()
        resigns(person)
        assert alice.hears_kinds() == ["state", "result", "unauthorized"]
        assert len(venue.lobby) == 0

    in_virtual_time(work())


# Where seats are kept


def test_the_connection_that_took_the_seat_back_is_the_one_that_waits_on() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=30)
        alice = await waiting(venue)
        person = meets(venue)
        token = alice.hears()[0]["resume"]
        alice.hangs_up()
        again = venue.agent("alice", 1)
        again.says({"type": "join", "resume": token})
        again.wire.take()
        resigns(person)
        assert again.hears_kinds() == ["state", "result", "queued"]
        await pass_time(RETURN_PAUSE_S)
        assert [one.key for one in venue.lobby.challengeable()] == [again.session.key]

    in_virtual_time(work())


def test_who_is_away_when_the_match_ends_gets_the_result_and_joins_by_itself() -> None:
    async def work() -> None:
        venue = Venue(resume_grace_s=30)
        alice = await waiting(venue)
        person = meets(venue)
        token = alice.hears()[0]["resume"]
        alice.hangs_up()
        resigns(person)
        again = venue.agent("alice", 1)
        again.says({"type": "join", "resume": token})
        assert again.hears_kinds() == ["hello", "state", "result"]
        again.joins("ttt", humans=True)
        assert again.hears_kinds() == ["queued"]

    in_virtual_time(work())
