"""A person in a seat."""

from __future__ import annotations

from tests.agentbbs.play.scripted import ScriptedLog
from tests.agentbbs.play.venue import Venue
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.games.ttt import TTT
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.hub.games.room import PRACTICE_MOVE_MS, GameRoom


class Person:
    """Somebody in a match against a bot that plays the first legal move."""

    def __init__(self, venue: Venue, *, first: bool = True) -> None:
        self.changes = 0
        self.seat = HumanSeat(1, "alice", self._changed)
        room = GameRoom(venue.lobby, venue.runner, venue.audience, venue.house)
        room.practise(TTT, "random", self.seat, first=first)

    def _changed(self) -> None:
        self.changes += 1


def test_a_match_from_the_first_state_to_the_result() -> None:
    async def work() -> None:
        person = Person(Venue())
        seat = person.seat
        assert seat.hello is not None
        assert (seat.hello.opponent, seat.hello.move_timeout_ms) == ("random", PRACTICE_MOVE_MS)
        assert (seat.mine, seat.over, seat.ended, person.changes) == (True, False, False, 1)
        turns = []
        for move in "876":
            turns.append(seat.mine)
            seat.play(move)
            turns.append(seat.mine)
            await turn()
        assert turns == [True, False] * 3
        assert seat.result is not None
        assert (seat.result.outcome, seat.result.rated, seat.result.why) == ("win", False, "practice")
        assert (seat.ended, seat.frames) == (True, 3)

    in_virtual_time(work())


def test_who_resigns_or_leaves_loses() -> None:
    async def work() -> None:
        venue = Venue()
        for ends, reason in ((HumanSeat.resign, "forfeit: resign"), (HumanSeat.leave, "forfeit: disconnect")):
            seat = Person(venue).seat
            ends(seat)
            assert seat.result is not None
            assert (seat.result.outcome, seat.result.reason) == ("loss", reason)
            seat.leave()
        assert len(venue.told) == 2

    in_virtual_time(work())


def test_a_move_out_of_turn_is_refused_and_no_fault() -> None:
    async def work() -> None:
        person = Person(Venue(), first=False)
        before = person.changes
        person.seat.play("0")
        assert "other seat" in person.seat.refused
        assert person.changes == before + 1
        assert not person.seat.ended

    in_virtual_time(work())


def test_the_clock_runs_out_in_the_end() -> None:
    async def work() -> None:
        seat = Person(Venue()).seat
        await pass_time(PRACTICE_MOVE_MS / 1000 - 1)
        assert not seat.over
        await pass_time(2)
        assert seat.result is not None
        assert seat.result.reason == "forfeit: timeout"

    in_virtual_time(work())


def test_a_result_that_could_not_be_stored_is_an_end_too() -> None:
    async def work() -> None:
        log = ScriptedLog()
        seat = Person(Venue(log=log)).seat
        seat.resign()
        assert (seat.over, seat.ended) == (True, False)
        log.fail()
        assert (seat.lost, seat.ended, seat.result) == (True, True, None)

    in_virtual_time(work())


def test_a_seat_without_a_match_does_nothing() -> None:
    seat = HumanSeat(1, "alice", lambda: None)
    seat.play("0")
    seat.resign()
    seat.leave()
    assert (seat.position, seat.mine, seat.ended) == (None, False, False)
