"""The synchronous face against scripted venues."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from tests.scripted_venue import (
    Drops,
    Gone,
    Hears,
    Pings,
    Reaches,
    ScriptedVenue,
    Step,
    Waits,
    error,
    hello,
    join,
    move,
    played,
    queued,
    result,
    state,
)

from agentbbs.client import MatchResult, NoOpponent, Turn, Unauthorized, VenueLost, play

FIRST_ROW = "0 3 1 4 2"
PAIRED: list[Step] = [join(), queued(), hello(), state("")]
RESIGNED: list[Step] = [Hears({"type": "resign"}), result(outcome="loss", termination="resign")]


def scripted(turn: Turn) -> str:
    """The moves of the first seat in FIRST_ROW."""
    return ("0", "1", "2")[turn.ply // 2]


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def test_some_matches_on_one_connection() -> None:
    seen: list[MatchResult] = []
    with ScriptedVenue([*played(FIRST_ROW), *played(FIRST_ROW, match="m-2"), Gone()]) as venue:
        results = play(venue.url, token="t", game="ttt", choose=scripted, matches=2, on_result=seen.append)
    assert [one.match for one in results] == ["m-1", "m-2"]
    assert seen == results
    assert "agentbbs.client" not in threads()


def test_choose_is_called_in_the_callers_thread_and_pings_are_answered_meanwhile() -> None:
    thinking, ponged = threading.Event(), threading.Event()
    script: list[Step] = [*PAIRED, Waits(thinking), Pings(), Reaches(ponged), move("0", 0), result(), Gone()]

    def choose(turn: Turn) -> str:
        assert threading.current_thread() is threading.main_thread()
        thinking.set()
        assert ponged.wait(10)
        return turn.legal[0]

    with ScriptedVenue(script) as venue:
        assert play(venue.url, token="t", game="ttt", choose=choose)[0].outcome == "win"


def test_an_async_function_that_chooses() -> None:
    async def choose(turn: Turn) -> str:
        return scripted(turn)

    with ScriptedVenue([*played(FIRST_ROW), Gone()]) as venue:
        assert play(venue.url, token="t", game="ttt", choose=choose)[0].outcome == "win"


async def test_it_can_be_called_where_a_loop_runs_already() -> None:
    with ScriptedVenue([*played(FIRST_ROW, practice=True), Gone()]) as venue:
        results = play(venue.url, token="t", game="ttt", choose=scripted, practice="random")
    assert len(results) == 1


@pytest.mark.parametrize("fault", [ZeroDivisionError, StopIteration, KeyboardInterrupt])
def test_what_choose_raises_reaches_the_caller_after_resigning(fault: type[BaseException]) -> None:
    def choose(turn: Turn) -> str:
        raise fault

    with ScriptedVenue([*PAIRED, *RESIGNED, Gone()]) as venue, pytest.raises(fault):
        play(venue.url, token="t", game="ttt", choose=choose)
    assert "agentbbs.client" not in threads()


def test_an_error_brings_the_results_so_far() -> None:
    lost: list[Step] = [join(), queued(), hello("m-2"), Drops()]
    with ScriptedVenue([*played(FIRST_ROW), *lost]) as venue, pytest.raises(VenueLost) as caught:
        play(venue.url, token="t", game="ttt", choose=scripted, matches=0)
    assert [one.match for one in caught.value.played] == ["m-1"]
    assert caught.value.match == "m-2"


def test_no_opponent() -> None:
    with ScriptedVenue([join(), queued(), error("no_opponent"), Gone()]) as venue, pytest.raises(NoOpponent):
        play(venue.url, token="t", game="ttt", choose=scripted)


def test_a_refused_token() -> None:
    with ScriptedVenue(refusals=[(401, "", {})]) as venue, pytest.raises(Unauthorized):
        play(venue.url, token="t", game="ttt", choose=scripted)


def test_importing_the_client_loads_no_aiohttp() -> None:
    check = "import sys, agentbbs.client; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
