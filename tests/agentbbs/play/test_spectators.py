"""Onlookers: bounded queues that drop the oldest, and end with the match."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.agentbbs.play.venue import Venue, bots, chair
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.play.spectators import MAX_QUEUED_MESSAGES, Audience, Subscription


async def read_all(subscription: Subscription) -> list[bytes]:
    """Everything until the end."""
    return [message async for message in subscription]


def numbered(count: int) -> list[bytes]:
    """Messages that tell their place."""
    return [b"%d" % number for number in range(count)]


def test_what_was_put_is_read_in_order_and_then_it_ends() -> None:
    async def work() -> None:
        subscription = Subscription()
        for message in numbered(5):
            subscription.put(message)
        subscription.end()
        assert await read_all(subscription) == numbered(5)
        assert subscription.dropped == 0
        assert await read_all(subscription) == []

    in_virtual_time(work())


def test_a_reader_waits_for_news() -> None:
    async def work() -> None:
        subscription = Subscription()
        reading = asyncio.create_task(read_all(subscription))
        loop = asyncio.get_running_loop()
        for number in range(3):
            loop.call_later(number + 1, subscription.put, b"%d" % number)
        await pass_time(2.5)
        assert not reading.done()
        loop.call_later(1, subscription.end)
        assert await reading == numbered(3)

    in_virtual_time(work())


def test_a_reader_that_waits_is_woken_by_the_end() -> None:
    async def work() -> None:
        subscription = Subscription()
        reading = asyncio.create_task(read_all(subscription))
        await turn()
        subscription.end()
        assert await reading == []

    in_virtual_time(work())


@pytest.mark.parametrize("count", [MAX_QUEUED_MESSAGES, MAX_QUEUED_MESSAGES + 1, 10_000])
def test_a_slow_reader_loses_the_oldest_and_they_are_counted(count: int) -> None:
    async def work() -> None:
        subscription = Subscription()
        for message in numbered(count):
            subscription.put(message)
        subscription.end()
        assert subscription.dropped == count - MAX_QUEUED_MESSAGES
        assert await read_all(subscription) == numbered(count)[-MAX_QUEUED_MESSAGES:]

    in_virtual_time(work())


def test_a_reader_that_catches_up_loses_no_more() -> None:
    async def work() -> None:
        subscription = Subscription(max_messages=2)
        for message in numbered(3):
            subscription.put(message)
        assert [await anext(subscription), await anext(subscription)] == [b"1", b"2"]
        subscription.put(b"3")
        subscription.put(b"4")
        subscription.end()
        assert await read_all(subscription) == [b"3", b"4"]
        assert subscription.dropped == 1

    in_virtual_time(work())


def test_each_match_has_its_own_audience() -> None:
    async def work() -> None:
        audience = Audience()
        one, other, elsewhere = audience.join("m1"), audience.join("m1"), audience.join("m2")
        assert (audience.count(), "m1" in audience, "m3" in audience) == (3, True, False)
        audience.publish("m1", b"a")
        audience.publish("m3", b"nobody")
        audience.end("m1")
        assert (audience.count(), "m1" in audience) == (1, False)
        audience.publish("m1", b"too late")
        assert await read_all(one) == await read_all(other) == [b"a"]
        audience.end("m2")
        assert await read_all(elsewhere) == []

    in_virtual_time(work())


def test_who_leaves_hears_no_more_and_the_others_do() -> None:
    async def work() -> None:
        audience = Audience()
        one, other = audience.join("m1"), audience.join("m1")
        audience.leave("m1", one)
        assert "m1" in audience
        audience.publish("m1", b"a")
        audience.leave("m1", other)
        assert ("m1" in audience, audience.count()) == (False, 0)
        one.end()
        other.end()
        assert (await read_all(one), await read_all(other)) == ([], [b"a"])

    in_virtual_time(work())


def test_leaving_twice_or_after_the_end_is_no_fault() -> None:
    async def work() -> None:
        audience = Audience()
        subscription = audience.join("m1")
        audience.end("m1")
        audience.leave("m1", subscription)
        stays = audience.join("m2")
        audience.leave("m2", subscription)
        assert "m2" in audience
        audience.leave("m2", stays)
        audience.leave("m2", stays)
        audience.end("m2")
        assert audience.count() == 0

    in_virtual_time(work())


def test_a_reader_that_gives_up_waiting_can_come_back() -> None:
    async def work() -> None:
        subscription = Subscription()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await anext(subscription)
        subscription.put(b"a")
        assert await anext(subscription) == b"a"

    in_virtual_time(work())


def test_who_watches_a_match_first_hears_which_it_is_and_how_it_stands() -> None:
    async def work() -> None:
        venue = Venue()
        x, _ = bots(venue)
        chair(x).move("4")
        (match,) = venue.runner.live
        subscription = venue.audience.watch(match, venue.runner.now())
        chair(x).resign()
        watching, state, last, over = [json.loads(message) for message in await read_all(subscription)]
        assert (watching["type"], watching["match"], watching["players"]) == ("watching", match.id, ["x", "o"])
        assert watching["moves"] == ["4"]
        assert (state["type"], state["ply"], state["yourTurn"]) == ("state", 1, False)
        assert (last["observation"]["toMove"], over["type"]) == (-1, "over")

    in_virtual_time(work())
