"""Plays a match: does what the schedule says, writes down what happens, and stops everybody when it is time.

One loop takes what happened, one thing after the other, and writes it; looking, thinking, typing and reconnecting are
tasks beside it. So a slow agent delays nobody whom the schedule does not hold, and the events have one order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

import msgspec
import structlog

from bbs_gym.match.events import MatchEvent, StopReason
from bbs_gym.match.happenings import Acted, Back, Decided, Ended, Finished, Happening, Stopped
from bbs_gym.match.journal import MatchJournal
from bbs_gym.match.pace import suspects
from bbs_gym.match.participant import Participant
from bbs_gym.match.returning import Returning
from bbs_gym.match.schedule import Commit, Launch, Note, Over, Phase, Schedule, Steps
from bbs_gym.match.stopping import Stop, stop_of, stop_of_match
from tty_agent.runner.decision import Decision, Infra
from tty_agent.runner.journal import TraceFailed
from tty_agent.runner.result import Outcome, RunEnd
from tty_agent.runner.settings import Clock
from tty_agent.transcript.transcript import TranscriptError

COMMIT_GRACE_S: Final = 1.0
"""What is being typed when the match stops is typed to its end, if it takes no longer."""

ALL_STOPPED: Final = "all_stopped"
"""Why a match is over that no limit of its own ended."""

_LINE_ENDS: Final = frozenset({str(Outcome.CLOSED), str(Outcome.HANGUP)})

_OF_ONE: Final = frozenset({MatchEvent.DECISION_COMPLETED, MatchEvent.ACTION_COMMITTED})
"""Events that also have details of the participant."""

_WITHOUT_MODEL: Final = frozenset({StopReason.COST_USD, StopReason.WALL_SECONDS, StopReason.INTERRUPTED})
"""Where a participant stops for one of these, no model is asked for its memory: there is no money, or no time."""

_log = structlog.get_logger(__name__)


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Of the match."""

    deadline: float | None
    """In seconds of the match's clock."""
    max_cost_usd: float | None = None
    cost_before_usd: float = 0.0
    """Of participants that are not played any more."""


class Driver:
    """Plays participants that are connected, once."""

    def __init__(
        self,
        schedule: Schedule,
        participants: Mapping[str, Participant],
        *,
        journal: MatchJournal,
        returning: Returning,
        limits: Limits,
        clock: Clock,
        on_acted: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`on_acted` is told of each action that was committed."""
        self._schedule = schedule
        self._participants = participants
        self._journal = journal
        self._returning = returning
        self._limits = limits
        self._clock = clock
        self._on_acted = on_acted
        self._queue: asyncio.Queue[Happening] = asyncio.Queue()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """By agent: what it is at."""
        self._typing: set[str] = set()
        self._decisions: dict[str, Decision] = {}
        self._ending: set[str] = set()
        self._finished: set[str] = set()
        self._over: Over | None = None
        self._leaving: str | None = None
        """Whose line went with the action that is told of this moment."""

    async def play(self) -> str:
        """To the end of the match; what stopped it, as `MatchOutcome.stopped_by` has it. Every participant is over
        then, and closed. Raises JournalFault, and CancelledError once the match was stopped."""
        try:
            return await self._play()
        except asyncio.CancelledError:
            await asyncio.shield(self._stop_all(StopReason.INTERRUPTED, "the match was interrupted"))
            raise
        except BaseException as fault:
            await self._stop_all(StopReason.INFRA, f"the match broke down: {fault}", told=False)
            raise

    async def _play(self) -> str:
        self._perform(self._schedule.begin(), {})
        while len(self._finished) < len(self._participants):
            happening = await self._next()
            if happening is None:
                await self._stop_all(StopReason.WALL_SECONDS, "the time of the match ran out")
                return str(StopReason.WALL_SECONDS)
            self._take(happening)
            if self._too_dear():
                await self._stop_all(StopReason.COST_USD, f"the match has cost {self._cost_usd():.4f} USD")
                return str(StopReason.COST_USD)
        reason = self._over.reason if self._over is not None else None
        return str(reason) if reason is not None else ALL_STOPPED

    async def _next(self) -> Happening | None:
        """What happens next; None when the time is over."""
        left = self._left_s()
        if left is not None and left <= 0:
            return None
        try:
            async with asyncio.timeout(left):
                return await self._queue.get()
        except TimeoutError:
            return None

    def _take(self, happening: Happening) -> None:
        agent = happening.agent_id
        if isinstance(happening, Finished):
            self._finished.add(agent)
            self._tell_stopped(agent)
            return
        if agent in self._ending:
            return  # it was still under way when its end was decided on
        match happening:
            case Decided(_, decision):
                self._decisions[agent] = decision
                steps = self._schedule.decided(agent, acts=decision.action is not None)
                self._perform(steps, self._participants[agent].decision_told(decision))
            case Acted(_, end):
                self._take_acted(agent, end)
            case Ended(_, end):
                self._take_end(agent, end)
            case Back():
                self._perform(self._schedule.back(agent), {})
            case Stopped(_, stop):
                self._end_one(agent, stop)

    def _take_acted(self, agent: str, end: RunEnd | None) -> None:
        participant = self._participants[agent]
        then = Phase.IDLE
        if end is not None:
            then = Phase.AWAY
        elif participant.used_up:
            then = Phase.OUT
            self._spawn(agent, self._last_look(agent))
        told = participant.action_told()
        self._leaving = agent if end is not None else None
        self._perform(self._schedule.committed(agent, then=then), told)
        self._leaving = None
        self._on_acted(agent)
        if end is not None:
            self._take_end(agent, end)

    def _take_end(self, agent: str, end: RunEnd) -> None:
        """A run has come to an end, or its line has: then it may be had back."""
        participant = self._participants[agent]
        of_line = end.outcome in _LINE_ENDS or (end.infra is not None and end.infra.kind == "connection")
        if not (of_line and participant.line_gone):
            self._end_one(agent, stop_of(end))
            return
        kind = participant.line.end.kind if participant.line is not None and participant.line.end else None
        self._journal.write(MatchEvent.DISCONNECTED, agent_id=agent, data={"kind": kind, "detail": end.detail})
        may_return = self._over is None and self._schedule.phase(agent) is not Phase.OUT
        self._spawn(agent, self._settle(agent, end, may_return=may_return))
        if may_return:
            self._perform(self._schedule.gone(agent, returns=True), {})

    def _end_one(self, agent: str, stop: Stop) -> None:
        """It is over, and its run is ended while the others play on."""
        self._ending.add(agent)
        self._spawn(agent, self._finish(agent, stop))
        self._perform(self._schedule.gone(agent), {})

    def _end_match(self, over: Over) -> None:
        """The schedule has nothing more: who is still there looks once more at what the last action did."""
        self._over = over
        if over.reason is None:
            return
        for agent in self._participants:
            phase = self._schedule.phase(agent)
            if phase is Phase.IDLE:
                self._spawn(agent, self._last_look(agent, over.reason))
            elif phase is Phase.AWAY and agent != self._leaving:
                self._tasks[agent].cancel()
                self._end_one(agent, stop_of_match(over.reason, "the last round is over"))

    def _perform(self, steps: Steps, details: Mapping[str, Any]) -> None:
        """`details` belong to the event that comes of what just happened."""
        for step in steps:
            match step:
                case Note():
                    self._tell(step, details)
                case Launch(agent, _):
                    self._spawn(agent, self._turn(agent))
                case Commit(agent, _, _):
                    self._typing.add(agent)
                    self._spawn(agent, self._commit(agent))
                case Over():
                    self._end_match(step)

    def _tell(self, note: Note, details: Mapping[str, Any]) -> None:
        data = note.data | dict(details) if note.event in _OF_ONE else note.data
        self._journal.write(note.event, round=note.round, tick=note.tick, agent_id=note.agent_id, data=data)

    def _spawn(self, agent: str, work: Coroutine[Any, Any, None]) -> None:
        """The agent is at this now."""
        task = asyncio.create_task(self._guarded(agent, work), name=f"{agent} in the match")
        task.add_done_callback(lambda _: work.close())  # of one that was cancelled before it began
        self._tasks[agent] = task

    async def _guarded(self, agent: str, work: Coroutine[Any, Any, None]) -> None:
        """What fails for one is the end of that one alone."""
        try:
            await work
        except (TranscriptError, TraceFailed) as fault:
            kind = "trace" if isinstance(fault, TraceFailed) else "transcript"
            self._queue.put_nowait(Stopped(agent, stop_of(RunEnd.broken(Infra(kind, str(fault))))))
        except Exception as fault:
            _log.exception("participant_failed", agent_id=agent)
            why = Infra("internal", f"{type(fault).__name__}: {fault}")
            self._queue.put_nowait(Stopped(agent, stop_of(RunEnd.broken(why))))

    async def _turn(self, agent: str) -> None:
        """Look and decide."""
        participant = self._participants[agent]
        turn = await participant.observe(self._left_s())
        if turn.over is not None:
            self._queue.put_nowait(Ended(agent, turn.over))
            return
        decision = await participant.decide(turn)
        if decision.fault is not None or decision.out_of_time:
            end = await participant.commit(decision)
            assert end is not None
            self._queue.put_nowait(Ended(agent, end))
        elif participant.line_gone:
            await participant.cut(decision)
            self._queue.put_nowait(Ended(agent, participant.line_end))
        else:
            self._queue.put_nowait(Decided(agent, decision))

    async def _commit(self, agent: str) -> None:
        """Type what was decided, unless the line went while the others were thinking."""
        participant, decision = self._participants[agent], self._decisions.pop(agent)
        if participant.line_gone:
            await participant.cut(decision)
            happening: Happening = Ended(agent, participant.line_end)
        else:
            happening = Acted(agent, await participant.commit(decision))
        self._typing.discard(agent)
        self._queue.put_nowait(happening)

    async def _last_look(self, agent: str, reason: StopReason | None = None) -> None:
        """What the last action did may be that the goal is reached. `reason`: if it is not."""
        turn = await self._participants[agent].observe(self._left_s())
        if turn.over is not None:
            self._queue.put_nowait(Ended(agent, turn.over))
        elif reason is not None:
            self._queue.put_nowait(Stopped(agent, stop_of_match(reason, "the last round is over")))
        else:
            self._queue.put_nowait(Ended(agent, RunEnd(outcome=Outcome.BUDGET, detail="the budget is used up")))

    async def _settle(self, agent: str, end: RunEnd, *, may_return: bool) -> None:
        stop = await self._returning.settle(self._participants[agent], end.detail, may_return=may_return)
        self._queue.put_nowait(Back(agent) if stop is None else Stopped(agent, stop))

    async def _finish(self, agent: str, stop: Stop) -> None:
        participant = self._participants[agent]
        try:
            await participant.finish(stop, ask=stop.reason not in _WITHOUT_MODEL)
        finally:
            try:
                await participant.close()
            finally:
                self._queue.put_nowait(Finished(agent))

    async def _stop_all(self, reason: StopReason, detail: str, *, told: bool = True) -> None:
        """Everybody stops now: nobody looks, thinks, types or reconnects any more, and the record is closed. Without
        `told` the match's own record is left alone: it can't be written."""
        await self._halt()
        self._take_last(told=told)
        stop = stop_of_match(reason, detail)
        playing = [agent for agent in self._participants if agent not in self._ending]
        self._ending.update(playing)
        for agent in playing:
            self._tasks[agent] = asyncio.create_task(self._cut_and_finish(agent, stop))
        left = [agent for agent in self._participants if agent not in self._finished]
        await asyncio.gather(*(self._tasks[agent] for agent in left), return_exceptions=True)
        for agent in left if told else ():
            self._tell_stopped(agent)
        self._finished.update(left)

    async def _halt(self) -> None:
        """Stop what is under way, but for what is typed this moment and for runs that are ending already."""
        typing = [self._tasks[agent] for agent in self._typing]
        if typing:
            await asyncio.wait(typing, timeout=COMMIT_GRACE_S)
        halted = [task for agent, task in self._tasks.items() if agent not in self._ending and not task.done()]
        for task in halted:
            task.cancel()
        if halted:
            await asyncio.wait(halted)

    def _take_last(self, *, told: bool) -> None:
        """What happened until everything stood still: actions that went out, and who was finished already."""
        while not self._queue.empty():
            happening = self._queue.get_nowait()
            agent = happening.agent_id
            if not told:
                continue
            if isinstance(happening, Finished):
                self._finished.add(agent)
                self._tell_stopped(agent)
            elif isinstance(happening, Acted) and self._schedule.phase(agent) is Phase.COMMITTING:
                details = self._participants[agent].action_told()
                for step in self._schedule.committed(agent, then=Phase.OUT):
                    if isinstance(step, Note) and step.event is MatchEvent.ACTION_COMMITTED:
                        self._tell(step, details)

    async def _cut_and_finish(self, agent: str, stop: Stop) -> None:
        participant = self._participants[agent]
        try:
            await participant.cut(self._decisions.pop(agent, None))
        except TraceFailed as fault:
            _log.error("cut_off_not_recorded", agent_id=agent, why=str(fault))
        await self._finish(agent, stop)

    def _tell_stopped(self, agent: str) -> None:
        every = self._participants
        found = suspects({one: every[one].pace for one in every})
        every[agent].suspect = found.get(agent)
        outcome = every[agent].outcome(self._journal.path.parent)
        self._journal.write(MatchEvent.PARTICIPANT_STOPPED, agent_id=agent, data=msgspec.to_builtins(outcome))

    def _left_s(self) -> float | None:
        deadline = self._limits.deadline
        return None if deadline is None else deadline - self._clock.seconds()

    def _cost_usd(self) -> float:
        return self._limits.cost_before_usd + sum(one.cost_usd for one in self._participants.values())

    def _too_dear(self) -> bool:
        most = self._limits.max_cost_usd
        return most is not None and self._over is None and self._cost_usd() >= most
