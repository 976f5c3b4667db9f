"""The end of the evening: the runner waits for matches and results, then voids what is still on."""

from __future__ import annotations

from typing import Final

import pytest
from structlog.testing import capture_logs
from tests.agentbbs.play.scripted import ScriptedLog
from tests.agentbbs.play.venue import Venue, bots, chair, play_out, seated
from tests.agentbbs.play.virtual_time import in_virtual_time

from agentbbs.protocol.agentgames import VOID_SHUTDOWN

FIRST_ROW: Final = "03142"


def test_a_drain_with_nothing_on_is_over_at_once() -> None:
    async def work() -> None:
        venue = Venue()
        start = venue.loop.time()
        await venue.runner.drain(10)
        assert venue.loop.time() == start

    in_virtual_time(work())


def test_a_drain_waits_for_matches_and_for_their_results() -> None:
    async def work() -> None:
        venue = Venue(log=ScriptedLog())
        first, second = await venue.pair()
        venue.loop.call_later(3, play_out, (first, second), FIRST_ROW)
        venue.loop.call_later(5, venue.log.commit)
        start = venue.loop.time()
        await venue.runner.drain(10)
        assert venue.loop.time() - start == pytest.approx(5)
        assert (first.hears()[-1]["outcome"], second.hears()[-1]["outcome"]) == ("win", "loss")

    in_virtual_time(work())


@pytest.mark.parametrize("drain_s", [0.0, 10.0])
def test_what_is_still_on_after_the_drain_is_void_and_costs_nobody_anything(drain_s: float) -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=60_000)
        first, second = await venue.pair()
        first.moves("4")
        start = venue.loop.time()
        with capture_logs() as logs:
            await venue.runner.drain(drain_s)
        assert venue.loop.time() - start == pytest.approx(drain_s)
        assert [(entry["event"], entry["count"]) for entry in logs] == [("matches_voided", 1)]
        match_id = venue.log.committed[0].id
        for agent in (first, second):
            assert agent.hears()[-1] == {
                "type": "result",
                "winner": -1,
                "outcome": "void",
                "rating": 1500,
                "match": match_id,
                "reason": VOID_SHUTDOWN,
                "termination": "server",
                "rated": False,
                "ratingBefore": 1500,
                "opponentRating": 1500,
                "why": VOID_SHUTDOWN,
            }
        assert venue.log.standings == {}
        assert [ply.move for ply in venue.log.committed[0].plies] == ["4"]

    in_virtual_time(work())


def test_a_drain_ends_when_void_matches_are_told_and_not_before() -> None:
    async def work() -> None:
        venue = Venue(log=ScriptedLog(), move_timeout_ms=60_000)
        await venue.pair()
        seated(venue.agent("carol", 3, "ttt"), await venue.settled_in(venue.agent("dave", 4, "ttt")))
        venue.loop.call_later(12, venue.log.commit)
        venue.loop.call_later(13, venue.log.fail)
        start = venue.loop.time()
        with capture_logs():
            await venue.runner.drain(10)
        assert venue.loop.time() - start == pytest.approx(13)

    in_virtual_time(work())


def test_matches_that_end_by_silence_do_not_hold_the_drain_up() -> None:
    """Eight matches, two of which time out."""

    async def work() -> None:
        venue = Venue(move_timeout_ms=2_000)
        for n in range(8):
            pair = seated(
                venue.agent("x", 2 * n + 1, "ttt"), await venue.settled_in(venue.agent("o", 2 * n + 2, "ttt"))
            )
            if n % 4:
                venue.loop.call_later(1, play_out, pair, FIRST_ROW)
        start = venue.loop.time()
        await venue.runner.drain(10)
        assert venue.loop.time() - start == pytest.approx(2)
        assert venue.tally.matches_ended == {"normal": 6, "timeout": 2}

    in_virtual_time(work())


def test_a_drain_waits_for_matches_that_are_on_when_others_are_told() -> None:
    async def work() -> None:
        venue = Venue()
        pairs = [
            seated(venue.agent("x", 2 * n + 1, "ttt"), await venue.settled_in(venue.agent("o", 2 * n + 2, "ttt")))
            for n in range(2)
        ]
        for n, pair in enumerate(pairs):
            venue.loop.call_later(2 * n + 1, play_out, pair, FIRST_ROW)
        start = venue.loop.time()
        await venue.runner.drain(10)
        assert venue.loop.time() - start == pytest.approx(3)
        assert [match.termination for match in venue.log.committed] == ["normal", "normal"]

    in_virtual_time(work())


def test_a_drain_that_is_over_leaves_a_runner_that_can_drain_again() -> None:
    async def work() -> None:
        venue = Venue(log=ScriptedLog())
        first, second = await venue.pair()
        play_out((first, second), FIRST_ROW)
        venue.log.commit()
        await venue.runner.drain(1)
        x, _ = bots(venue)
        chair(x).resign()
        venue.loop.call_later(0.5, venue.log.commit)
        await venue.runner.drain(1)
        assert len(x.told("result")) == 1

    in_virtual_time(work())
