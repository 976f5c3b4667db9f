"""Performs the effects of matches: sends, sets deadlines, records, tells results.

Effects are performed inline, in the callback that brought the event: a match has no task of its own and
never waits, so that a slow seat delays nobody. Nothing here touches a socket or the database; seats and
the match log do.

A deadline that fires is not yet a timeout. The answer may lie in a socket's buffer because the event loop
was busy, so the runner lets the loop turn and rules only when nothing of that seat came in.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Final

import structlog

from agentbbs.games.game import Game, Position
from agentbbs.play.alarms import Alarms
from agentbbs.play.match import (
    Aborted,
    Ask,
    Begun,
    DeadlinePassed,
    Disconnected,
    Effect,
    Event,
    Faulted,
    Finished,
    Handed,
    Match,
    Moved,
    Refuse,
    Resigned,
    SetDeadline,
    Show,
)
from agentbbs.play.match_id import RANDOM_BITS, match_id
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, MatchLog, Settled
from agentbbs.play.seat import Seat
from agentbbs.play.spectators import Audience
from agentbbs.play.tally import Tally
from agentbbs.play.verdict import over, result
from agentbbs.protocol.agentgames import VOID_SHUTDOWN, Hello, State
from agentbbs.protocol.codec import encode

QUIET_TURNS: Final = 4
"""Turns of the loop without a frame before a deadline counts: one to read the socket, one to wake the
reader's task, one because libuv runs timers ahead of its poll, one to spare."""

MAX_GRACE_ROUNDS: Final = 10
"""How often frames that are no answer may put the ruling off: a seat can't hold its clock open by pinging."""

BACKSTOP_S: Final = 2.0
"""The seat of an endpoint keeps its deadline itself, and says what was wrong with the answer. The runner's comes that
much later, for a seat that does not: longer than it takes to give up a request, short beside any clock."""

_log = structlog.get_logger(__name__)

Told = Callable[[FinishedMatch, Settled], None]


class Run:
    """One match that is on: the match, its seats, its deadline."""

    __slots__ = ("alarm", "due", "match", "over", "seats", "then")

    def __init__(self, match: Match, seats: tuple[Seat, Seat], then: Callable[[], None] | None) -> None:
        self.match = match
        self.seats = seats
        self.then = then
        self.over = False
        self.alarm = -1
        self.due = (0, 0)
        """The seat and the ply that the deadline is for."""


class _Chair:
    """The runner's end of one seat."""

    __slots__ = ("_run", "_runner", "_seat")

    def __init__(self, runner: Runner, run: Run, seat: int) -> None:
        self._runner = runner
        self._run = run
        self._seat = seat

    @property
    def game(self) -> str:
        return self._run.match.game.id

    @property
    def position(self) -> Position:
        return self._run.match.position

    def state(self) -> State:
        return self._run.match.state(self._seat, self._runner.now())

    def handed(self) -> None:
        self._runner.feed(self._run, Handed(self._runner.now(), self._seat))

    def move(self, move: str, ply: int | None = None, reason: str | None = None, nonce: str | None = None) -> None:
        self._runner.moved(self._run, Moved(self._runner.now(), self._seat, move, ply, reason, nonce))

    def fault(
        self,
        kind: str,
        offered: str | None = None,
        *,
        detail: str | None = None,
        reason: str | None = None,
        nonce: str | None = None,
    ) -> None:
        self._runner.feed(self._run, Faulted(self._runner.now(), self._seat, kind, offered, detail, reason, nonce))

    def resign(self) -> None:
        self._runner.feed(self._run, Resigned(self._runner.now(), self._seat))

    def leave(self) -> None:
        self._runner.feed(self._run, Disconnected(self._runner.now(), self._seat))

    def fail(self, reason: str) -> None:
        self._runner.feed(self._run, Aborted(self._runner.now(), reason))


class Runner:
    """All matches that are on."""

    def __init__(
        self,
        log: MatchLog,
        alarms: Alarms,
        audience: Audience,
        tally: Tally,
        *,
        move_timeout_ms: int,
        told: Told | None = None,
    ) -> None:
        """`told` is called with each match that was committed, before its seats hear of it."""
        self._loop = asyncio.get_running_loop()
        self._match_log = log
        self._alarms = alarms
        self._audience = audience
        self._tally = tally
        self._told = told
        self._runs: dict[str, Run] = {}
        self._unsettled: set[str] = set()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self.move_timeout_ms = move_timeout_ms
        self.now = self._loop.time

    @property
    def live(self) -> tuple[Match, ...]:
        """The matches that are on."""
        return tuple(run.match for run in self._runs.values())

    def match(self, key: str) -> Match | None:
        """The match that is on under the id `key`."""
        run = self._runs.get(key)
        return None if run is None else run.match

    def settling(self, key: str) -> bool:
        """Whether the match `key` is over and about to be stored."""
        return key in self._unsettled

    def start(
        self,
        game: Game,
        seats: tuple[Seat, Seat],
        *,
        why_unrated: str | None = None,
        move_timeout_ms: int | None = None,
        then: Callable[[], None] | None = None,
    ) -> str:
        """Begin a match between two seats, seat 0 moving first. Returns its id. `move_timeout_ms` is the clock of
        a seat whose player has none of its own, by default the venue's. `then` is called once the match is stored
        and both seats were told the result; not if it could not be stored."""
        timeout_ms = self.move_timeout_ms if move_timeout_ms is None else move_timeout_ms
        started_ms = time.time_ns() // 1_000_000
        match = Match(
            match_id(started_ms, secrets.randbits(RANDOM_BITS)),
            game,
            (seats[0].player, seats[1].player),
            (seats[0].policy, seats[1].policy),
            move_timeout_ms=timeout_ms,
            started_ms=started_ms,
            why_unrated=why_unrated,
        )
        run = Run(match, seats, then)
        run.alarm = self._alarms.add(partial(self._overdue, run))
        self._runs[match.id] = run
        self._quiet.clear()
        self._tally.matches_begun += 1
        for index, seat in enumerate(seats):
            hello = Hello(
                player=index,
                game=game.id,
                opponent=seats[1 - index].player.name,
                match=match.id,
                move_timeout_ms=match.clock_ms(index),
            )
            seat.seated(_Chair(self, run, index), hello)
        self.feed(run, Begun(self.now()))
        return match.id

    def feed(self, run: Run, event: Event) -> None:
        """Hand `event` to the match and perform what it asks for."""
        effects = run.match.handle(event)
        if effects:
            self._perform(run, effects)

    def moved(self, run: Run, event: Moved) -> None:
        """As `feed`, and counts the move."""
        match = run.match
        ply = match.position.ply
        if run.over:
            self._tally.late_moves += 1
            _log.info("late_move", match=match.id, seat=event.seat)
        effects = match.handle(event)
        if match.position.ply != ply:
            self._tally.moved(match.last_ms)
            if match.id in self._audience and not match.finished:
                self._audience.publish(match.id, encode(match.state(-1, event.at)))
        self._perform(run, effects)

    def _perform(self, run: Run, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, Show):
                run.seats[effect.seat].show(effect.state, over=run.match.finished is not None)
            elif isinstance(effect, Ask):
                if run.seats[effect.seat].ask(effect.state, effect.strikes):
                    self._perform(run, run.match.handle(Handed(self.now(), effect.seat)))
                self._show_again(run.match)
            elif isinstance(effect, SetDeadline):
                run.due = (effect.seat, effect.ply)
                late_s = BACKSTOP_S if run.seats[effect.seat].player.transport == ARENA_TRANSPORT else 0.0
                self._alarms.set(run.alarm, effect.at + late_s)
            elif isinstance(effect, Finished):
                self._finish(run, effect.match)
            elif isinstance(effect, Refuse):
                run.seats[effect.seat].refuse(effect.code, effect.why)

    def _show_again(self, match: Match) -> None:
        """Onlookers see a seat that is asked once more: it has a strike, and its time begins anew."""
        if match.id in self._audience and match.unplayed and not match.finished:
            self._audience.publish(match.id, encode(match.state(-1, self.now())))

    def _overdue(self, run: Run) -> None:
        """The deadline has passed; rule on it once the loop has read what was there before."""
        seat, ply = run.due
        self._rule(run, seat, ply, run.seats[seat].frames, QUIET_TURNS, MAX_GRACE_ROUNDS)

    def _rule(self, run: Run, seat: int, ply: int, frames: int, turns: int, rounds: int) -> None:
        if run.over or run.match.position.ply != ply:
            return
        if turns:
            self._loop.call_soon(self._rule, run, seat, ply, frames, turns - 1, rounds)
            return
        came = run.seats[seat].frames
        if came != frames and rounds:
            self._loop.call_soon(self._rule, run, seat, ply, came, QUIET_TURNS, rounds - 1)
            return
        self.feed(run, DeadlinePassed(self.now(), seat, ply))

    def _finish(self, run: Run, match: FinishedMatch) -> None:
        run.over = True
        self._alarms.drop(run.alarm)
        del self._runs[match.id]
        self._unsettled.add(match.id)
        self._tally.matches_ended[match.termination] += 1
        if match.id in self._audience:
            self._audience.publish(match.id, encode(run.match.state(-1, self.now())))
            self._audience.publish(match.id, encode(over(match)))
            self._audience.end(match.id)
        self._match_log.record(match, partial(self._settled, run, match))

    def _settled(self, run: Run, match: FinishedMatch, settled: Settled | None) -> None:
        self._unsettled.discard(match.id)
        if settled is not None and self._told is not None:
            self._told(match, settled)
        for index, seat in enumerate(run.seats):
            if settled is None:
                seat.unsettled(match.id)
            else:
                seat.finished(result(match, settled, index))
        if settled is not None and run.then is not None:
            run.then()
        if not self._unsettled and not self._runs:
            self._quiet.set()

    def void(self, which: Callable[[Match], bool]) -> int:
        """End the matches that `which` picks, since the venue stops; returns how many."""
        picked = [run for run in self._runs.values() if which(run.match)]
        for run in picked:
            self.feed(run, Aborted(self.now(), VOID_SHUTDOWN))
        return len(picked)

    async def drain(self, timeout_s: float) -> None:
        """Wait until every match is over and told, at most `timeout_s`; then void what is still on and
        wait for that to be told."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._quiet.wait()
        except TimeoutError:
            _log.info("matches_voided", count=self.void(lambda _: True))
        await self._quiet.wait()
