"""A broadcast: made once for all readers, bounded for each, on only while somebody reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.agentbbs.play.scripted import ScriptedBot
from tests.agentbbs.play.venue import Venue, bots, chair
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.web.live.broadcast import Broadcasts, TooManyReaders
from agentbbs.web.live.reader import Reader
from agentbbs.web.live.telling import HEARTBEAT, LiveState, state_event

HEARTBEAT_S = 15.0
DRAW = "012435768"


class Stage:
    """A match of two scripted bots that is on, and its broadcasts."""

    def __init__(self, *, max_readers: int = 1_000, strikes: bool = True) -> None:
        self.venue = Venue(move_timeout_ms=1_000_000)
        self.bots = bots(self.venue, strikes=strikes)
        (self.match,) = self.venue.runner.live
        self.broadcasts = Broadcasts(
            self.venue.audience, self.venue.runner.now, heartbeat_s=HEARTBEAT_S, max_readers=max_readers
        )

    def join(self, after: int | None = None) -> Reader:
        return self.broadcasts.join(self.match, after=after)

    def leave(self, reader: Reader) -> None:
        self.broadcasts.leave(self.match.id, reader)

    @property
    def mover(self) -> ScriptedBot:
        return self.bots[self.match.position.to_move]

    def play(self, *moves: str) -> None:
        for move in moves:
            chair(self.mover).move(move)


def queued(reader: Reader) -> list[bytes]:
    """Takes what lies in a reader's queue."""
    found = [event.body for event in reader._waiting]
    reader._waiting.clear()
    return found


def parsed(event: bytes) -> tuple[str, Any]:
    """The name of an event and its data."""
    fields = dict(line.split(": ", 1) for line in event.decode().splitlines() if line)
    return fields["event"], json.loads(fields["data"])


def plies(events: list[bytes]) -> list[int]:
    return [data["ply"] for name, data in map(parsed, events) if name == "state"]


def test_readers_get_the_position_at_once_then_each_one_and_the_end() -> None:
    async def work() -> None:
        stage = Stage()
        early = stage.join()
        assert plies(queued(early)) == [0]
        stage.play("0", "1")
        await turn()
        late = stage.join()
        assert plies(queued(late)) == [2]
        stage.play(*DRAW[2:])
        for reader, first in ((early, 1), (late, 3)):
            events = [event async for event in reader]
            assert plies(events) == list(range(first, 10))
            name, data = parsed(events[-1])
            assert (name, data["outcome"], data["plies"]) == ("over", "A draw.", 9)
        await turn()
        assert stage.match.id not in stage.broadcasts
        assert stage.venue.audience.count() == 0

    in_virtual_time(work())


def test_moves_in_one_turn_of_the_loop_are_told_each() -> None:
    async def work() -> None:
        stage = Stage()
        reader = stage.join()
        queued(reader)
        stage.play("0", "1", "2", "4")
        await turn()
        assert plies(queued(reader)) == [1, 2, 3, 4]

    in_virtual_time(work())


def test_a_reader_who_comes_before_the_last_move_was_told_is_not_behind() -> None:
    async def work() -> None:
        stage = Stage()
        first = stage.join()
        queued(first)
        stage.play("0")
        second = stage.join()
        await turn()
        for reader in (first, second):
            assert plies(queued(reader))[-1] == 1

    in_virtual_time(work())


@pytest.mark.parametrize(
    ("after", "told"), [(None, [4]), (0, [1, 2, 3, 4]), (2, [3, 4]), (3, [4]), (4, [4]), (99, [4])]
)
def test_who_was_gone_for_a_moment_is_told_what_came_meanwhile(after: int | None, told: list[int]) -> None:
    async def work() -> None:
        stage = Stage()
        stage.play("0", "1", "2", "4")
        assert plies(queued(stage.join(after))) == told

    in_virtual_time(work())


def test_each_event_is_made_once_whatever_the_number_of_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        stage = Stage()
        readers = [stage.join() for _ in range(250)]
        made: list[int] = []

        def counted(state: LiveState) -> bytes:
            made.append(state.ply)
            return state_event(state)

        monkeypatch.setattr("agentbbs.web.live.broadcast.state_event", counted)
        for reader in readers:
            queued(reader)
        stage.play("0", "1")
        await turn(20)
        assert made == [1, 2]
        events = [queued(reader) for reader in readers]
        assert all(plies(one) == [1, 2] for one in events)
        assert {id(one[0]) for one in events} == {id(events[0][0])}

    in_virtual_time(work())


def test_a_slow_reader_loses_the_oldest_and_hears_the_end() -> None:
    async def work() -> None:
        stage = Stage()
        slow = Reader(3)
        stage.join()
        stage.broadcasts._on[stage.match.id].readers.add(slow)
        stage.play(*DRAW)
        await turn(20)
        assert slow.dropped == 7
        *states, end = [event async for event in slow]
        assert plies(states) == [8, 9]
        assert parsed(end)[0] == "over"

    in_virtual_time(work())


def test_a_strike_is_told_while_the_match_is_on() -> None:
    async def work() -> None:
        stage = Stage()
        reader = stage.join()
        queued(reader)
        chair(stage.mover).fault("nonce", detail="the nonce is another")
        await turn()
        ((name, data),) = map(parsed, queued(reader))
        assert (name, data["ply"], [strike["kind"] for strike in data["strikes"]]) == ("state", 0, ["nonce"])
        chair(stage.mover).move("9")
        await turn()
        ((_, data),) = map(parsed, queued(reader))
        assert [(strike["kind"], strike["offered"]) for strike in data["strikes"]] == [
            ("nonce", None),
            ("illegal_move", "9"),
        ]
        chair(stage.mover).fault("timeout")
        (_, state), (name, over) = map(parsed, [event async for event in reader])
        assert (state["to_move"], len(state["strikes"])) == (-1, 3)
        assert (name, over["winner"], over["reason"]) == ("over", 1, "forfeit: strikes")

    in_virtual_time(work())


def test_silence_is_filled_with_heartbeats() -> None:
    async def work() -> None:
        stage = Stage()
        reader = stage.join()
        queued(reader)
        await pass_time(HEARTBEAT_S - 1)
        stage.play("0")
        await pass_time(HEARTBEAT_S - 1)
        assert plies(queued(reader)) == [1]
        await pass_time(2 * HEARTBEAT_S)
        assert queued(reader) == [HEARTBEAT] * 2
        stage.play("1")
        await turn()
        assert plies(queued(reader)) == [2]

    in_virtual_time(work())


def test_a_broadcast_takes_one_place_and_ends_with_its_last_reader() -> None:
    async def work() -> None:
        stage = Stage()
        readers = [stage.join() for _ in range(3)]
        assert (stage.venue.audience.count(), len(stage.broadcasts)) == (1, 3)
        await turn()
        for reader in readers:
            assert stage.match.id in stage.broadcasts
            stage.leave(reader)
        assert stage.match.id not in stage.broadcasts
        await turn()
        assert stage.venue.audience.count() == 0
        again = stage.join()
        stage.play("0")
        await turn()
        assert plies(queued(again)) == [0, 1]

    in_virtual_time(work())


def test_who_leaves_before_the_loop_has_turned_leaves_nothing_behind() -> None:
    async def work() -> None:
        stage = Stage()
        stage.leave(stage.join())
        again = stage.join()
        await turn()
        assert stage.venue.audience.count() == 1
        stage.play("0")
        await turn()
        assert plies(queued(again)) == [0, 1]
        stage.leave(again)
        stage.leave(again)

    in_virtual_time(work())


def test_there_is_room_for_so_many_readers_of_all_matches() -> None:
    async def work() -> None:
        stage = Stage(max_readers=2)
        first, _ = stage.join(), stage.join()
        with pytest.raises(TooManyReaders):
            stage.join()
        stage.leave(first)
        stage.join()

    in_virtual_time(work())


def test_close_ends_every_reader_and_lets_nobody_in() -> None:
    async def work() -> None:
        stage = Stage()
        reader = stage.join()
        await turn()
        await stage.broadcasts.close()
        assert plies([event async for event in reader]) == [0]
        assert stage.venue.audience.count() == 0
        with pytest.raises(TooManyReaders):
            stage.join()

    in_virtual_time(work())
