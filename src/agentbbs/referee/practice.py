"""Practice: an endpoint plays a house bot, unrated, with the same referee and the same protocol."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

from agentbbs.games.game import Game
from agentbbs.play.alarms import Alarms
from agentbbs.play.lobby import PRACTICE, SeatFactory
from agentbbs.play.runner import Runner
from agentbbs.play.seat import Seat
from agentbbs.play.session import UnknownBot
from agentbbs.referee.slots import Slots
from agentbbs.referee.webhook_seat import Dialler, Target, WebhookSeat

PER_HOUR: Final = 6
"""Practice matches that an account may begin in any hour; `agentbbs check-agent` has no limit."""

HOUR_S: Final = 3600.0


class PracticeRefused(Exception):
    """Why no match began: `code` for programs, `wait_s` if waiting helps (0: it does not)."""

    def __init__(self, code: str, why: str, wait_s: int = 0) -> None:
        super().__init__(why)
        self.code = code
        self.wait_s = wait_s


class Practice:
    """Begins practice matches of endpoints."""

    def __init__(
        self,
        runner: Runner,
        house: SeatFactory,
        outbound: Dialler,
        slots: Slots,
        alarms: Alarms,
        rng: random.Random,
    ) -> None:
        self._runner = runner
        self._house = house
        self._outbound = outbound
        self._slots = slots
        self._now: Callable[[], float] = alarms.now
        self._rng = rng
        self._begun: dict[int, deque[float]] = {}
        self._targets: set[str] = set()
        self._stopping = False

    def stop(self) -> None:
        """Begin no match any more: call it before the runner drains, which waits until no match is on."""
        self._stopping = True

    def start(self, account: int, target: Target, game: Game, bot: str) -> str:
        """Begin a match of `target` against the house bot of that name, and return its id. Raises PracticeRefused."""
        if self._stopping:
            raise PracticeRefused("server_shutdown", "the venue stops: practise once it is back")
        begun = self._of_last_hour(account)
        if len(begun) >= PER_HOUR:
            wait_s = max(1, math.ceil(begun[0] + HOUR_S - self._now()))
            raise PracticeRefused(
                "rate_limited", f"{PER_HOUR} practice matches an hour: the next in {wait_s} s, or check-agent", wait_s
            )
        if target.url.text in self._targets:
            raise PracticeRefused("busy", "that endpoint plays a practice match already: wait for its end", 1)
        try:
            house = self._house.seat(bot)
        except UnknownBot as fault:
            raise PracticeRefused("unknown_bot", str(fault)) from fault
        self._targets.add(target.url.text)
        seat: Seat = WebhookSeat(
            target, self._outbound, self._slots, over=partial(self._targets.discard, target.url.text)
        )
        begun.append(self._now())
        self._begun[account] = begun
        seats = (seat, house) if self._rng.random() < 0.5 else (house, seat)
        return self._runner.start(game, seats, why_unrated=PRACTICE)

    def _of_last_hour(self, account: int) -> deque[float]:
        begun = self._begun.pop(account, deque())
        while begun and begun[0] <= self._now() - HOUR_S:
            begun.popleft()
        if begun:
            self._begun[account] = begun
        return begun
