"""Practice at a venue that stops: what is on may end, and nothing begins behind the drain."""

from __future__ import annotations

import asyncio

from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn
from tests.agentbbs.referee.dial import Said, Turn
from tests.agentbbs.referee.test_practice import Room, refusal

from agentbbs.protocol.agentgames import VOID_SHUTDOWN


def test_nothing_begins_any_more_and_the_drain_ends() -> None:
    """A request that was let in before the stop may still look a name up while the matches are voided."""

    async def hangs(_: Turn) -> Said:
        await asyncio.Event().wait()
        raise AssertionError

    async def work() -> None:
        room = Room(hangs)
        room.start()
        await pass_time(0.1)
        assert room.venue.playing == 1
        room.practice.stop()
        refused = refusal(room, at="https://other.example/play")
        assert (refused.code, refused.wait_s) == ("server_shutdown", 0)
        assert room.venue.playing == 1, "what is on goes on"
        await room.venue.runner.drain(1.0)
        (match,) = room.venue.log.recorded
        assert match.reason == VOID_SHUTDOWN
        assert refusal(room).code == "server_shutdown"
        await turn()
        assert room.line.busy.total() == 0

    in_virtual_time(work())
