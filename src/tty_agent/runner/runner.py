"""One agent in one activity: observe, decide, commit, until something ends it.

`run` does all of it. A scheduler of several agents calls the three steps itself, one after the other for each agent,
and lets those of different agents overlap as its rules say; it ends each run with `finish`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from tty_agent.actions.action import Action, Hangup
from tty_agent.actions.errors import ActionError
from tty_agent.activity.activity import ActivityProfile, Budget, PromptMode
from tty_agent.activity.budget import Limit, Meter
from tty_agent.activity.routes import DEFAULT_ROUTE
from tty_agent.hints import ObservationHints, extract
from tty_agent.memory.calls import MemoryCalls, charge
from tty_agent.memory.memory import Provenance
from tty_agent.memory.store import MemoryFault
from tty_agent.models.model import Model, ModelReply, Prompt
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import PromptPattern
from tty_agent.prompt_modules import ModuleContext, RenderedModule, render_modules
from tty_agent.prompts.context import AlreadyTold, BudgetState, DecisionContext
from tty_agent.prompts.prompts import DecisionPrompt, decision_prompt, repair_prompt
from tty_agent.render.observations import ObservationPictures
from tty_agent.runner.decision import Decision, Infra, decide
from tty_agent.runner.ending import ending
from tty_agent.runner.journal import Journal, TraceFailed
from tty_agent.runner.memory import RunMemory
from tty_agent.runner.record import RunIdentity, decision_record, header, reply_record
from tty_agent.runner.result import BROKEN_OFF, Outcome, RunEnd, RunResult
from tty_agent.runner.settings import SYSTEM_CLOCK, Clock, RunSettings
from tty_agent.runner.turn import Session, Turn
from tty_agent.terminal.dialect import Encoding
from tty_agent.trace.records import EventName, Record, Switch
from tty_agent.trace.writer import TraceWriter
from tty_agent.transcript.transcript import TranscriptError

LAST_LOOK_S: Final = 1.0
"""A run whose time is over still looks at the screen for so long: what it shows may be that the goal is reached."""


class ActivityRunner:
    """A bounded run of one profile. The session is open and stays open: who made it closes it, as with the model."""

    def __init__(
        self,
        session: Session,
        model: Model,
        profile: ActivityProfile,
        *,
        identity: RunIdentity,
        settings: RunSettings | None = None,
        memory: RunMemory | None = None,
        trace: TraceWriter | None = None,
        watch: Callable[[Record], None] | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """`watch` gets each record as it is made; the trace has it by then."""
        self.session = session
        self.model = model
        self.identity = identity
        self.settings = settings or RunSettings()
        self.memory = memory or RunMemory()
        self.steps = 0
        """Decisions made."""
        self.result: RunResult | None = None
        """Once the run is over."""
        self._journal = Journal(trace, watch, clock)
        self._clock = clock
        self._active = profile
        self._budget: Budget = self.settings.budget or profile.budget
        self._meter = Meter(self._budget)
        self._mode = self.settings.mode_for(model)
        self._calls = MemoryCalls(model, self._meter, clock.seconds)
        self._pictures: ObservationPictures | None = None
        if self.settings.pictures is not None:
            folder = identity.match_id or identity.run_id
            self._pictures = ObservationPictures(folder, identity.agent_id, root=self.settings.pictures)
        self._told: AlreadyTold | None = None
        self._last_action: Action | None = None
        self._turn: Turn | None = None
        self._asked: DecisionPrompt | None = None
        self._modules: tuple[RenderedModule, ...] = ()
        self._started_at = ""

    @property
    def active_profile(self) -> ActivityProfile:
        """The profile of the latest turn."""
        return self._active

    async def run(self) -> RunResult:
        """Play until the run is over. If it is cancelled, the trace gets its end (`interrupted`) before the
        CancelledError goes on; a fault of ours likewise, as `infra`. The result is in `result` then."""
        try:
            end = await self.tick()
            while end is None:
                end = await self.tick()
        except asyncio.CancelledError:
            self.conclude(RunEnd(outcome=Outcome.INTERRUPTED, detail="the run was cancelled"))
            raise
        except TranscriptError as fault:
            end = RunEnd.broken(Infra("transcript", str(fault)))
        except TraceFailed as fault:
            end = RunEnd.broken(Infra("trace", str(fault)))
        except Exception as fault:
            self.conclude(RunEnd.broken(Infra("internal", f"{type(fault).__name__}: {fault}")))
            raise
        return await self.finish(end)

    async def tick(self) -> RunEnd | None:
        """One decision tick; the end of the run if it is over."""
        turn = await self.observe()
        if turn.over is not None:
            return turn.over
        return await self.commit(await self.decide(turn))

    async def observe(self) -> Turn:
        """Wait until the turn is ready, look at the screen, and choose the profile. The first call begins the run."""
        self._begin()
        previous = self._turn.observation if self._turn else None
        left_s = self._left_s()
        observation = await self.session.observe_turn(
            policy=self._active.turn,
            prompts=self._prompts(),
            left_s=None if left_s is None else max(LAST_LOOK_S, left_s),
        )
        hints = extract(observation, last_action=self._last_action, previous=previous)
        self.memory.resolve(hints)
        profile, route = self._select(observation, hints)
        switch = self._switch(profile, route)
        reached = self._meter.exhausted(self._clock.seconds())
        over = ending(profile.completion, observation, hints, self.session.end, reached)
        png = None
        if over is None and self._pictures is not None:
            try:
                observation, png = self._pictured(observation, self._pictures)
            except OSError as fault:
                over = RunEnd.broken(Infra("pictures", f"{self._pictures.folder} can't be written: {fault.strerror}"))
        self._note(over, observation)
        self._turn = Turn(
            number=self.steps + 1,
            observation=observation,
            hints=hints,
            profile=profile,
            route=route,
            switch=switch,
            png=png,
            detected=profile.detected(observation, hints),
            over=over,
        )
        return self._turn

    async def decide(self, turn: Turn) -> Decision:
        """Ask the model what to do at `turn`, the latest one. Nothing of it reaches the terminal yet."""
        await self._compact()
        self._asked = asked = self.prompt(turn)
        stateful = self._mode is PromptMode.STATEFUL_DELTA and self.model.stateful
        policy = turn.profile.policy

        def repair(prompt: Prompt, reply: ModelReply, error: ActionError) -> Prompt:
            return repair_prompt(prompt, error=str(error), reply=reply.text, policy=policy, stateful=stateful)

        decision = await decide(
            self.model, asked.prompt, policy, repair, clock=self._clock.seconds, deadline=self._meter.deadline()
        )
        for reply in decision.replies:
            charge(self._meter, reply)
        if stateful and decision.replies:
            self._told = asked.told
        return decision

    def prompt(self, turn: Turn) -> DecisionPrompt:
        """The prompt of the decision at `turn`, exactly as the model gets it."""
        context = ModuleContext(turn.observation, turn.hints)
        self._modules = tuple(render_modules(turn.profile.modules, context))
        return decision_prompt(
            DecisionContext(
                agent_id=self.identity.agent_id,
                profile=turn.profile,
                observation=turn.observation,
                hints=turn.hints,
                modules=self._modules,
                step=turn.number,
                run_objective=self.settings.run_objective,
                memory=self.memory.session,
                campaign=self.memory.campaign,
                budget=BudgetState(self._budget, self._meter.spent(self._clock.seconds())),
                deadline_s=self._left_s(),
                told=self._told,
                images=(turn.png,) if turn.png is not None else (),
            ),
            mode=self._mode,
            layout=self.settings.prompt_layout,
        )

    async def commit(self, decision: Decision) -> RunEnd | None:
        """Record the decision, and do its action. The end of the run, if that is one."""
        if decision.fault is not None or decision.out_of_time:
            return self._not_decided(decision)
        assert self._turn is not None
        assert self._asked is not None
        turn, asked = self._turn, self._asked
        self._meter.tick(valid=decision.action is not None)
        self.steps += 1
        record = decision_record(
            self.identity,
            decision,
            turn,
            prompt_kind=str(asked.kind),
            modules=self._modules,
            spent=self._meter.spent(self._clock.seconds()),
            decided_at=self._journal.now(),
        )
        self.memory.remember(record)
        self._last_action = decision.action
        self._journal.write(record)
        for limit in self._meter.newly_uncounted():
            self.event(EventName.UNCOUNTED, {"limit": str(limit)})
        if decision.action is not None:
            return await self._act(decision.action, turn.profile)
        return None

    async def finish(self, end: RunEnd) -> RunResult:
        """The run is over: campaign memory is committed, unless the run was broken off, and the trace is ended. Call
        it once."""
        try:
            if end.outcome not in BROKEN_OFF:
                await self._commit_memory(end)
        finally:  # a run that is cancelled here is over all the same, and as it ended
            result = self.conclude(end)
        return result

    def conclude(self, end: RunEnd) -> RunResult:
        """`finish` without a commit of memory, and at once. A second call changes nothing."""
        if self.result is not None:
            return self.result
        last = self._turn.observation if self._turn else None
        trace = self._journal.trace
        self.result = RunResult(
            run_id=self.identity.run_id,
            agent_id=self.identity.agent_id,
            outcome=end.outcome,
            detail=end.detail,
            limit=end.limit,
            infra=end.infra,
            steps=self.steps,
            spent=self._meter.spent(self._clock.seconds()),
            profile=self._active.name,
            started_at=self._started_at,
            finished_at=self._journal.now(),
            trace_path=str(trace.path) if trace else None,
            trace_fault=self._journal.fault,
            transcript_path=last.transcript_path if last else None,
            transcript_byte_end=last.transcript_byte_end if last else 0,
            final_screen=last.model_text if last else "",
        )
        if self._started_at:
            try:
                self.event(EventName.RUN_FINISHED, self.result.told())
            except TraceFailed as fault:
                self.result = msgspec.structs.replace(self.result, trace_fault=str(fault))
        return self.result

    def _select(self, observation: Observation, hints: ObservationHints) -> tuple[ActivityProfile, str]:
        """The profile of this turn and the route to it."""
        del observation, hints
        return self._for_session(self._active), DEFAULT_ROUTE

    def _profiles(self) -> Sequence[ActivityProfile]:
        return (self._active,)

    def _prompts(self) -> Sequence[PromptPattern]:
        """The prompts to look for, before it is known which profile the turn will have."""
        return self._active.prompts

    def _route_set(self) -> str | None:
        return None

    def _for_session(self, profile: ActivityProfile) -> ActivityProfile:
        """The profile with the encoding of this terminal, so that what it can't spell is found before it is typed,
        while the agent can still mend it."""
        encoding = self.session.screen.dialect.encoding
        if profile.policy.encoding is not None or encoding is Encoding.UTF_8:  # which can spell everything
            return profile
        policy = msgspec.structs.replace(profile.policy, encoding=encoding)
        return msgspec.structs.replace(profile, policy=policy)

    def _begin(self) -> None:
        if self._started_at:
            return
        self._meter.start(self._clock.seconds())
        self._started_at = self._journal.now()
        self._journal.write(
            header(
                self.identity,
                self.settings,
                self.model,
                self._profiles(),
                timestamp=self._started_at,
                budget=self._budget,
                route_set=self._route_set(),
            )
        )
        self.event(EventName.RUN_STARTED, {"profile": self._active.name})

    def _left_s(self) -> float | None:
        """The time that the run has left; None: no limit."""
        deadline = self._meter.deadline()
        return None if deadline is None else deadline - self._clock.seconds()

    def _switch(self, profile: ActivityProfile, route: str) -> Switch | None:
        before, self._active = self._active.name, profile
        if before == profile.name:
            return None
        switch = Switch(before, profile.name, route)
        self.event(EventName.PROFILE_SWITCH, msgspec.to_builtins(switch))
        return switch

    def _note(self, over: RunEnd | None, observation: Observation) -> None:
        """Record what ended the connection, and what failed."""
        if observation.closed is not None:
            end = self.session.end
            self.event(EventName.DISCONNECTED, {"kind": str(end.kind) if end else None, "detail": observation.closed})
        if over is not None and over.infra is not None:
            self.event(EventName.INFRA, msgspec.to_builtins(over.infra))

    def _pictured(self, observation: Observation, pictures: ObservationPictures) -> tuple[Observation, bytes]:
        path, png = pictures.write(self.session.screen.picture(), self.steps + 1)
        return msgspec.structs.replace(observation, screen_png=str(path)), png

    def _not_decided(self, decision: Decision) -> RunEnd:
        """No decision came, and the agent is not to blame: no tick, no failure of validation, but all is on record."""
        data = {
            "step": self.steps + 1,
            "prompt": decision.prompt.user,
            "reply": msgspec.to_builtins(reply_record(decision.reply)),
            "repair_error": decision.repair.error if decision.repair else None,
            "latency_s": round(decision.latency_s, 6),
        }
        if decision.fault is not None:
            self.event(EventName.INFRA, msgspec.to_builtins(decision.fault) | data)
            return RunEnd.broken(decision.fault)
        self.event(EventName.CUT_OFF, data)
        reached = self._meter.exhausted(self._clock.seconds())
        if reached is None:
            return RunEnd(outcome=Outcome.BUDGET, detail="the time ran out", limit=Limit.WALL_SECONDS)
        return RunEnd.exhausted(reached)

    async def _act(self, action: Action, profile: ActivityProfile) -> RunEnd | None:
        try:
            await self.session.act(action, profile.policy, left_s=self._left_s())
        except ActionError as fault:  # what the policy could not know, the terminal refuses; or nobody reads it
            self._last_action = None
            self.memory.fail(str(fault))
            self.event(EventName.NOT_SENT, {"error": str(fault), "code": str(fault.code)})
            return None
        if isinstance(action, Hangup):
            return RunEnd(outcome=Outcome.HANGUP, detail="the agent hung up")
        return None

    async def _compact(self) -> None:
        ask = self._calls if self.settings.summed_up_by(self.model) else None
        told = await self.memory.compact(ask, run_objective=self.settings.run_objective, profile=self._active)
        if told is not None:
            self.event(EventName.MEMORY_COMPACTED, told)

    async def _commit_memory(self, end: RunEnd) -> None:
        by = Provenance(
            run_id=self.identity.run_id,
            agent_id=self.identity.agent_id,
            model=self.model.name,
            at=self._journal.now(),
            activity=self._active.name,
            outcome=end.outcome,
        )
        used_up = self._meter.exhausted(self._clock.seconds())  # then nobody is asked: no call comes for free
        asked = self.memory.outlives and self.settings.committed_by(self.model)
        asked = asked and (used_up is None or used_up.limit is Limit.DECISION_TICKS)
        try:
            told = await self.memory.commit(
                self._calls if asked else None,
                by,
                run_objective=self.settings.run_objective,
                profile=self._active,
            )
        except MemoryFault as fault:
            told = {"fault": str(fault)}
        with contextlib.suppress(TraceFailed):  # `result` tells of it
            self.event(EventName.MEMORY_COMMITTED, told)

    def event(self, name: str, data: dict[str, Any]) -> None:
        """Record an event after the latest step; schedulers have their own. Raises TraceFailed."""
        self._journal.event(name, self.steps, data)
