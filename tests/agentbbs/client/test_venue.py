"""The asynchronous face against scripted venues."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from tests.scripted_venue import (
    Closes,
    Drops,
    Gone,
    Hears,
    Pings,
    Reaches,
    Says,
    ScriptedVenue,
    Step,
    Waits,
    error,
    hello,
    move,
    played,
    queued,
    result,
    state,
)
from tests.scripted_venue import join as joins

from agentbbs.client import Misuse, NoOpponent, Queued, Refused, Turn, UnknownGame, VenueFault, VenueLost, VenueStopping
from agentbbs.client import connect as connect_to
from agentbbs.client.venue import Venue

FIRST_ROW = "0 3 1 4 2"
MINE = ("0", "1", "2")
RESIGNS = Hears({"type": "resign"})
PAIRED: list[Step] = [joins(), queued(), hello(), state("")]
RESIGNED: list[Step] = [
    RESIGNS,
    state("", over=True),
    result(outcome="loss", termination="resign", reason="forfeit: resign"),
]


def connect(venue: ScriptedVenue) -> Venue:
    return connect_to(venue.url, token="token")


def scripted(turn: Turn) -> str:
    """The moves of the first seat in FIRST_ROW."""
    return MINE[turn.ply // 2]


class TestAMatch:
    async def test_turn_by_turn(self) -> None:
        with ScriptedVenue([*played(FIRST_ROW), Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                assert (match.id, match.game, match.player, match.opponent) == ("m-1", "ttt", 0, "bob")
                assert match.move_timeout_ms == 15000
                plies = []
                async for turn in match:
                    plies.append(turn.ply)
                    await match.move(scripted(turn))
                assert plies == [0, 2, 4]
                assert match.over
                assert match.result.outcome == "win"
                assert match.result.moves == tuple(FIRST_ROW.split())

    async def test_a_plain_function_that_chooses_leaves_the_loop_free_for_pings(self) -> None:
        thinking, ponged = threading.Event(), threading.Event()
        script: list[Step] = [*PAIRED, Waits(thinking), Pings(), Reaches(ponged), move("0", 0), result(), Gone()]

        def choose(turn: Turn) -> str:
            thinking.set()
            assert ponged.wait(10)
            return turn.legal[0]

        with ScriptedVenue(script) as there:
            async with connect(there) as venue:
                assert (await venue.play("ttt", choose)).rating == 1516

    async def test_an_async_function_that_chooses(self) -> None:
        async def choose(turn: Turn) -> str:
            await asyncio.sleep(0)
            return scripted(turn)

        class Chooser:
            async def __call__(self, turn: Turn) -> str:
                return await choose(turn)

        with ScriptedVenue([*played(FIRST_ROW), *played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                assert (await venue.play("ttt", choose)).match == "m-1"
                assert (await venue.play("ttt", Chooser())).match == "m-2"

    async def test_the_next_match_is_joined_on_the_open_connection(self) -> None:
        with ScriptedVenue([*played(FIRST_ROW), *played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                ids = [(await venue.play("ttt", scripted)).match for _ in range(2)]
        assert ids == ["m-1", "m-2"]
        assert len(there.requests) == 1

    async def test_practice_against_a_house_bot(self) -> None:
        with ScriptedVenue([*played(FIRST_ROW, practice=True), Gone()]) as there:
            async with connect(there) as venue:
                assert (await venue.play("ttt", scripted, practice="random")).outcome == "win"

    async def test_who_waits_is_told(self) -> None:
        told: list[Queued] = []
        with ScriptedVenue([*played(FIRST_ROW), Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt", on_queued=told.append)
                await match.play(scripted)
        assert told == [Queued("ttt", 1)]

    async def test_strange_and_repeated_messages_change_nothing(self) -> None:
        """Cases 25 and 33: whatever comes late or twice, the match is played and the next one too."""
        later = Says({"type": "later", "sky": "blue"})
        noisy = [
            one for step in played(FIRST_ROW) for one in ([step, later, step] if isinstance(step, Says) else [step])
        ]
        late = [error("game_over"), error("stale_ply")]
        with ScriptedVenue([*noisy, *late, *played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                assert (await venue.play("ttt", scripted)).match == "m-1"
                assert (await venue.play("ttt", scripted)).match == "m-2"


async def fail_in_the_block(there: ScriptedVenue) -> None:
    async with connect(there) as venue:
        async for turn in await venue.join("ttt"):
            _ = 1 / turn.ply


class TestLeaving:
    async def test_leaving_in_a_match_resigns_it(self) -> None:
        with ScriptedVenue([*PAIRED, *RESIGNED, Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                assert match.on
        assert match.result.reason == "forfeit: resign"

    async def test_an_exception_in_the_block_reaches_the_caller_after_resigning(self) -> None:
        with ScriptedVenue([*PAIRED, *RESIGNED, Gone()]) as there, pytest.raises(ZeroDivisionError):
            await fail_in_the_block(there)

    @pytest.mark.parametrize("asynchronous", [False, True])
    async def test_what_choose_raises_reaches_the_caller_and_the_venue_stays_usable(self, asynchronous: bool) -> None:
        def choose(turn: Turn) -> str:
            raise ZeroDivisionError

        async def choose_async(turn: Turn) -> str:
            raise ZeroDivisionError

        with ScriptedVenue([*PAIRED, *RESIGNED, *played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                with pytest.raises(ZeroDivisionError):
                    await venue.play("ttt", choose_async if asynchronous else choose)
                assert (await venue.play("ttt", scripted)).match == "m-2"

    async def test_an_exhausted_iterator_in_choose_does_not_hang(self) -> None:
        moves = iter(())
        with ScriptedVenue([*PAIRED, *RESIGNED, Gone()]) as there:
            async with connect(there) as venue:
                with pytest.raises(RuntimeError, match="StopIteration"):
                    await venue.play("ttt", lambda turn: next(moves))

    async def test_a_choice_that_is_no_text_is_a_misuse(self) -> None:
        def choose(turn: Turn) -> Any:
            return 4

        with ScriptedVenue([*PAIRED, *RESIGNED, Gone()]) as there:
            async with connect(there) as venue:
                with pytest.raises(Misuse, match="not 4"):
                    await venue.play("ttt", choose)

    async def test_resigning_gives_the_result(self) -> None:
        with ScriptedVenue([*PAIRED, *RESIGNED, Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                async for _ in match:
                    over = await match.resign()
                assert over.outcome == "loss"
                assert await match.resign() == over

    async def test_a_cancelled_join_leaves_the_queue(self) -> None:
        waits = threading.Event()
        with ScriptedVenue([joins(), queued(), Reaches(waits), Gone()], [*played(FIRST_ROW), Gone()]) as there:
            async with connect(there) as venue:
                joining = asyncio.create_task(venue.join("ttt"))
                assert await asyncio.to_thread(waits.wait, 10)
                joining.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await joining
                assert (await venue.play("ttt", scripted)).outcome == "win"

    async def test_a_venue_that_does_not_answer_the_resignation_is_not_waited_for(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("agentbbs.client.venue.RESIGN_TIMEOUT_S", 0.05)
        with ScriptedVenue([*PAIRED, RESIGNS, Gone()]) as there:
            async with connect(there) as venue:
                await venue.join("ttt")


class TestMisuse:
    async def test_a_move_without_a_turn_or_twice(self) -> None:
        with ScriptedVenue([*PAIRED, move("0", 0), state("0"), *RESIGNED, Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                with pytest.raises(Misuse, match="not your turn"):
                    await match.move("0")
                turn = await anext(match)
                await match.move(turn.legal[0])
                with pytest.raises(Misuse, match="not your turn"):
                    await match.move("1")

    async def test_a_join_in_a_match(self) -> None:
        with ScriptedVenue([*PAIRED, *RESIGNED, Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                with pytest.raises(Misuse, match="a match is on"):
                    await venue.join("ttt")
                with pytest.raises(Misuse, match="no result yet"):
                    _ = match.result


class TestTheOtherSideEndsIt:
    async def test_a_move_chosen_too_late_is_dropped_and_the_result_follows(self) -> None:
        over = threading.Event()
        forfeit = [state("", over=True), result(outcome="loss", termination="timeout", reason="forfeit: timeout")]
        with ScriptedVenue([*PAIRED, *forfeit, Pings(), Reaches(over), Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                async for turn in match:
                    assert await asyncio.to_thread(over.wait, 10)
                    await match.move(turn.legal[0])
                assert match.result.termination == "timeout"

    async def test_a_match_that_ended_unwatched_does_not_block_the_next(self) -> None:
        over = threading.Event()
        forfeit: list[Step] = [state("", over=True), result(termination="resign"), Pings(), Reaches(over)]
        with ScriptedVenue([*PAIRED, *forfeit, *played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                first = await venue.join("ttt")
                assert await asyncio.to_thread(over.wait, 10)
                second = await venue.join("ttt")
                assert first.result.match == "m-1"
                assert (await second.play(scripted)).match == "m-2"

    async def test_a_turn_of_a_former_match_cannot_be_answered_in_the_next(self) -> None:
        over = threading.Event()
        script: list[Step] = [*PAIRED, result(termination="resign"), Pings(), Reaches(over)]
        with ScriptedVenue([*script, *played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                first = await venue.join("ttt")
                turn = await anext(first)
                assert await asyncio.to_thread(over.wait, 10)
                second = await venue.join("ttt")
                own = await anext(second)
                await first.move(turn.legal[8])
                await second.move(scripted(own))
                await second.play(scripted)

    async def test_a_result_that_could_not_be_stored(self) -> None:
        with ScriptedVenue([*PAIRED, error("internal"), *played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                await anext(match)
                with pytest.raises(VenueFault) as caught:
                    await anext(match)
                assert caught.value.match == "m-1"
                with pytest.raises(VenueFault):
                    await anext(match)
                assert (await venue.play("ttt", scripted)).match == "m-2"

    async def test_a_refusal_in_a_match_is_raised_and_the_match_can_be_played_on(self) -> None:
        rest = played(FIRST_ROW)[4:]
        with ScriptedVenue([*PAIRED, error("bad_message", "what is that"), *rest, Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                first = await anext(match)
                with pytest.raises(Refused, match="what is that"):
                    await anext(match)
                await match.move(scripted(first))
                assert (await match.play(scripted)).outcome == "win"


class TestTheConnectionGoes:
    async def test_closing_the_venue_wakes_who_waits_for_a_turn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("agentbbs.client.venue.RESIGN_TIMEOUT_S", 0.05)
        moved = threading.Event()
        script: list[Step] = [*PAIRED, move("0", 0), state("0"), Reaches(moved), *RESIGNED[:1], Gone()]
        with ScriptedVenue(script) as there:
            venue = connect(there)
            match = await venue.join("ttt")
            turn = await anext(match)
            await match.move(turn.legal[0])
            waiting = asyncio.create_task(match.next_turn())
            assert await asyncio.to_thread(moved.wait, 10)
            async with asyncio.timeout(10):
                await venue.close()
                with pytest.raises(VenueLost):
                    await waiting

    async def test_between_matches_it_is_replaced_once(self) -> None:
        with ScriptedVenue([*played(FIRST_ROW), Closes()], [*played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                assert [(await venue.play("ttt", scripted)).match for _ in range(2)] == ["m-1", "m-2"]
        assert len(there.requests) == 2

    async def test_a_close_that_crosses_the_join_costs_nothing(self) -> None:
        with ScriptedVenue([*played(FIRST_ROW), joins(), Closes()], [*played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                assert [(await venue.play("ttt", scripted)).match for _ in range(2)] == ["m-1", "m-2"]

    async def test_a_venue_that_closes_each_join_is_not_tried_for_ever(self) -> None:
        with ScriptedVenue([joins(), Closes()], [joins(), Closes()]) as there:
            async with connect(there) as venue:
                with pytest.raises(VenueLost):
                    await venue.join("ttt")

    async def test_in_the_queue(self) -> None:
        with ScriptedVenue([joins(), queued(), Drops()], [*played(FIRST_ROW), Gone()]) as there:
            async with connect(there) as venue:
                with pytest.raises(VenueLost, match="before a match began"):
                    await venue.join("ttt")
                assert (await venue.play("ttt", scripted)).outcome == "win"

    async def test_in_a_match(self) -> None:
        with ScriptedVenue([*PAIRED, move("0", 0), Drops()], [*played(FIRST_ROW, match="m-2"), Gone()]) as there:
            async with connect(there) as venue:
                match = await venue.join("ttt")
                with pytest.raises(VenueLost, match="agentbbs replay m-1"):
                    await match.play(scripted)
                assert match.over
                assert (await venue.play("ttt", scripted)).match == "m-2"

    async def test_a_stopping_venue_plays_the_match_out_and_takes_no_further_join(self) -> None:
        script = played(FIRST_ROW)
        script.insert(4, error("server_shutdown"))
        with ScriptedVenue([*script, Closes(1001)]) as there:
            async with connect(there) as venue:
                assert (await venue.play("ttt", scripted)).outcome == "win"
                there.refuse_from_now_on()
                with pytest.raises(VenueStopping):
                    await venue.join("ttt")

    async def test_a_stopping_venue_that_is_gone_already_is_told_as_such(self) -> None:
        gone = threading.Event()
        farewell: list[Step] = [error("server_shutdown"), Closes(1001), Reaches(gone)]
        with ScriptedVenue([*played(FIRST_ROW), *farewell]) as there:
            venue = connect(there)
            await venue.play("ttt", scripted)
            assert await asyncio.to_thread(gone.wait, 10)
        with pytest.raises(VenueStopping):
            await venue.join("ttt")
        await venue.close()


class TestRefusedJoins:
    async def test_no_opponent_and_the_next_join_on_the_same_connection(self) -> None:
        with ScriptedVenue([joins(), queued(), error("no_opponent"), *played(FIRST_ROW), Gone()]) as there:
            async with connect(there) as venue:
                with pytest.raises(NoOpponent):
                    await venue.join("ttt")
                assert (await venue.play("ttt", scripted)).outcome == "win"

    async def test_an_unknown_game_and_the_next_join_on_a_new_connection(self) -> None:
        unknown = error("unknown_game", games=["ttt", "c4"])
        with ScriptedVenue([joins("go"), unknown, Closes(1008)], [*played(FIRST_ROW), Gone()]) as there:
            async with connect(there) as venue:
                with pytest.raises(UnknownGame) as caught:
                    await venue.join("go")
                assert caught.value.games == ("ttt", "c4")
                assert (await venue.play("ttt", scripted)).outcome == "win"
