"""Rehearses: one unrated match of an endpoint, with the match, runner, seat and protocol of a venue, kept in memory.

Nothing is stored and nobody is rated. An owner's machine runs it (`agentbbs check-agent`), so that what an agent will
meet at a venue is met before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from statistics import median
from types import TracebackType
from typing import Final, Self

import msgspec

from agentbbs.games.game import NOBODY, Game
from agentbbs.play import verdict
from agentbbs.play.alarms import Alarms
from agentbbs.play.lobby import SeatFactory
from agentbbs.play.match import Match
from agentbbs.play.ports import FinishedMatch, Settled, Strike
from agentbbs.play.runner import Runner
from agentbbs.play.seat import Seat
from agentbbs.play.spectators import Audience
from agentbbs.play.tally import Tally
from agentbbs.protocol.agentgames import Termination
from agentbbs.referee.slots import Slots
from agentbbs.referee.webhook_seat import Dialler, Target, WebhookSeat

REHEARSAL: Final = "rehearsal"
"""Why such a match is not rated."""

_NOBODY_RATED: Final = Settled((None, None), (None, None))


class Struck(msgspec.Struct, frozen=True):
    """One strike of the agent, and the move (from 1) at which it came."""

    move_number: int
    strike: Strike


class Rehearsed(msgspec.Struct, frozen=True):
    """A match that was rehearsed, as the agent in `seat` sees it. `movers` holds the seat that was to move at each
    ply, and at the last position, where it is -1 if the rules ended the game."""

    match: FinishedMatch
    seat: int
    movers: tuple[int, ...]
    first_ply: int = 0
    """Of the position that it began with."""

    @property
    def outcome(self) -> str:
        """`win`, `loss`, `draw` or `void`."""
        return verdict.outcome(self.match, self.seat)

    @property
    def void(self) -> bool:
        """The match broke on our side: it says nothing of the agent."""
        return self.match.termination is Termination.SERVER

    @property
    def strikes(self) -> tuple[Struck, ...]:
        """The agent's strikes, in the order in which they came."""
        at = [ply.strikes for ply in self.match.plies] + [self.match.unplayed]
        return tuple(
            Struck(self.first_ply + index + 1, strike)
            for index, strikes in enumerate(at)
            for strike in strikes
            if self.movers[index] == self.seat
        )

    @property
    def answers_ms(self) -> tuple[int, ...]:
        """The time that each accepted answer of the agent took."""
        return tuple(ply.ms for ply, mover in zip(self.match.plies, self.movers, strict=False) if mover == self.seat)

    @property
    def p50_ms(self) -> int | None:
        """The median of `answers_ms`; None without an answer."""
        return round(median(self.answers_ms)) if self.answers_ms else None

    @property
    def max_ms(self) -> int | None:
        """The slowest of `answers_ms`; None without an answer."""
        return max(self.answers_ms, default=None)


class Rehearsal:
    """Matches of endpoints in this event loop. Close it, or use it as an async context manager."""

    def __init__(self, outbound: Dialler, *, slots: Slots | None = None) -> None:
        loop = asyncio.get_running_loop()
        self._outbound = outbound
        self._slots = Slots() if slots is None else slots
        self._alarms = Alarms(loop)
        self._log = _Memory(loop)
        self._runner = Runner(self._log, self._alarms, Audience(), Tally(), move_timeout_ms=1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End what is still on, as void; a second call does nothing."""
        await self._runner.drain(0)
        self._alarms.stop()

    @property
    def live(self) -> tuple[Match, ...]:
        """The matches that are on."""
        return self._runner.live

    async def play(
        self, target: Target, game: Game, house: SeatFactory, bot: str, *, agent_first: bool = True
    ) -> Rehearsed:
        """One match against the house bot of that name. Raises session.UnknownBot."""
        return await self.meet(target, game, house.seat(bot), agent_first=agent_first)

    async def meet(
        self,
        target: Target,
        game: Game,
        opponent: Seat,
        *,
        agent_first: bool = True,
        outbound: Dialler | None = None,
    ) -> Rehearsed:
        """One match against whoever sits in `opponent`, to its end; `outbound` in place of the usual one. With
        `agent_first` the agent has seat 0."""
        over = asyncio.Event()
        agent = WebhookSeat(target, outbound or self._outbound, self._slots)
        match_id = self._runner.start(
            game,
            (agent, opponent) if agent_first else (opponent, agent),
            why_unrated=REHEARSAL,
            move_timeout_ms=target.deadline_ms,
            then=over.set,
        )
        try:
            await over.wait()
        finally:
            self._runner.void(lambda match: match.id == match_id)
        match = self._log.finished.pop(match_id)
        movers, first_ply = _movers(game, match)
        return Rehearsed(match, 0 if agent_first else 1, movers, first_ply)


class _Memory:
    """Implements `play.ports.MatchLog`: keeps each match until it is asked for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.finished: dict[str, FinishedMatch] = {}
        self._loop = loop

    def record(self, match: FinishedMatch, settled: Callable[[Settled | None], None]) -> None:
        self.finished[match.id] = match
        self._loop.call_soon(settled, _NOBODY_RATED)


def _movers(game: Game, match: FinishedMatch) -> tuple[tuple[int, ...], int]:
    position = game.initial()
    first_ply = position.ply
    movers = [position.to_move]
    for ply in match.plies:
        position = position.play(ply.move)
        movers.append(position.to_move)
    assert position.outcome is None or movers[-1] == NOBODY
    return tuple(movers), first_ply
