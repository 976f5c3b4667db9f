"""A house bot as an agent: what it thinks with, and how it stops."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
from collections.abc import Callable
from unittest.mock import ANY

import pytest
from tests.scripted_venue import Gone, Hears, Says, ScriptedVenue, Step, hello, join, queued, result, state

from agentbbs.bots.catalog import find as find_bot
from agentbbs.client import MatchResult, connect
from agentbbs.commands.agent import Agent, OtherRules, Plan, Stopped, follow, in_thread
from agentbbs.games.catalog import find as find_game
from agentbbs.games.game import Position

MOVES = Hears({"type": "move", "move": ANY, "ply": 0})
PAIRED: list[Step] = [join(), queued(), hello(), state("")]


class Thinker:
    """A bot that does `before` it plays the first legal move, and remembers its budgets."""

    name = "thinker"
    blurb = "For tests."

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.before = before
        self.budgets: list[float] = []
        self.positions: list[Position] = []

    def choose(self, position: Position, rng: random.Random, budget_s: float) -> str:
        assert threading.current_thread() is not threading.main_thread()
        self.budgets.append(budget_s)
        self.positions.append(position)
        self.before()
        return position.legal[0]


def agent(bot: Thinker, *, matches: int = 1, budget_s: float = 1.0) -> tuple[Agent, list[str]]:
    told: list[str] = []
    plan = Plan(find_game("ttt"), bot, matches, None, budget_s, 7)

    def show(number: int, over: MatchResult) -> None:
        told.append(f"{number}: {over.outcome}")

    return Agent(plan, told.append, show), told


async def run(one: Agent, venue: ScriptedVenue) -> None:
    async with asyncio.timeout(20):
        await one.run(connect(venue.url, token="t0ken"))


class TestThinking:
    async def test_the_position_is_followed_by_the_moves_and_the_board_is_not_read(self) -> None:
        lie = {"board": "see overleaf", "toMove": 0, "legal": ["1"]}
        second = {"type": "state", "observation": lie, "yourTurn": True, "ply": 2, "lastMove": "4", "remainingMs": 900}
        bot = Thinker()
        moves = Hears({"type": "move", "move": "0", "ply": 0})
        moves_again = Hears({"type": "move", "move": ANY, "ply": 2})
        script: list[Step] = [*PAIRED, moves, state("0"), Says(second), moves_again, result(), Gone()]
        with ScriptedVenue(script) as venue:
            await run(agent(bot)[0], venue)
        assert bot.positions[1] == find_game("ttt").initial().play("0").play("4")

    @pytest.mark.parametrize(
        ("wanted_s", "left_ms", "given_s"), [(1.0, 15000, 1.0), (9.0, 15000, 5.0), (1.0, 300, 0.1), (0.0, 15000, 0.0)]
    )
    async def test_never_more_than_a_third_of_the_clock(self, wanted_s: float, left_ms: int, given_s: float) -> None:
        bot = Thinker()
        script: list[Step] = [join(), queued(), hello(), state("", remaining_ms=left_ms), MOVES, result(), Gone()]
        with ScriptedVenue(script) as venue:
            await run(agent(bot, budget_s=wanted_s)[0], venue)
        assert bot.budgets == [pytest.approx(given_s)]

    def test_the_same_seed_chooses_the_same(self) -> None:
        position = find_game("c4").initial()
        choices = {find_bot("random").choose(position, random.Random(3), 0) for _ in range(5)}
        assert len(choices) == 1

    def test_a_move_that_our_rules_do_not_know(self) -> None:
        with pytest.raises(OtherRules, match="Update"):
            follow(find_game("ttt"), ("4", "4"))

    async def test_what_a_thought_raises_is_raised_where_it_is_waited_for(self) -> None:
        with pytest.raises(ZeroDivisionError):
            await in_thread(lambda: str(1 / 0))

    def test_a_thought_that_nobody_waits_for_any_more_ends_unnoticed(self) -> None:
        goes_on = threading.Event()
        ended = threading.Event()

        def think() -> str:
            goes_on.wait(10)
            ended.set()
            return "4"

        async def give_up() -> None:
            thinking = asyncio.create_task(in_thread(think))
            await asyncio.sleep(0)
            thinking.cancel()

        asyncio.run(give_up())
        goes_on.set()
        assert ended.wait(10)
        for thread in threading.enumerate():
            if thread.name == "thinking":
                thread.join(10)


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


class TestStopping:
    async def test_the_first_ctrl_c_lets_the_match_be_finished(self) -> None:
        one, told = agent(Thinker(interrupt), matches=5)
        with ScriptedVenue([*PAIRED, MOVES, result(), Gone()]) as venue, pytest.raises(Stopped):
            await run(one, venue)
        assert [over.outcome for over in one.results] == ["win"]
        assert any("stopping after match m-1" in line for line in told)

    async def test_the_second_resigns_at_once(self) -> None:
        thinking_ends = threading.Event()
        said_once = threading.Event()

        def twice() -> None:
            interrupt()
            assert said_once.wait(10)
            interrupt()
            thinking_ends.wait(10)

        one, _ = agent(Thinker(twice), matches=5)
        one._tell = lambda line: said_once.set() if "once more" in line else None
        script: list[Step] = [*PAIRED, Hears({"type": "resign"}), result(outcome="loss", termination="resign"), Gone()]
        with ScriptedVenue(script) as venue:
            with pytest.raises(Stopped):
                await run(one, venue)
            thinking_ends.set()
        assert one.results == []

    async def test_in_the_queue_one_is_enough(self) -> None:
        one, _ = agent(Thinker(), matches=5)
        one._tell = lambda line: interrupt() if "waiting" in line else None
        with ScriptedVenue([join(), queued(), Gone()]) as venue, pytest.raises(Stopped):
            await run(one, venue)

    async def test_a_signal_in_the_last_match_changes_nothing(self) -> None:
        one, _ = agent(Thinker(interrupt))
        with ScriptedVenue([*PAIRED, MOVES, result(), Gone()]) as venue:
            await run(one, venue)
        assert len(one.results) == 1

    async def test_the_signals_are_given_back(self) -> None:
        before = signal.getsignal(signal.SIGTERM)
        with ScriptedVenue([*PAIRED, MOVES, result(), Gone()]) as venue:
            await run(agent(Thinker())[0], venue)
        assert signal.getsignal(signal.SIGTERM) == before
