"""A match while it is played: its parts, in the order in which they are needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.door_policy import DoorRefused
from bbs_gym.hosts.host import Host, HostFault, Snapshot
from bbs_gym.match.driver import ALL_STOPPED, Driver, Limits
from bbs_gym.match.events import EventLine, MatchEvent, StopReason
from bbs_gym.match.journal import FILE_NAME, MATCH_SCHEMA_VERSION, MatchJournal
from bbs_gym.match.lines import LineFault, Lines
from bbs_gym.match.manifest import manifest, plain, write_manifest
from bbs_gym.match.outcome import MatchOutcome, ParticipantOutcome
from bbs_gym.match.participant import Participant, Start
from bbs_gym.match.preparing import Grants, node_pool, prepare, stays, world_mark
from bbs_gym.match.returning import Returning
from bbs_gym.match.roster import Entrant
from bbs_gym.match.schedule import Progress, Rules
from bbs_gym.match.scheduling import make_schedule
from bbs_gym.match.settings import MatchSettings, Scheduler
from bbs_gym.match.stopping import stop_of_match
from bbs_gym.match.wiring import Wiring
from tty_agent.activity.activity import PromptLayout, PromptMode
from tty_agent.memory.store import CampaignFile
from tty_agent.models.model import Model
from tty_agent.render.extra import check_extra
from tty_agent.runner.memory import RunMemory
from tty_agent.runner.record import RunIdentity, stamp
from tty_agent.runner.settings import Clock, RunSettings
from tty_agent.trace.records import Record

START_TRIES: Final = 3
"""Of each participant's first call: a BBS that has just been left needs a moment to free an account."""

Keep = Callable[[str], Awaitable[Iterable[str]]]
"""Keeps the state of the BBS for scoring, at the moment `before` or `after`; returns what could not be had."""


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of a match that goes on: nothing is there of one that begins."""

    progress: Progress = Progress()
    wall_seconds: float = 0.0
    """Used so far."""
    started_at: str | None = None
    starts: Mapping[str, Start] = {}
    memories: Mapping[str, RunMemory] = {}
    stopped: Mapping[str, ParticipantOutcome] = {}
    """Those who are over."""
    resumed: int = 0
    """How often it was gone on with; this time counts."""


class Match:
    """`run` begins a match, `go_on` one that was killed. Either once."""

    def __init__(
        self,
        settings: MatchSettings,
        folder: Path,
        *,
        entrants: tuple[Entrant, ...],
        host: Host,
        wiring: Wiring,
        clock: Clock,
        watch: Callable[[EventLine], None] | None,
        watch_records: Callable[[str, Record], None] | None,
        match_id: str,
        memory: Path | None,
        keep: Keep | None,
        left: Left | None = None,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._entrants = entrants
        self._host = host
        self._wiring = wiring
        self._clock = clock
        self._match_id = match_id
        self._keep = keep
        self._left = left or Left()
        self._started_at = self._left.started_at or stamp(clock.wall())
        self._began = self._until = clock.seconds()
        """When play began, and when it was over; others wait for neither the BBS nor for scores."""
        self._progress = self._left.progress
        self._grants = Grants(host, settings.door)
        self._faults: list[str] = []
        self._participants: dict[str, Participant] = {}
        for entrant in entrants:
            if entrant.agent_id not in self._left.stopped:
                self._participants[entrant.agent_id] = self._participant(entrant, memory, watch_records)
        self._journal = MatchJournal(folder / FILE_NAME, clock, watch, resumes=left is not None)

    async def run(self, accounts: Mapping[str, Account], snapshot: Snapshot | None) -> MatchOutcome:
        """From the beginning."""
        settings = self._settings
        fault, world = None, {}
        try:
            try:
                await self._host.start()
                await prepare(self._host, settings, accounts)
                await self._grants.begin(self._entrants)
                world = await world_mark(self._host, settings)
            except (HostFault, DoorRefused) as infra:
                fault = str(infra)
            told = manifest(
                settings,
                self._entrants,
                self._host,
                match_id=self._match_id,
                created_at=self._started_at,
                snapshot=snapshot,
                world=world,
            )
            write_manifest(self._folder, told)
            self._journal.write(MatchEvent.MATCH_STARTED, data=self._started_told())
            return await self._through(fault, stays(settings))
        finally:
            await self._close()

    async def go_on(self) -> MatchOutcome:
        """Where it was left: those who are not over call again."""
        fault = None
        try:
            try:
                await self._host.start()
            except HostFault as infra:
                fault = str(infra)
            data = {
                "wall_seconds": self._left.wall_seconds,
                "participants": list(self._participants),
                "resumed": self._left.resumed,
            }
            self._journal.write(MatchEvent.MATCH_RESUMED, data=data)
            return await self._through(fault, (tuple(self._participants),))
        finally:
            await self._close()

    async def _through(self, fault: str | None, groups: tuple[tuple[str, ...], ...]) -> MatchOutcome:
        """Play the groups one after the other, and write the end, whatever it is."""
        try:
            stopped_by = await self._played(fault, groups)
        except asyncio.CancelledError:
            self._stop_rest(StopReason.INTERRUPTED, "the match was interrupted")
            self._complete(str(StopReason.INTERRUPTED))
            raise
        return self._complete(stopped_by)

    async def _played(self, fault: str | None, groups: tuple[tuple[str, ...], ...]) -> str:
        if fault is None and self._left.resumed == 0:
            await self._keep_state("before")
        stopped_by = ALL_STOPPED
        self._began = self._until = self._clock.seconds()
        for number, group in enumerate(groups):
            if fault is None:
                fault = await self._connected(group)
            if fault is not None:
                self._faults.append(fault)
                await self._give_up(fault)
                return str(StopReason.INFRA)
            if number == 0:
                self._began = self._clock.seconds()
            stopped_by = await self._play(group, len(groups) - number)
            if stopped_by == StopReason.COST_USD:
                self._stop_rest(StopReason.COST_USD, "the match has cost what it may")
                break
        self._faults.extend(f"{agent} got no turns: it was not in the game" for agent in await self._grants.close())
        await self._keep_state("after")
        return stopped_by

    async def _play(self, group: tuple[str, ...], groups_left: int) -> str:
        progress = self._progress
        schedule = make_schedule(self._rules(group, progress), progress)
        driver = Driver(
            schedule,
            {agent: self._participants[agent] for agent in group},
            journal=self._journal,
            returning=Returning(self._lines, self._settings.reconnect, self._journal, self._wiring.sleep),
            limits=self._limits(group, groups_left),
            clock=self._clock,
            on_acted=self._grants.acted,
        )
        try:
            return await driver.play()
        finally:
            self._until = self._clock.seconds()
            played = schedule.progress
            self._progress = Progress(round=played.round, tick=played.tick, queued=played.queued)

    def _rules(self, group: tuple[str, ...], progress: Progress) -> Rules:
        """Of one group: who plays alone has all rounds."""
        settings = self._settings
        most = settings.budgets.max_rounds
        alone = settings.scheduler is not Scheduler.CONTINUOUS and most is not None and self._left.resumed == 0
        return Rules(
            scheduler=settings.scheduler,
            order=settings.order,
            seed=settings.seed,
            roster=group,
            max_rounds=most + progress.round if alone and most is not None else most,
        )

    def _limits(self, group: tuple[str, ...], groups_left: int) -> Limits:
        """What is left of the time, in equal shares for the groups that are left; and of the money."""
        budgets, now = self._settings.budgets, self._clock.seconds()
        most = budgets.max_wall_seconds
        left = None if most is None else most - self._left.wall_seconds - (now - self._began)
        others = [one.cost_usd for agent, one in self._participants.items() if agent not in group]
        return Limits(
            deadline=None if left is None else now + left / groups_left,
            max_cost_usd=budgets.max_cost_usd,
            cost_before_usd=sum(others) + sum(one.cost_usd for one in self._left.stopped.values()),
        )

    async def _connected(self, group: tuple[str, ...]) -> str | None:
        """All of them are on the line; else why not, and then the match can't be played."""
        if not hasattr(self, "_lines"):
            self._lines = Lines(
                self._host, self._wiring.connect, node_pool(self._host), self._journal, match_id=self._match_id
            )
        for agent in group:
            participant = self._participants[agent]
            fault = await self._first_call(participant)
            if fault is not None:
                return f"{agent} could not be connected: {fault.detail}"
            told = self._lines.node_told(participant) | {"alias": participant.entrant.account.alias}
            self._journal.write(MatchEvent.PARTICIPANT_READY, agent_id=agent, data=told)
            self._lines.tell_mismatch(participant)
        return None

    async def _first_call(self, participant: Participant) -> LineFault | None:
        fault = None
        for attempt in range(START_TRIES):
            if attempt:
                await self._wiring.sleep(self._settings.reconnect.delay_s)
            fault = await self._lines.connect(participant)
            if fault is None or not fault.retriable:
                return fault
        return fault

    async def _keep_state(self, moment: str) -> None:
        if self._keep is not None:
            self._faults.extend(await self._keep(moment))

    async def _give_up(self, fault: str) -> None:
        """The BBS is no such that a match can be played on it."""
        await self._grants.close()
        self._stop_rest(StopReason.INFRA, fault)

    def _stop_rest(self, reason: StopReason, detail: str) -> None:
        """Those who never played, or play no more. They have no run to end."""
        for agent, participant in self._participants.items():
            if participant.stop is None:
                participant.stop = stop_of_match(reason, detail)
                data = msgspec.to_builtins(participant.outcome(self._folder))
                self._journal.write(MatchEvent.PARTICIPANT_STOPPED, agent_id=agent, data=data)

    def _complete(self, stopped_by: str) -> MatchOutcome:
        everyone = dict(self._left.stopped) | {
            agent: one.outcome(self._folder) for agent, one in self._participants.items()
        }
        participants = tuple(everyone[entrant.agent_id] for entrant in self._entrants)
        if all(one.stop_reason is StopReason.INFRA for one in participants):
            stopped_by = str(StopReason.INFRA)
        outcome = MatchOutcome(
            match_id=self._match_id,
            name=self._settings.name,
            seed=self._settings.seed,
            scheduler=str(self._settings.scheduler),
            order=str(self._settings.order),
            folder=self._folder,
            started_at=self._started_at,
            finished_at=stamp(self._clock.wall()),
            wall_seconds=round(self._left.wall_seconds + max(0.0, self._until - self._began), 3),
            stopped_by=stopped_by,
            rounds=self._progress.round,
            ticks=self._progress.tick,
            decisions=sum(one.decisions for one in participants),
            cost_usd=sum(one.cost_usd for one in participants),
            participants=participants,
            detail="; ".join(self._faults),
        )
        told = plain(outcome)
        del told["folder"]  # it may be moved
        self._journal.write(MatchEvent.MATCH_COMPLETED, data=told)
        return outcome

    async def _close(self) -> None:
        try:
            await self._grants.close()
            await asyncio.gather(*(one.close() for one in self._participants.values()))
        finally:
            self._journal.close()

    def _started_told(self) -> dict[str, Any]:
        return {
            "schema_version": MATCH_SCHEMA_VERSION,
            "match_id": self._match_id,
            "name": self._settings.name,
            "seed": self._settings.seed,
            "scheduler": self._settings.scheduler,
            "order": self._settings.order,
            "host": self._host.kind,
            "participants": [entrant.agent_id for entrant in self._entrants],
        }

    def _participant(
        self, entrant: Entrant, memory: Path | None, watch: Callable[[str, Record], None] | None
    ) -> Participant:
        agent = entrant.agent_id
        file = CampaignFile(memory / f"{agent}.json") if memory is not None else None
        start = self._left.starts.get(agent, Start())
        folder = self._folder / f"resumed-{self._left.resumed}" if self._left.resumed else self._folder
        model = self._wiring.make_model(entrant.model)
        _take_place(model, start)
        transcript = self._folder / f"{agent}.raw"
        return Participant(
            entrant,
            model,
            identity=RunIdentity(run_id=self._match_id, agent_id=agent, match_id=self._match_id),
            settings=self._run_settings(entrant, model),
            memory=self._left.memories.get(agent) or RunMemory(file=file),
            trace=folder / f"{agent}.jsonl",
            transcript=transcript,
            clock=self._clock,
            start=start,
            watch=watch,
        )

    def _run_settings(self, entrant: Entrant, model: Model) -> RunSettings:
        given = self._settings.settings
        mode = PromptMode(given["prompt_mode"]) if "prompt_mode" in given else None
        if mode is PromptMode.STATEFUL_DELTA and not model.stateful:
            mode = None  # of this participant's model: it keeps nothing
        if "pictures" in given:
            check_extra()
        return RunSettings(
            run_objective=entrant.objective,
            prompt_mode=mode,
            prompt_layout=PromptLayout(given.get("prompt_layout", PromptLayout.TIMELINE_FIRST)),
            pictures=Path(given["pictures"]) if "pictures" in given else None,
            config={"match": self._settings.name, "resumed": self._left.resumed},
            seeds={"match": self._settings.seed},
        )


def _take_place(model: Model, start: Start) -> None:
    """A script goes on behind the replies that it has given."""
    if model.provider == "scripted" and start.spent.calls and hasattr(model, "calls"):
        model.calls = start.spent.calls
