"""The task that keeps a conversation up while the agent thinks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import ClassVar

import pytest
from tests.scripted_venue import (
    Drops,
    Gone,
    Hears,
    Pings,
    Reaches,
    Says,
    ScriptedVenue,
    Step,
    Waits,
    hello,
    move,
    played,
    result,
    state,
)
from tests.scripted_venue import join as joins

from agentbbs.client.address import address
from agentbbs.client.connection import Connection
from agentbbs.client.conversation import Phase
from agentbbs.client.errors import Unintelligible, VenueLost
from agentbbs.client.events import Closed, Event
from agentbbs.client.line import Line
from agentbbs.client.turns import MatchResult, Paired, Queued, Turn

BOUND_S = 10.0


async def next_of(line: Line) -> Event:
    async with asyncio.timeout(BOUND_S):
        return await line.next()


@asynccontextmanager
async def calling(
    *scripts: Sequence[Step], refusals: Sequence[tuple[int, str, dict[str, str]]] = ()
) -> AsyncIterator[Line]:
    """A line to a venue that plays `scripts`."""
    with ScriptedVenue(*scripts, refusals=refusals) as venue:
        line = await Line.dial(partial(Connection.dial, address(venue.url, "token")))
        try:
            yield line
        finally:
            await line.hang_up()


async def test_pings_are_answered_while_nobody_takes_an_event() -> None:
    ponged = threading.Event()
    async with calling([Pings(), Pings(), Reaches(ponged), Gone()]) as line:
        assert await asyncio.to_thread(ponged.wait, BOUND_S)
        assert line.usable


async def test_events_come_in_order_and_the_end_comes_for_ever() -> None:
    async with calling([joins(), *played("4 0 8")[1:4], Drops()]) as line:
        await line.send(line.talk.join("ttt"))
        assert [type(await next_of(line)) for _ in range(3)] == [Queued, Paired, Turn]
        for _ in range(3):
            closed = await next_of(line)
            assert isinstance(closed, Closed)
            assert isinstance(closed.error, VenueLost)
        assert not line.usable


async def test_what_is_no_message_ends_the_line_with_that_error() -> None:
    async with calling([Says("{"), Gone()]) as line:
        closed = await next_of(line)
        assert isinstance(closed, Closed)
        assert isinstance(closed.error, Unintelligible)


async def test_a_fault_of_this_client_is_seen_by_who_waits(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with calling([joins(), Says({"type": "pong"}), Gone()]) as line:
        monkeypatch.setattr(line.talk, "receive", lambda frame: 1 / 0)
        await line.send(line.talk.join("ttt"))
        closed = await next_of(line)
        assert isinstance(closed, Closed)
        assert isinstance(closed.error, Unintelligible)
    assert "ZeroDivisionError" in caplog.text


class TestALossInAMatch:
    LOST: ClassVar[list[Step]] = [joins(), hello(resume="r-1"), state(""), move("4", 0), Drops()]
    BACK = Hears({"type": "join", "game": "ttt", "resume": "r-1"})

    async def play_until_lost(self, line: Line) -> None:
        await line.send(line.talk.join("ttt"))
        assert [type(await next_of(line)) for _ in range(2)] == [Paired, Turn]
        await line.send(line.talk.move("4"))

    async def test_the_seat_is_taken_back_and_the_lost_move_sent_again(self) -> None:
        """Cases 29 and 34: the connection goes at ply 0, the match goes on."""
        back: list[Step] = [self.BACK, hello(resume="r-2"), state(""), move("4", 0), state("4"), state("4 0"), result()]
        async with calling(self.LOST, [*back, Gone()]) as line:
            await self.play_until_lost(line)
            turn = await next_of(line)
            assert isinstance(turn, Turn)
            assert turn.moves == ("4", "0")
            assert isinstance(await next_of(line), MatchResult)
            assert line.usable

    async def test_a_turn_may_be_answered_while_the_seat_is_away(self) -> None:
        lost = threading.Event()
        answered = threading.Event()
        before: list[Step] = [joins(), hello(resume="r-1"), state(""), Waits(lost), Drops()]
        back: list[Step] = [self.BACK, Waits(answered), hello(resume="r-2"), state(""), move("4", 0), result()]
        async with calling(before, [*back, Gone()]) as line:
            await line.send(line.talk.join("ttt"))
            assert [type(await next_of(line)) for _ in range(2)] == [Paired, Turn]
            lost.set()
            async with asyncio.timeout(BOUND_S):
                while line.talk.phase is not Phase.SUSPENDED:  # noqa: ASYNC110 - the core has no event to wait for
                    await asyncio.sleep(0)
            frame = line.talk.move("4")
            answered.set()
            assert frame
            assert isinstance(await next_of(line), MatchResult)

    async def test_a_venue_that_is_gone_loses_the_match(self) -> None:
        with ScriptedVenue(self.LOST, refusals=[]) as venue:
            line = await Line.dial(partial(Connection.dial, address(venue.url, "token")))
            venue.refuse_from_now_on()
            await self.play_until_lost(line)
            closed = await next_of(line)
            assert isinstance(closed, Closed)
            assert isinstance(closed.error, VenueLost)
            assert closed.error.match == "m-1"
            assert "no new one" in closed.error.message
            await line.hang_up()
