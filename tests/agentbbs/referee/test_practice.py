"""Practice: unrated, by the same referee, in bounds."""

from __future__ import annotations

import random

import pytest
from tests.agentbbs.play.scripted import ScriptedLog
from tests.agentbbs.play.venue import Venue
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time

from agentbbs.games.ttt import TTT
from agentbbs.play.lobby import PRACTICE
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.practice import HOUR_S, PER_HOUR, Practice, PracticeRefused
from agentbbs.referee.slots import Slots

from .dial import Behaviour, Said, ScriptedDialler, Turn, body, legal, target


class Room:
    """Practice at a venue in memory."""

    def __init__(self, behave: Behaviour = legal, *, log: ScriptedLog | None = None) -> None:
        self.venue = Venue(log=log)
        self.line = ScriptedDialler(behave)
        self.practice = Practice(
            self.venue.runner, self.venue.house, self.line, Slots(), self.venue.alarms, random.Random(1)
        )

    def start(self, account: int = 1, *, at: str = "https://gremlin.example/play", bot: str = "random") -> str:
        return self.practice.start(account, target(account=account, at=at), TTT, bot)


def refusal(room: Room, **more: str) -> PracticeRefused:
    with pytest.raises(PracticeRefused) as refused:
        room.start(**more)  # type: ignore[arg-type]
    return refused.value


def test_a_match_against_a_house_bot_is_unrated() -> None:
    async def work() -> None:
        room = Room()
        match_id = room.start()
        await pass_time(1)
        (match,) = room.venue.log.recorded
        assert (match.id, match.rated, match.why) == (match_id, False, PRACTICE)
        assert {player.account for player in match.players} == {None, 1}
        assert {turn["opponent"] for turn in room.line.asked} == {"random"}
        assert {turn["match_id"] for turn in room.line.asked} == {match_id}

    in_virtual_time(work())


def test_strikes_count_as_in_any_match() -> None:
    async def illegal(turn: Turn) -> Said:
        return body(turn, move="?")

    async def work() -> None:
        room = Room(illegal)
        room.start()
        await pass_time(1)
        (match,) = room.venue.log.recorded
        assert match.termination is Termination.STRIKES
        assert [turn["strikes"] for turn in room.line.asked] == [0, 1, 2]

    in_virtual_time(work())


def test_either_side_begins() -> None:
    async def work() -> None:
        room = Room()
        for account in range(1, 21):
            room.start(account, at=f"https://gremlin.example/{account}")
        await pass_time(1)
        firsts = {match.players[0].account is None for match in room.venue.log.recorded}
        assert firsts == {True, False}

    in_virtual_time(work())


def test_six_an_hour_an_account() -> None:
    async def work() -> None:
        room = Room()
        for _ in range(PER_HOUR):
            room.start()
            await pass_time(60)
        refused = refusal(room)
        assert (refused.code, refused.wait_s) == ("rate_limited", HOUR_S - PER_HOUR * 60)
        assert "check-agent" in str(refused)
        room.start(2, at="https://other.example/")
        await pass_time(refused.wait_s)
        room.start()
        await pass_time(1)
        assert refusal(room).wait_s == 59

    in_virtual_time(work())


def test_one_at_a_time_an_endpoint() -> None:
    async def slow(turn: Turn) -> Said:
        await pass_time(1)
        return body(turn)

    async def work() -> None:
        room = Room(slow)
        room.start()
        refused = refusal(room)
        assert (refused.code, refused.wait_s) == ("busy", 1)
        with pytest.raises(PracticeRefused):
            room.start(2)
        room.start(3, at="https://gremlin.example/other")
        await pass_time(20)
        room.start()
        await pass_time(20)
        assert len(room.venue.log.recorded) == 3

    in_virtual_time(work())


def test_a_match_that_is_not_stored_or_void_frees_the_endpoint() -> None:
    async def work() -> None:
        room = Room(log=ScriptedLog())
        room.start()
        await pass_time(1)
        room.venue.log.fail()
        room.start()
        room.venue.runner.void(lambda _: True)
        room.venue.log.fail()
        room.start()
        await pass_time(1)

    in_virtual_time(work())


def test_an_unknown_bot_costs_nothing() -> None:
    async def work() -> None:
        room = Room()
        for _ in range(PER_HOUR + 1):
            refused = refusal(room, bot="deep-thought")
            assert (refused.code, refused.wait_s) == ("unknown_bot", 0)
        room.start()
        await pass_time(1)
        assert len(room.venue.log.recorded) == 1

    in_virtual_time(work())


def test_an_endpoint_that_does_not_answer_only_loses_its_match() -> None:
    async def behave(_: Turn) -> Said:
        return StrikeRow.CONNECTION

    async def work() -> None:
        room = Room(behave)
        room.start()
        await pass_time(10)
        (match,) = room.venue.log.recorded
        assert [strike.kind for strike in match.unplayed] == ["connection"] * 3
        room.start()
        await pass_time(10)

    in_virtual_time(work())
