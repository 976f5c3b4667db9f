"""A house bot as an agent: plays matches at a venue with the SDK, and stops well.

The bot thinks in a thread of its own, so that pings are answered, and follows the position by the moves:
the board on the wire is for those that do not know the rules.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import threading
from collections.abc import Callable
from typing import Final

import msgspec

from agentbbs.bots.bot import Bot
from agentbbs.client import Match, MatchResult, NoOpponent, Queued, Turn, Venue, VenueError
from agentbbs.games.game import Game, IllegalMove, Position

SHARE_OF_CLOCK: Final = 1 / 3
"""At most this part of the time that is left goes into one move: the rest is for the way to the venue."""


class Plan(msgspec.Struct, frozen=True):
    """What to play: `matches` of `game` with `bot` (0: until stopped), `budget_s` seconds a move and no move
    sooner than `pace_s`; against the house bot `practice` if it is named. The same `seed` chooses the same,
    if thinking time allows."""

    game: Game
    bot: Bot
    matches: int
    practice: str | None
    budget_s: float
    seed: int | None
    pace_s: float = 0.0


class Stopped(Exception):
    """The run was ended by a signal before all its matches were played."""


class Agent:
    """One run of a plan. `tell` gets progress as lines, `show` each result with its number."""

    def __init__(self, plan: Plan, tell: Callable[[str], None], show: Callable[[int, MatchResult], None]) -> None:
        self.results: list[MatchResult] = []
        self._plan = plan
        self._tell = tell
        self._show = show
        self._rng = random.Random(plan.seed)  # noqa: S311 - a game
        self._match: Match | None = None
        self._stopping = False
        self._run: asyncio.Task[None] | None = None

    async def run(self, venue: Venue) -> None:
        """Play the plan. The first SIGINT or SIGTERM lets the match that is on be finished, the second
        resigns it. Raises VenueError, and Stopped if a signal came before all matches were played."""
        self._run = asyncio.current_task()
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        try:
            for number in signals:
                with contextlib.suppress(NotImplementedError):  # Windows: there Ctrl-C stops at once
                    loop.add_signal_handler(number, self._stop)
            await self._play_all(venue)
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        finally:
            for number in signals:
                with contextlib.suppress(NotImplementedError):
                    loop.remove_signal_handler(number)
        if self._stopping and self._wants_more():
            raise Stopped

    def _wants_more(self) -> bool:
        return self._plan.matches == 0 or len(self.results) < self._plan.matches

    def _stop(self) -> None:
        if self._match is not None and not self._stopping:
            self._tell(f"stopping after match {self._match.id}; once more resigns it")
        elif self._run is not None:
            self._run.cancel()
        self._stopping = True

    async def _play_all(self, venue: Venue) -> None:
        async with venue:
            while self._wants_more() and not self._stopping:
                try:
                    match = await venue.join(self._plan.game.id, practice=self._plan.practice, on_queued=self._queued)
                except NoOpponent as nobody:
                    if self._plan.matches:
                        raise
                    self._tell(nobody.message)
                    continue
                await self._play(match)

    async def _play(self, match: Match) -> None:
        self._match = match
        order = "moves first" if match.player == 0 else "moves second"
        self._tell(f"match {match.id}: against {match.opponent}, {self._plan.bot.name} {order}")
        try:
            self.results.append(await match.play(self._choose))
        finally:
            self._match = None
        self._show(len(self.results), self.results[-1])

    def _queued(self, queued: Queued) -> None:
        self._tell(f"waiting for an opponent in {queued.game} ({queued.waiting} waiting)")

    async def _choose(self, turn: Turn) -> str:
        position = follow(self._plan.game, turn.moves)
        budget_s = min(self._plan.budget_s, turn.remaining_ms / 1000 * SHARE_OF_CLOCK)
        pace = asyncio.create_task(asyncio.sleep(min(self._plan.pace_s, turn.remaining_ms / 1000 * SHARE_OF_CLOCK)))
        move = await in_thread(lambda: self._plan.bot.choose(position, self._rng, budget_s))
        await pace
        return move


class OtherRules(VenueError):
    """The venue's moves do not fit this client's rules."""

    default_code = "other_rules"
    default_remedy = "Update whichever of the two is older."


def follow(game: Game, moves: tuple[str, ...]) -> Position:
    """The position after `moves`. Raises OtherRules."""
    position = game.initial()
    try:
        for move in moves:
            position = position.play(move)
    except IllegalMove as fault:
        raise OtherRules(f"The venue plays {game.id} by other rules than this client: {fault}.") from fault
    return position


async def in_thread(think: Callable[[], str]) -> str:
    """What `think` returns or raises, from a daemon thread: unlike an executor's, it does not keep a
    program that stops waiting for a thought that nobody wants any more."""
    loop = asyncio.get_running_loop()
    thought: asyncio.Future[str] = loop.create_future()

    def settle(move: str | None, fault: Exception | None) -> None:
        if thought.done():
            return
        if fault is not None:
            thought.set_exception(fault)
        elif move is not None:
            thought.set_result(move)

    def run() -> None:
        move, fault = None, None
        try:
            move = think()
        except Exception as raised:  # it is raised again where it is waited for
            fault = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(settle, move, fault)

    threading.Thread(target=run, name="thinking", daemon=True).start()
    return await thought
