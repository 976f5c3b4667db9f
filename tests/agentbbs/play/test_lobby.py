"""The lobby: waiting, leaving, and being paired."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest
from structlog.testing import capture_logs
from tests.agentbbs.play.venue import Venue, play_out, seated
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.play.lobby import SWEEP_S
from agentbbs.play.ports import FinishedMatch, Player, Settled, Standing
from agentbbs.protocol.agentgames import Termination

FIRST_ROW: Final = "03142"
DRAWN: Final = "012435768"


# Waiting


def test_a_lone_agent_is_told_that_nobody_came_and_may_join_again() -> None:
    async def work() -> None:
        venue = Venue(queue_wait_s=120)
        alice = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        await pass_time(119.9)
        assert alice.hears_kinds() == ["queued"]
        await pass_time(0.2)
        assert alice.hears() == [
            {
                "type": "error",
                "code": "no_opponent",
                "message": "nobody came to play within 120 s: join again, or practise",
            }
        ]
        assert (len(venue.lobby), venue.lobby.waiting("ttt")) == (0, 0)
        alice.joins()
        await turn()
        await venue.settled_in(venue.agent("bob", 2, "ttt"))
        assert alice.hears_kinds() == ["queued", "hello", "state"]

    in_virtual_time(work())


def test_after_no_opponent_the_connection_is_closed_when_it_stays_idle() -> None:
    async def work() -> None:
        venue = Venue(queue_wait_s=5)
        alice = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        await pass_time(5 + 29.9)
        assert alice.wire.closed is None
        await pass_time(0.2)
        assert alice.wire.closed == (1000, "idle")

    in_virtual_time(work())


def test_who_plays_is_not_told_that_nobody_came() -> None:
    async def work() -> None:
        venue = Venue(queue_wait_s=5, move_timeout_ms=60_000)
        first, second = await venue.pair()
        await pass_time(30)
        assert [first.hears_kinds()[-1], second.hears_kinds()[-1]] == ["state", "state"]

    in_virtual_time(work())


def test_queued_counts_those_who_wait_for_that_game() -> None:
    async def work() -> None:
        venue = Venue()
        for number in range(1, 4):
            many = await venue.settled_in(venue.agent("many", 1, "ttt"))
            assert many.hears() == [{"type": "queued", "game": "ttt", "waiting": number}]
        other = await venue.settled_in(venue.agent("many", 1, "c4"))
        assert other.hears() == [{"type": "queued", "game": "c4", "waiting": 1}]
        assert (venue.lobby.waiting("ttt"), venue.lobby.waiting("c4"), len(venue.lobby)) == (3, 1, 4)

    in_virtual_time(work())


def test_queued_counts_those_too_whose_standing_is_being_read() -> None:
    """They were told that they wait."""

    async def work() -> None:
        venue = Venue()
        venue.ladders.gate = asyncio.Event()
        agents = [venue.agent("many", 1, "ttt") for _ in range(3)]
        assert [agent.hears()[0]["waiting"] for agent in agents] == [1, 2, 3]

    in_virtual_time(work())


def test_people_can_see_who_waits_and_how_far_each_looks() -> None:
    async def work() -> None:
        venue = Venue()
        venue.log.standings[1, "ttt"] = Standing(rating=1612.4, played=9)
        await venue.settled_in(venue.agent("alice", 1, "ttt"))
        await pass_time(2)
        await venue.settled_in(venue.agent("alice", 1, "c4"))
        await pass_time(1)
        first, second = venue.lobby.queues()
        assert (first.game, first.name, first.account, first.rating) == ("ttt", "alice", 1, 1612)
        assert (first.waited_s, first.window) == (3.0, 500)
        assert (second.game, second.rating, second.waited_s, second.window) == ("c4", 1500, 1.0, 300)

    in_virtual_time(work())


# Leaving


def test_who_leaves_the_queue_is_gone_at_once() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        alice.hangs_up()
        assert (len(venue.lobby), venue.lobby.waiting("ttt"), venue.lobby.queues()) == (0, 0, ())
        bob = await venue.settled_in(venue.agent("bob", 2, "ttt"))
        await pass_time(10)
        assert bob.hears() == [{"type": "queued", "game": "ttt", "waiting": 1}]
        assert venue.playing == 0

    in_virtual_time(work())


def test_who_leaves_while_its_standing_is_read_never_enters() -> None:
    async def work() -> None:
        venue = Venue()
        venue.ladders.gate = asyncio.Event()
        alice = venue.agent("alice", 1, "ttt")
        await turn()
        alice.hangs_up()
        venue.ladders.gate.set()
        await turn()
        assert venue.lobby.waiting("ttt") == 0
        await venue.settled_in(venue.agent("bob", 2, "ttt"))
        assert venue.playing == 0

    in_virtual_time(work())


def test_who_is_closed_for_bad_messages_leaves_the_queue() -> None:
    async def work() -> None:
        venue = Venue()
        alice = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        for _ in range(20):
            alice.says("nonsense")
        assert (alice.wire.closed, len(venue.lobby)) == ((1008, "20 bad messages"), 0)

    in_virtual_time(work())


def test_leaving_a_queue_one_is_not_in_is_no_fault() -> None:
    async def work() -> None:
        venue = Venue()
        venue.agent("alice", 1).hangs_up()
        assert len(venue.lobby) == 0

    in_virtual_time(work())


# Pairing


def test_two_connections_of_one_account_are_two_entries_that_never_meet() -> None:
    async def work() -> None:
        venue = Venue()
        one = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        other = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        await pass_time(60)
        assert venue.playing == 0
        for number in (2, 3):
            await venue.settled_in(venue.agent("bob", number, "ttt"))
        assert one.hears_kinds() == other.hears_kinds() == ["queued", "hello", "state"]
        assert venue.playing == 2

    in_virtual_time(work())


def test_the_oldest_entry_of_an_account_is_paired_first() -> None:
    async def work() -> None:
        venue = Venue()
        old = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        await pass_time(1)
        new = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        await venue.settled_in(venue.agent("bob", 2, "ttt"))
        assert old.hears_kinds() == ["queued", "hello", "state"]
        assert new.hears_kinds() == ["queued"]

    in_virtual_time(work())


def test_those_who_wait_for_different_games_do_not_meet() -> None:
    async def work() -> None:
        venue = Venue()
        await venue.settled_in(venue.agent("alice", 1, "ttt"))
        await venue.settled_in(venue.agent("bob", 2, "c4"))
        await pass_time(30)
        assert venue.playing == 0
        await venue.settled_in(venue.agent("carol", 3, "Connect4"))
        assert [match.game.id for match in venue.runner.live] == ["c4"]

    in_virtual_time(work())


@pytest.mark.parametrize(("gap", "after_s"), [(200.0, 0.0), (250.0, 0.5), (1000.0, 8.0)])
def test_far_ratings_meet_when_the_window_is_wide_enough(gap: float, after_s: float) -> None:
    async def work() -> None:
        venue = Venue()
        venue.log.standings[2, "ttt"] = Standing(rating=1500 + gap, played=30)
        alice = venue.agent("alice", 1, "ttt")
        await venue.settled_in(venue.agent("bob", 2, "ttt"))
        if after_s:
            await pass_time(after_s - 0.01)
            assert alice.hears_kinds() == ["queued"]
            await pass_time(SWEEP_S + 0.02)
        assert "hello" in alice.hears_kinds()

    in_virtual_time(work())


@pytest.mark.parametrize("first", ["low", "high"])
def test_of_two_at_one_distance_whoever_waits_longer_is_met(first: str) -> None:
    async def work() -> None:
        venue = Venue()
        venue.log.standings.update(
            {(1, "ttt"): Standing(rating=1395.0, played=9), (2, "ttt"): Standing(rating=1605.0, played=9)}
        )
        low, high = venue.agent("low", 1), venue.agent("high", 2)
        one, other = (low, high) if first == "low" else (high, low)
        one.joins()
        await pass_time(0.01)
        other.joins()
        await turn()
        await venue.settled_in(venue.agent("newcomer", 3, "ttt"))
        assert one.hears_kinds() == ["queued", "hello", "state"]
        assert other.hears_kinds() == ["queued"]

    in_virtual_time(work())


@pytest.mark.parametrize("turns", range(6))
def test_an_opponent_who_comes_at_the_very_end_of_the_wait_is_met_or_missed(turns: int) -> None:
    """The join is read in the turns of the loop around that in which the wait ends."""

    async def work() -> None:
        venue = Venue(queue_wait_s=5)
        venue.ladders.log.standings[2, "ttt"] = Standing()
        alice = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        bob = venue.agent("bob", 2)

        def joins(left: int) -> None:
            if left:
                venue.loop.call_soon(joins, left - 1)
            else:
                bob.joins()

        venue.loop.call_at(venue.loop.time() + 5, joins, turns)
        await pass_time(6)
        alices, bobs = alice.hears_kinds(), bob.hears_kinds()
        met = ["queued", "hello", "state"]
        assert (alices, bobs) in ((met, met), (["queued", "no_opponent"], ["queued"]))
        assert venue.playing == (alices == met)

    in_virtual_time(work())


@pytest.mark.parametrize("turns", range(5))
def test_a_join_at_the_very_end_of_the_idle_time_never_costs_a_match(turns: int) -> None:
    """Closed as idle before it was read, or seated: but never seated and then closed, which would forfeit."""

    async def work() -> None:
        venue = Venue(move_timeout_ms=60_000)
        alice, bob = await venue.pair()
        play_out((alice, bob), DRAWN)
        bob.joins()
        await turn()
        idle_at = venue.loop.time() + 30

        def joins(left: int) -> None:
            if left:
                venue.loop.call_soon(joins, left - 1)
            else:
                alice.joins()

        venue.loop.call_at(idle_at, joins, turns)
        await pass_time(31)
        assert len(venue.log.recorded) == 1, "the draw alone"
        assert (alice.wire.closed is None) is (venue.playing == 1)

    in_virtual_time(work())


def test_nobody_sweeps_where_nobody_could_be_paired() -> None:
    """One account alone waits: no timer runs but its own."""

    async def work() -> None:
        venue = Venue()
        await venue.settled_in(venue.agent("alice", 1, "ttt"))
        await venue.settled_in(venue.agent("alice", 1, "ttt"))
        start = venue.loop.time()
        look = venue.alarms._deadlines.next_look()
        assert look is not None
        assert look >= start + 29

    in_virtual_time(work())


def test_a_recent_opponent_is_avoided_while_another_waits() -> None:
    """After their draw alice stands at 1595 and bob at 1505; carol, farther from alice, waits as well."""

    async def work() -> None:
        venue = Venue()
        for account, rating in ((1, 1600.0), (2, 1500.0), (3, 1790.0)):
            venue.log.standings[account, "ttt"] = Standing(rating=rating, played=9)
        alice, bob, carol = venue.agent("alice", 1), venue.agent("bob", 2), venue.agent("carol", 3)
        alice.joins()
        bob.joins()
        await turn()
        play_out(seated(alice, bob), DRAWN)
        alice.hears()
        bob.hears()
        bob.joins()
        await pass_time(0.1)
        carol.joins()
        await turn()
        alice.joins()
        await turn()
        assert bob.hears_kinds() == ["queued"]
        assert carol.hears_kinds() == alice.hears_kinds()[-3:] == ["queued", "hello", "state"]

    in_virtual_time(work())


def test_a_standing_that_was_committed_while_an_older_one_was_read_counts() -> None:
    async def work() -> None:
        venue = Venue()
        gate = venue.ladders.gate = asyncio.Event()
        venue.agent("alice", 1, "ttt")
        await turn()
        newer = Standing(rating=1900.0, played=40, firsts=20)
        venue.lobby.told(
            finished((Player(1, "alice", "ws"), Player(8, "zoe", "ws"))),
            Settled((Standing(), Standing()), (newer, Standing())),
        )
        gate.set()
        await turn()
        (waiting,) = venue.lobby.queues()
        assert waiting.rating == 1900

    in_virtual_time(work())


def finished(players: tuple[Player, Player]) -> FinishedMatch:
    """A match of these two that was just committed."""
    return FinishedMatch(
        id="m0",
        game="ttt",
        rules_version=1,
        players=players,
        plies=(),
        unplayed=(),
        winner=0,
        termination=Termination.RESIGN,
        reason="forfeit: resign",
        rated=True,
        why=None,
        move_timeout_ms=15_000,
        started_ms=0,
        ended_ms=0,
    )


def test_a_ladder_that_cannot_be_read_turns_the_agent_away_and_is_logged() -> None:
    async def work() -> None:
        venue = Venue()
        venue.ladders.broken = True
        with capture_logs() as logs:
            alice = await venue.settled_in(venue.agent("alice", 1, "ttt"))
        assert alice.hears() == [
            {"type": "queued", "game": "ttt", "waiting": 1},
            {"type": "error", "code": "internal", "message": "the ladder could not be read; try again"},
        ]
        assert [(entry["event"], entry["account"], entry["game"]) for entry in logs] == [("standing_unread", 1, "ttt")]
        assert len(venue.lobby) == 0
        venue.ladders.broken = False
        alice.joins()
        await turn()
        assert (alice.hears_kinds(), len(venue.lobby)) == (["queued"], 1)

    in_virtual_time(work())


def test_a_broken_ladder_is_not_told_to_who_has_left() -> None:
    async def work() -> None:
        venue = Venue()
        gate = venue.ladders.gate = asyncio.Event()
        venue.ladders.broken = True
        alice = venue.agent("alice", 1, "ttt")
        await turn()
        alice.hears()
        alice.hangs_up()
        with capture_logs():
            gate.set()
            await turn()
        assert alice.hears() == []

    in_virtual_time(work())
