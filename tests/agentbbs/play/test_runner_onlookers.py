"""The runner serves onlookers: every position and the end, and nobody who is slow slows a match."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from tests.agentbbs.play.venue import Venue, bots, chair, play_out
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time

from agentbbs.play.spectators import MAX_QUEUED_MESSAGES, Subscription

FIRST_ROW: Final = "03142"


def read(onlooker: Subscription) -> list[dict[str, Any]]:
    """What lies in an onlooker's queue."""
    return [json.loads(message) for message in onlooker._messages]


async def read_to_the_end(onlooker: Subscription) -> list[dict[str, Any]]:
    """All that an onlooker is sent until its match is over."""
    return [json.loads(message) async for message in onlooker]


def test_onlookers_see_every_position_and_the_end() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        onlookers = [venue.audience.join(first.match) for _ in range(3)]
        play_out((first, second), FIRST_ROW)
        for onlooker in onlookers:
            *states, over = await read_to_the_end(onlooker)
            assert [state["ply"] for state in states] == [1, 2, 3, 4, 5]
            assert [state["lastMove"] for state in states] == list(FIRST_ROW)
            assert not any(state["yourTurn"] for state in states)
            assert (states[-1]["observation"]["toMove"], states[-1]["observation"]["legal"]) == (-1, [])
            assert over == {
                "type": "over",
                "match": venue.log.committed[0].id,
                "winner": 0,
                "termination": "normal",
                "reason": None,
                "plies": 5,
                "rated": True,
            }
        assert venue.audience.count() == 0

    in_virtual_time(work())


@pytest.mark.parametrize(
    ("deed", "termination", "reason"),
    [("resign", "resign", "forfeit: resign"), ("hang up", "disconnect", "forfeit: disconnect")],
)
def test_onlookers_see_a_forfeit(deed: str, termination: str, reason: str) -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        onlooker = venue.audience.join(first.match)
        first.moves("4")
        if deed == "resign":
            second.says({"type": "resign"})
        else:
            second.hangs_up()
        state, final, over = await read_to_the_end(onlooker)
        assert (state["ply"], final["ply"], final["observation"]["legal"]) == (1, 1, [])
        assert (over["winner"], over["termination"], over["reason"], over["plies"]) == (0, termination, reason, 1)

    in_virtual_time(work())


def test_onlookers_see_a_seat_that_is_asked_once_more() -> None:
    """A strike leaves the position as it is, and begins the time for it anew."""

    async def work() -> None:
        venue = Venue(move_timeout_ms=15_000)
        first, _ = bots(venue, strikes=True)
        (match,) = venue.runner.live
        onlooker = venue.audience.watch(match, venue.runner.now())
        await pass_time(2)
        chair(first).fault("nonce")
        chair(first).move("9")
        chair(first).move("4")
        *_, nonce, illegal, moved = read(onlooker)
        assert [(state["ply"], state["remainingMs"]) for state in (nonce, illegal)] == [(0, 15_000)] * 2
        assert moved["ply"] == 1
        assert len(read(onlooker)) == 5

    in_virtual_time(work())


def test_an_onlooker_who_never_reads_loses_the_oldest_and_slows_nobody() -> None:
    """Forty long games' worth of positions in one match's queue: bounded, the newest kept."""

    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair("c4")
        slow = venue.audience.join(first.match, max_messages=4)
        reading = venue.audience.join(first.match)
        play_out((first, second), "331650114266141231434452363064260555520200")
        assert second.hears()[-1]["type"] == "result"
        assert slow.dropped == 43 - 4
        assert [message.get("ply") for message in read(slow)] == [40, 41, 42, None]
        assert len(await read_to_the_end(reading)) == 43
        assert reading.dropped == 0

    in_virtual_time(work())


def test_nothing_is_made_for_a_match_that_nobody_watches() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        onlooker = venue.audience.join(first.match)
        venue.audience.leave(first.match, onlooker)
        play_out((first, second), FIRST_ROW)
        assert read(onlooker) == []
        assert MAX_QUEUED_MESSAGES >= 43, "a whole match of Connect 4 fits"

    in_virtual_time(work())
