"""Practice against house bots, and a lobby that stops."""

from __future__ import annotations

import asyncio
from typing import Final

from tests.agentbbs.play.scripted import ScriptedLog
from tests.agentbbs.play.venue import Venue, play_out
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

FIRST_ROW: Final = "03142"


# Practice


def test_practice_begins_at_once_and_is_not_rated() -> None:
    async def work() -> None:
        venue = Venue()
        alice = venue.agent("alice", 1)
        alice.joins("ttt", practice="random")
        hello = alice.hears()[0]
        assert (hello["type"], hello["opponent"]) == ("hello", "random")
        (match,) = venue.runner.live
        for _ in range(9):
            if match.finished is None and match.position.to_move == hello["player"]:
                alice.moves(match.position.legal[-1])
            await turn()
        result = alice.hears()[-1]
        assert (result["type"], result["rated"], result["why"]) == ("result", False, "practice")
        assert (result["rating"], result["ratingBefore"], result["opponentRating"]) == (1500, 1500, None)
        assert venue.log.standings == {}
        (bot,) = venue.house.seated
        assert len(bot.told("result")) == 1

    in_virtual_time(work())


def test_practice_that_takes_its_time_is_not_idleness() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=600_000)
        alice = venue.agent("alice", 1)
        alice.joins("ttt", practice="random")
        await pass_time(300)
        assert (alice.wire.closed, venue.playing) == (None, 1)

    in_virtual_time(work())


def test_practice_seats_the_agent_first_or_second_by_the_toss() -> None:
    async def work() -> None:
        venue = Venue()
        seats = set()
        for account in range(1, 30):
            agent = venue.agent("agent", account)
            agent.joins("c4", practice="random")
            seats.add(agent.hears()[0]["player"])
        assert seats == {0, 1}

    in_virtual_time(work())


def test_practice_against_nobody_known_is_a_bad_message_and_the_queue_stays_open() -> None:
    async def work() -> None:
        venue = Venue()
        alice = venue.agent("alice", 1)
        alice.joins("ttt", practice="deep-blue")
        assert alice.hears_kinds() == ["bad_message"]
        assert venue.playing == 0
        alice.joins("ttt")
        await turn()
        assert alice.hears_kinds() == ["queued"]

    in_virtual_time(work())


def test_practice_does_not_take_the_account_out_of_the_queue() -> None:
    async def work() -> None:
        venue = Venue()
        waiting = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        venue.agent("alice", 1).joins("ttt", practice="random")
        await venue.settled_in(venue.agent("bob", 2, "ttt"))
        assert "hello" in waiting.hears_kinds()

    in_virtual_time(work())


# The end of the evening


def test_a_lobby_that_stops_tells_those_who_wait_and_closes() -> None:
    async def work() -> None:
        venue = Venue(log=ScriptedLog())
        first, second = await venue.pair()
        waiting = await venue.settled_in(venue.agent("carol", 3, "c4"))
        venue.ladders.gate = asyncio.Event()
        looked_up = venue.agent("dave", 4, "c4")
        idle = venue.agent("eve", 5)
        await turn()
        venue.lobby.stop()
        venue.ladders.gate.set()
        await turn()
        for agent in (waiting, looked_up):
            assert agent.hears_kinds() == ["queued", "server_shutdown"]
            assert agent.wire.closed == (1001, "server shutdown")
        assert (len(venue.lobby), venue.lobby.waiting("c4")) == (0, 0)

        idle.joins()
        assert idle.hears_kinds() == ["server_shutdown"]
        assert idle.wire.closed == (1001, "server shutdown")
        play_out((first, second), FIRST_ROW)
        venue.log.commit()
        assert first.hears()[-1]["outcome"] == "win", "a match that is on is played to its end"
        first.joins()
        assert first.hears_kinds() == ["server_shutdown"]

    in_virtual_time(work())


def test_no_practice_begins_once_the_lobby_has_stopped() -> None:
    async def work() -> None:
        venue = Venue()
        venue.lobby.stop()
        alice = venue.agent("alice", 1)
        alice.joins("ttt", practice="random")
        assert (alice.hears_kinds(), venue.house.seated) == (["server_shutdown"], [])

    in_virtual_time(work())
