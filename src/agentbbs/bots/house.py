"""House bots as seats: practice partners that think in a process of their own.

A search in Python would hold the interpreter while it thinks, and every match with it; so bots choose
their moves in one worker process, started with the first practice match. The worker ends with the venue,
also with one that was killed.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import threading
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from functools import partial
from multiprocessing.connection import wait
from typing import Final

import structlog

from agentbbs.bots.catalog import BOTS, UnknownBot, find
from agentbbs.games import catalog as games
from agentbbs.play import session
from agentbbs.play.match import FORFEIT, Policy
from agentbbs.play.ports import Player
from agentbbs.play.seat import Chair
from agentbbs.protocol.agentgames import Hello, Result, State
from agentbbs.protocol.errors import Code

THINK_S: Final = 0.25
"""A house bot's time for a move: strong enough to teach, quick enough not to be waited for."""

SHARE_OF_CLOCK: Final = 0.3
"""At most this part of a short move clock, so that a house bot does not run out of time under load."""

STUCK_S: Final = 60.0
"""How long a move may take with all the waiting for the worker: 200 practice matches take turns in it."""

BROKEN: Final = "void: house bot failed"
"""The reason of a practice match whose bot broke."""

TRANSPORT: Final = "house"

_log = structlog.get_logger(__name__)


def _choose(bot: str, game: str, position: str, budget_s: float) -> str:
    """In the worker: the bot's move in a serialised position."""
    return find(bot).choose(games.find(game).restore(position), random.Random(), budget_s)  # noqa: S311 - a game


def _in_worker() -> None:
    """Leave Ctrl-C to the venue, and end when the venue is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(0)


class HouseSeats:
    """Makes seats for house bots. Implements `play.lobby.SeatFactory`. Close it when the venue stops."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def seat(self, bot: str) -> HouseSeat:
        """A seat for the house bot of that name. Raises session.UnknownBot."""
        try:
            name = find(bot).name
        except UnknownBot as fault:
            raise session.UnknownBot(f"no house bot {bot[:40]!r}: practise with one of {', '.join(BOTS)}") from fault
        return HouseSeat(name, self)

    def choose(self, bot: str, game: str, position: str, budget_s: float) -> asyncio.Future[str]:
        """The move of `bot` in the serialised `position`, thought of by the worker."""
        pool = self._pool
        if pool is None:
            context = multiprocessing.get_context("spawn")
            pool = self._pool = ProcessPoolExecutor(max_workers=1, mp_context=context, initializer=_in_worker)
        try:
            return asyncio.get_running_loop().run_in_executor(pool, _choose, bot, game, position, budget_s)
        except BrokenExecutor:  # the worker died since: the next match gets a new one
            self.close()
            return self.choose(bot, game, position, budget_s)

    def close(self) -> None:
        """End the worker, also one that hangs; the next practice match gets a new one."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
            for worker in multiprocessing.active_children():
                worker.kill()


class HouseSeat:
    """One house bot in one match. Implements `play.seat.Seat`."""

    policy: Policy = FORFEIT

    def __init__(self, bot: str, house: HouseSeats) -> None:
        self.player = Player(None, bot, TRANSPORT)
        self.frames = 0
        self._bot = bot
        self._house = house
        self._chair: Chair | None = None
        self._budget_s = THINK_S
        self._thinking: asyncio.Future[str] | None = None
        self._patience: asyncio.TimerHandle | None = None

    def seated(self, chair: Chair, hello: Hello) -> None:
        self._chair = chair
        self._budget_s = min(THINK_S, SHARE_OF_CLOCK * hello.move_timeout_ms / 1000)

    def ask(self, state: State, strikes: int) -> bool:  # noqa: ARG002 - a bot sees the position itself
        """Think. The clock of a house bot does not run: waiting for the worker is the venue's own delay."""
        chair = self._chair
        if chair is not None:
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(STUCK_S, self._stuck)
            try:
                self._thinking = self._house.choose(self._bot, chair.game, chair.position.serialise(), self._budget_s)
            except OSError as fault:  # no process or file to be had: the seat must not raise
                _log.error("house_bot_failed", bot=self._bot, error=repr(fault))
                loop.call_soon(chair.fail, BROKEN)
            else:
                self._thinking.add_done_callback(partial(self._thought, state.ply))
        return False

    def show(self, state: State, *, over: bool) -> None:
        """A bot looks when it is asked."""

    def refuse(self, code: Code, why: str) -> None:
        _log.warning("house_bot_refused", bot=self._bot, code=code, why=why)

    def finished(self, result: Result) -> None:  # noqa: ARG002 - a bot keeps no memories
        self._leave()

    def unsettled(self, match_id: str) -> None:  # noqa: ARG002
        self._leave()

    def _stuck(self) -> None:
        """The worker hangs: the match is void, and the worker is replaced."""
        if self._chair is not None:
            _log.error("house_bot_stuck", bot=self._bot, after_s=STUCK_S)
            self._house.close()
            self._chair.fail(BROKEN)

    def _leave(self) -> None:
        self._chair = None
        if self._patience is not None:
            self._patience.cancel()
        if self._thinking is not None:
            self._thinking.cancel()

    def _thought(self, ply: int, thinking: asyncio.Future[str]) -> None:
        self.frames += 1
        if self._patience is not None:
            self._patience.cancel()
        if self._chair is None or thinking.cancelled():
            return
        fault = thinking.exception()
        if fault is None:
            self._chair.move(thinking.result(), ply)
        else:
            _log.error("house_bot_failed", bot=self._bot, error=repr(fault))
            self._chair.fail(BROKEN)
