"""The runner performs what a match asks for: seats are told, deadlines set, results stored, onlookers served."""

from __future__ import annotations

from typing import Final

import pytest
from structlog.testing import capture_logs
from tests.agentbbs.play.scripted import ScriptedBot
from tests.agentbbs.play.venue import Venue, bots, chair, play_out, seated
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.games.c4 import C4
from agentbbs.games.ttt import TTT
from agentbbs.play.match import STRIKES
from agentbbs.play.ports import StrikeKind
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.errors import Code

FIRST_ROW: Final = "03142"


# Seats


def test_seats_hear_hello_then_positions_then_the_result() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=2_500)
        x, o = bots(venue)
        hello = x.told("hello")[0][1]
        assert (hello.player, hello.game, hello.opponent, hello.move_timeout_ms) == (0, "ttt", "o", 2_500)
        assert o.told("hello")[0][1].match == hello.match
        for ply, move in enumerate(FIRST_ROW):
            chair((x, o)[ply % 2]).move(move)
        assert [heard[0] for heard in x.heard] == ["hello", "ask", "show", "ask", "show", "ask", "show", "result"]
        assert [heard[0] for heard in o.heard] == ["hello", "show", "ask", "show", "ask", "show", "show", "result"]
        assert [heard[2] for heard in x.told("show")] == [False, False, True]

    in_virtual_time(work())


def test_a_match_can_be_looked_up_while_it_is_on() -> None:
    async def work() -> None:
        venue = Venue()
        x, o = bots(venue)
        match_id = x.told("hello")[0][1].match
        match = venue.runner.match(match_id)
        assert match is not None
        assert venue.runner.live == (match,)
        assert (chair(x).game, chair(x).position.ply) == ("ttt", 0)
        chair(o).resign()
        assert venue.runner.match(match_id) is None
        assert venue.playing == 0

    in_virtual_time(work())


def test_every_match_has_an_id_of_its_own() -> None:
    async def work() -> None:
        venue = Venue()
        started = [venue.runner.start(C4, (ScriptedBot(plays=False), ScriptedBot(plays=False))) for _ in range(100)]
        assert len(set(started)) == 100

    in_virtual_time(work())


@pytest.mark.parametrize("offender", [0, 1])
@pytest.mark.parametrize(
    ("deed", "termination"),
    [
        ("resign", Termination.RESIGN),
        ("leave", Termination.DISCONNECT),
        ("fail", Termination.SERVER),
    ],
)
def test_what_a_seat_can_do_beside_moving(deed: str, termination: Termination, offender: int) -> None:
    async def work() -> None:
        venue = Venue()
        pair = bots(venue)
        getattr(chair(pair[offender]), deed)(*(["void: server error"] if deed == "fail" else []))
        (match,) = venue.log.committed
        assert match.termination is termination
        assert match.winner == (-1 if deed == "fail" else 1 - offender)
        results = [bot.told("result")[0][1] for bot in pair]
        expected = ["void", "void"] if deed == "fail" else ["win", "win"]
        if deed != "fail":
            expected[offender] = "loss"
        assert [result.outcome for result in results] == expected

    in_virtual_time(work())


def test_a_chair_of_a_match_that_is_over_has_no_effect() -> None:
    async def work() -> None:
        venue = Venue()
        x, o = bots(venue)
        chair(x).resign()
        heard = list(x.heard), list(o.heard)
        for deed, arguments in (
            ("handed", ()),
            ("fault", ("redirect",)),
            ("resign", ()),
            ("leave", ()),
            ("fail", ("void: server error",)),
        ):
            getattr(chair(o), deed)(*arguments)
        assert (x.heard, o.heard) == heard
        assert len(venue.log.recorded) == 1

    in_virtual_time(work())


def test_a_late_move_of_a_seat_is_logged_and_refused_and_the_next_match_is_clean() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=100)
        x, o = bots(venue)
        await pass_time(0.2)
        with capture_logs() as logs:
            chair(x).move("4")
        assert [(entry["event"], entry["seat"]) for entry in logs] == [("late_move", 0)]
        assert x.heard[-1] == ("refuse", Code.GAME_OVER)
        assert venue.tally.late_moves == 1
        assert venue.log.committed[0].plies == ()
        x, o = bots(venue)
        for ply, move in enumerate(FIRST_ROW):
            chair((x, o)[ply % 2]).move(move)
        assert venue.log.committed[1].winner == 0

    in_virtual_time(work())


# Clocks


def test_a_seat_that_is_always_too_slow_times_out_at_its_first_move() -> None:
    """Limit 100 ms; the agent takes 150 ms for every move."""

    async def work() -> None:
        venue = Venue(move_timeout_ms=100)
        first, _ = await venue.pair()
        venue.loop.call_later(0.150, first.moves, "4")
        await pass_time(0.149)
        assert first.hears()[-1]["reason"] == "forfeit: timeout"
        await pass_time(1)
        assert first.hears_kinds() == ["game_over"]
        (match,) = venue.log.committed
        assert (match.plies, match.winner, match.unplayed[0].ms) == ((), 1, 100)
        assert venue.tally.late_moves == 1
        assert venue.tally.matches_ended == {"timeout": 1}

    in_virtual_time(work())


def test_a_move_just_in_time_has_its_time_and_a_new_clock_runs() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=100)
        first, second = await venue.pair()
        await pass_time(0.099)
        first.moves("4")
        await pass_time(0.099)
        second.moves("0")
        await pass_time(0.099)
        assert venue.playing == 1
        await pass_time(0.002)
        (match,) = venue.log.committed
        assert [(ply.move, ply.ms) for ply in match.plies] == [("4", 99), ("0", 99)]
        assert (match.winner, match.termination) == (1, "timeout")
        assert match.ended_ms - match.started_ms == 298

    in_virtual_time(work())


def test_being_idle_on_the_wire_is_not_being_disconnected() -> None:
    """20 s of thought, still answering pings: nobody wins by it."""

    async def work() -> None:
        venue = Venue(move_timeout_ms=60_000)
        first, second = await venue.pair()
        for _ in range(20):
            await pass_time(1)
            first.says({"type": "ping"})
        assert first.hears_kinds()[-20:] == ["pong"] * 20
        first.moves("4")
        assert second.hears()[-1]["ply"] == 1

    in_virtual_time(work())


def test_refused_messages_do_not_stop_the_clock() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=1_000)
        first, second = await venue.pair()
        await pass_time(0.5)
        first.says("nonsense")
        first.moves("4", ply=3)
        second.moves("4")
        await pass_time(0.51)
        (match,) = venue.log.committed
        assert (match.winner, match.termination) == (1, "timeout")

    in_virtual_time(work())


def test_a_seat_whose_transport_waits_has_no_clock_until_it_is_handed_over() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=1_000)
        x = ScriptedBot("x", STRIKES(3), plays=False)
        x.hands_at_once = False
        venue.runner.start(TTT, (x, ScriptedBot("o", plays=False)))
        await pass_time(30)
        assert venue.playing == 1
        chair(x).handed()
        await pass_time(0.9)
        chair(x).move("4")
        assert venue.runner.live[0].plies[0].ms == 900

    in_virtual_time(work())


def test_a_seat_that_waits_again_after_a_strike_is_not_struck_by_its_old_deadline() -> None:
    """A bad answer at 0.9 s of 1 s, then the next request waits for a slot."""

    async def work() -> None:
        venue = Venue(move_timeout_ms=1_000)
        x, _ = bots(venue, strikes=True)
        await pass_time(0.9)
        x.hands_at_once = False
        chair(x).fault("redirect", "302")
        assert x.heard[-1][0::2] == ("ask", 1)
        await pass_time(20)
        assert x.told("ask")[-1][2] == 1, "one strike, and no more while it waits"
        chair(x).handed()
        await pass_time(0.5)
        chair(x).move("4")
        assert [strike.kind for strike in venue.runner.live[0].plies[0].strikes] == ["redirect"]

    in_virtual_time(work())


def test_three_silences_are_three_strikes_each_after_all_of_the_time() -> None:
    async def work() -> None:
        venue = Venue(move_timeout_ms=1_000)
        x, _ = bots(venue, strikes=True)
        await pass_time(2.5)
        assert [heard[2] for heard in x.told("ask")] == [0, 1, 2]
        assert {heard[1].ply for heard in x.told("ask")} == {0}
        await pass_time(0.6)
        (match,) = venue.log.committed
        assert (match.termination, match.winner) == (Termination.STRIKES, 1)
        assert [(strike.kind, strike.ms) for strike in match.unplayed] == [(StrikeKind.TIMEOUT, 1_000)] * 3

    in_virtual_time(work())


def test_slow_agents_do_not_slow_other_matches() -> None:
    """One match uses all of its time at every move; another is played out meanwhile, in no time."""

    async def work() -> None:
        venue = Venue(move_timeout_ms=10_000)
        slow = await venue.pair()
        quick = seated(venue.agent("carol", 3, "ttt"), await venue.settled_in(venue.agent("dave", 4, "ttt")))
        await pass_time(9)
        play_out(quick, FIRST_ROW)
        (match,) = venue.log.committed
        assert sum(ply.ms for ply in match.plies[1:]) == 0
        slow[0].moves("4")
        assert venue.runner.live[0].plies[0].ms == 9_000

    in_virtual_time(work())


# The tally


def test_what_happens_is_counted() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        await pass_time(0.003)
        play_out((first, second), FIRST_ROW)
        assert (venue.tally.matches_begun, dict(venue.tally.matches_ended)) == (1, {"normal": 1})
        assert (venue.tally.moves, venue.tally.move_ms_sum) == (5, 3)
        assert (venue.tally.connections, venue.tally.connections_total) == (2, 2)

    in_virtual_time(work())


def test_a_refused_or_illegal_move_is_not_counted_as_a_move() -> None:
    async def work() -> None:
        venue = Venue()
        first, second = await venue.pair()
        second.moves("0")
        first.moves("0", ply=7)
        first.moves("nonsense")
        assert venue.tally.moves == 0

    in_virtual_time(work())


def test_house_bots_play_a_whole_match_among_themselves() -> None:
    async def work() -> None:
        venue = Venue()
        x, _ = bots(venue, plays=True)
        await turn(50)
        (match,) = venue.log.committed
        assert match.termination is Termination.NORMAL
        assert x.told("result")[0][1].opponent_rating is None

    in_virtual_time(work())
