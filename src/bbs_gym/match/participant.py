"""One participant of a match: its line, its model, its run, its budget and its record.

The steps are those of its runner (observe, decide, commit); a match's driver calls them. A line that is had back goes
on in the same run: transcript, trace, memory, budget and the provider's session stay.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.match.outcome import ParticipantOutcome
from bbs_gym.match.pace import Pace, pace_of
from bbs_gym.match.roster import Entrant
from bbs_gym.match.stopping import Stop
from bbs_gym.match.wiring import PlayedSession
from bbs_gym.nodes import Lease, NodeRecord
from tty_agent.actions.action import Hangup, Wait
from tty_agent.activity.budget import Spent
from tty_agent.activity.routes import RouteSet
from tty_agent.models.model import Model
from tty_agent.render.recording import action_label
from tty_agent.runner.decision import Decision
from tty_agent.runner.memory import RunMemory
from tty_agent.runner.record import RunIdentity
from tty_agent.runner.result import Outcome, RunEnd
from tty_agent.runner.routed import RoutedActivityRunner
from tty_agent.runner.runner import ActivityRunner
from tty_agent.runner.settings import Clock, RunSettings
from tty_agent.runner.turn import Turn
from tty_agent.terminal.inert import inert
from tty_agent.trace.records import DecisionRecord, EventName, EventRecord, Record
from tty_agent.trace.writer import TraceWriter
from tty_agent.transports.transport import EndKind

MAX_DETAIL_CHARS: Final = 300
"""Of why somebody stopped: a sentence or two, parts of which come from outside."""

MAX_LABEL_CHARS: Final = 80
"""Of an action in the match's events; the trace has it whole."""

FINISH_S: Final = 30.0
"""For the campaign memory of a run that is over: one answer of a model. Without it the run ends all the same."""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What a participant begins with; more than nothing where a match goes on."""

    spent: Spent = Spent()
    actions: int = 0
    reconnects: int = 0
    traces: tuple[Path, ...] = ()
    """Of before."""


class Participant:
    """Made before the match; `line` is set when it is connected, and anew when a lost one is had back."""

    def __init__(
        self,
        entrant: Entrant,
        model: Model,
        *,
        identity: RunIdentity,
        settings: RunSettings,
        memory: RunMemory,
        trace: Path,
        transcript: Path,
        clock: Clock,
        start: Start | None = None,
        watch: Callable[[str, Record], None] | None = None,
    ) -> None:
        self.entrant: Final = entrant
        self.agent_id: Final = entrant.agent_id
        self.model: Final = model
        self.transcript: Final = transcript
        self.start: Final = start or Start()
        self.node = NodeRecord()
        self.lease: Lease | None = None
        self.line: PlayedSession | None = None
        self.reconnects = self.start.reconnects
        self.actions = self.start.actions
        self.stop: Stop | None = None
        """Once it is over."""
        self.suspect: str | None = None
        """As `infra_suspect` of the outcome."""
        self.acted = False
        """It typed something since its last look."""
        self.thinking: Turn | None = None
        """The turn of the decision that is in flight."""
        self._identity = identity
        self._settings = settings
        self._memory = memory
        self._trace_path = trace
        self._trace: TraceWriter | None = None
        self._runner: ActivityRunner | None = None
        self._clock = clock
        self._watch = watch
        self._spent = Spent()
        self._unrecorded_usd = 0.0
        self._sent = True
        self._waited = False
        """The turn that comes is as long as the agent asked for."""
        self._label = ""
        self._times: dict[str, list[float]] = {"observe": [], "decide": [], "commit": []}

    async def observe(self, left_s: float | None) -> Turn:
        """Look at the screen. `left_s` is what the match has left: the first look sets it for the whole run."""
        runner = self._begun(left_s)
        began = self._clock.seconds()
        turn = await runner.observe()
        if not self._waited:
            self._times["observe"].append(self._clock.seconds() - began)
        self._waited = False
        if turn.observation.closed is None:
            self.acted = False
        return turn

    async def decide(self, turn: Turn) -> Decision:
        """Ask the model."""
        self.thinking = turn
        decision = await self._has_runner().decide(turn)
        self._times["decide"].append(decision.latency_s)
        self._unrecorded_usd = decision.cost_usd or 0.0
        return decision

    async def commit(self, decision: Decision) -> RunEnd | None:
        """Record it and type it; the end of the run, if it is one."""
        self.thinking = None
        self._sent = True
        began = self._clock.seconds()
        end = await self._has_runner().commit(decision)
        self._times["commit"].append(self._clock.seconds() - began)
        if decision.action is not None:
            self.actions += 1
            self.acted = not isinstance(decision.action, Wait | Hangup) and self._sent
        self._waited = isinstance(decision.action, Wait)
        return end

    async def cut(self, decision: Decision | None = None) -> None:
        """The decision in flight, or one that was not committed yet, comes to nothing; it is on record as cut off, and
        is no decision tick."""
        turn, self.thinking = self.thinking, None
        if turn is None:
            return
        runner = self._has_runner()
        if decision is None:
            decision = Decision(prompt=runner.prompt(turn).prompt)
        await runner.commit(
            msgspec.structs.replace(decision, parsed=None, error=None, error_code=None, out_of_time=True)
        )

    async def finish(self, stop: Stop, *, ask: bool) -> None:
        """It is over, and its trace is ended; with `ask` the model may write the campaign memory first. Call it once,
        then `close`."""
        self.stop = stop
        runner = self._runner
        if runner is None:
            return
        if not ask:  # the memory is folded, word for word
            runner.settings = msgspec.structs.replace(runner.settings, model_writes_memory=False)
        with contextlib.suppress(TimeoutError):  # the run is concluded all the same
            async with asyncio.timeout(FINISH_S):
                await runner.finish(stop.end)
        self._spent = runner.conclude(stop.end).spent
        self._unrecorded_usd = 0.0

    async def close(self) -> None:
        """Hang up, and free node, trace and model; may be called twice."""
        await self.hang_up()
        if self.lease is not None:
            self.lease.release()
        if self._trace is not None:
            self._trace.close()
        await self.model.close()

    async def hang_up(self) -> None:
        """Let go of the line, whatever its state."""
        if self.line is not None:
            line, self.line = self.line, None
            await line.close()

    def take(self, line: PlayedSession) -> None:
        """The line is there, or there again."""
        self.line = line
        self.node = line.node
        self.acted = False
        if self._runner is not None:
            self._runner.session = line

    @property
    def line_gone(self) -> bool:
        """The connection has ended."""
        return self.line is None or self.line.end is not None

    @property
    def line_end(self) -> RunEnd:
        """As the end of a run."""
        end = self.line.end if self.line is not None else None
        return RunEnd(outcome=Outcome.CLOSED, detail=end.detail if end is not None else "the connection is closed")

    @property
    def hung_up(self) -> bool:
        """By us: the agent asked for it."""
        return self.line is not None and self.line.end is not None and self.line.end.kind is EndKind.HUNG_UP

    @property
    def used_up(self) -> bool:
        """No decision is left of its budget."""
        budget, spent = self.entrant.budget, self.spent
        limits = (
            (budget.max_decision_ticks, spent.decision_ticks),
            (budget.max_validation_failures, spent.validation_failures),
            (budget.max_tokens, spent.tokens),
        )
        return any(allowed is not None and used >= allowed for allowed, used in limits)

    @property
    def spent(self) -> Spent:
        """Over all of the match, what was before a resumption counted."""
        return added(self.start.spent, self._spent)

    @property
    def cost_usd(self) -> float:
        """So far, with the decision that is not recorded yet."""
        return self.spent.cost_usd + self._unrecorded_usd

    @property
    def pace(self) -> Pace:
        """How long things took."""
        return pace_of(self._times["observe"], self._times["decide"], self._times["commit"])

    def decision_told(self, decision: Decision) -> dict[str, Any]:
        """What the event of a decision says."""
        told: dict[str, Any] = {"valid": decision.action is not None, "latency_s": round(decision.latency_s, 6)}
        if decision.error_code is not None:
            told["error_code"] = decision.error_code
        if decision.repair is not None:
            told["repaired"] = decision.action is not None
        return told

    def action_told(self) -> dict[str, Any]:
        """What the event of a committed action says; the trace has it whole."""
        return {"step": self.spent.decision_ticks, "action": self._label, "sent": self._sent}

    def outcome(self, folder: Path) -> ParticipantOutcome:
        """Once it is over."""
        assert self.stop is not None
        spent = self.spent
        traces = (*self.start.traces, *((self._trace_path,) if self._runner is not None else ()))
        return ParticipantOutcome(
            agent_id=self.agent_id,
            alias=self.entrant.account.alias,
            model=self.model.name,
            provider=self.model.provider,
            stop_reason=self.stop.reason,
            detail=inert(" ".join(self.stop.detail.split()), max_chars=MAX_DETAIL_CHARS),
            void=self.stop.void,
            decisions=spent.decision_ticks,
            actions=self.actions,
            validation_failures=spent.validation_failures,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            cost_usd=spent.cost_usd,
            calls=spent.calls,
            uncounted_calls=spent.uncounted_calls,
            unpriced_calls=spent.unpriced_calls,
            reconnects=self.reconnects,
            node=self.node,
            pace=self.pace,
            infra_suspect=self.suspect,
            traces=tuple(str(path.relative_to(folder)) for path in traces),
            transcript=self.transcript.name if self.transcript.exists() else None,
        )

    def _begun(self, left_s: float | None) -> ActivityRunner:
        """The runner. It is made at the first look, so that its time ends when the match's does."""
        if self._runner is not None:
            return self._runner
        assert self.line is not None
        self._trace = TraceWriter(self._trace_path)
        before, own = self.start.spent, self.entrant.budget
        budget = msgspec.structs.replace(
            own,
            max_wall_seconds=left_s,
            max_decision_ticks=_rest(own.max_decision_ticks, before.decision_ticks),
            max_validation_failures=_rest(own.max_validation_failures, before.validation_failures),
            max_tokens=_rest(own.max_tokens, before.tokens),
        )
        shared: dict[str, Any] = {
            "identity": msgspec.structs.replace(self._identity, node=self.node.observed or self.node.allocated),
            "settings": msgspec.structs.replace(self._settings, budget=budget, transcript_path=str(self.transcript)),
            "memory": self._memory,
            "trace": self._trace,
            "watch": self._recorded,
            "clock": self._clock,
        }
        activity = self.entrant.activity
        if isinstance(activity, RouteSet):
            self._runner = RoutedActivityRunner(self.line, self.model, activity, **shared)
        else:
            self._runner = ActivityRunner(self.line, self.model, activity, **shared)
        return self._runner

    def _has_runner(self) -> ActivityRunner:
        assert self._runner is not None
        return self._runner

    def _recorded(self, record: Record) -> None:
        if isinstance(record, DecisionRecord):
            self._spent = record.spent
            self._unrecorded_usd = 0.0
            self._label = inert(action_label(record.action), max_chars=MAX_LABEL_CHARS) if record.action else ""
        elif isinstance(record, EventRecord) and record.event == EventName.NOT_SENT:
            self._sent = False
        if self._watch is not None:
            self._watch(self.agent_id, record)


def added(one: Spent, other: Spent) -> Spent:
    """Both together."""
    names = (field.name for field in msgspec.structs.fields(Spent))
    return Spent(**{name: getattr(one, name) + getattr(other, name) for name in names})


def _rest(allowed: int | None, used: int) -> int | None:
    """Of a limit; one that is used up leaves none, which the first look finds."""
    return None if allowed is None else max(0, allowed - used)
