"""One campaign from its settings to its end: `run_campaign`.

Matches are begun in the order of the schedule, as many at a time as the crew has workers; a campaign turn begins when
the one before has ended. Everything is in the journal before it is acted on, so a campaign that is killed at any moment
goes on with the same schedule: what was finished is never played again, and what was on is played anew from its
snapshot, unless its worker still wrote the result.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.campaign.composing import composed
from bbs_gym.campaign.config import check_campaign
from bbs_gym.campaign.events import CAMPAIGN_SCHEMA_VERSION, CampaignEvent, CampaignLine
from bbs_gym.campaign.folders import CampaignFolders, spent_in
from bbs_gym.campaign.journal import FILE_NAME, CampaignFault, CampaignJournal
from bbs_gym.campaign.playing import MEMORY_FOLDER
from bbs_gym.campaign.schedule import PlannedMatch, Schedule, make_schedule
from bbs_gym.campaign.settings import CampaignSettings
from bbs_gym.campaign.standing import BadStanding, Began, Standing
from bbs_gym.campaign.task import Crew, MatchResult, MatchTask, WorkerLost, read_result
from bbs_gym.hosts.host import HostFault, Snapshot
from bbs_gym.hosts.snapshot_record import read_record
from bbs_gym.match.config import placed
from bbs_gym.match.settings import MatchSettings

SCHEDULE_FILE: Final = "schedule.json"

AROUND_S: Final = 300.0
"""Added to a match's own limit: the BBS starts, agents log in, and all is scored, on a machine that is full of work."""

MAX_SPOILT_IN_A_ROW: Final = 10
"""Attempts, with none finished between: then it is the machine, and the campaign rests before it makes more void."""

TOKEN_BYTES: Final = 8
"""So that no two attempts have the same."""

MakeCrew = Callable[[int], Crew]
"""Takes the descriptor that locks the journal, for workers that can hold it."""


async def run_campaign(
    settings: CampaignSettings,
    folder: Path,
    make_crew: MakeCrew,
    *,
    base: Path = Path(),
    resume: bool = False,
    max_cost_usd: float | None = None,
    watch: Callable[[CampaignLine], None] | None = None,
) -> Standing:
    """Play all of it in `folder`, which has no campaign yet, or with `resume` what is left of the one that it has.

    `base` is what paths in the settings are relative to. With `max_cost_usd` no match is begun that could bring the
    cost of all above it; matches without a limit of their own are begun as long as it is not reached. `watch` gets each
    line of the journal. Returns how it stands at the end: completed, or with matches left.

    Raises BadCampaign and CampaignFault; CancelledError once the workers have ended.
    """
    check_campaign(settings)
    schedule = make_schedule(settings)
    snapshot = _snapshot(settings, base)
    journal = await asyncio.to_thread(
        lambda: CampaignJournal(folder / FILE_NAME, resumes=resume, wall=_now, watch=watch)
    )
    with journal:
        crew = make_crew(journal.lock)
        try:
            campaign = _Campaign(settings, schedule, CampaignFolders(folder), journal, crew)
            campaign.base, campaign.snapshot, campaign.max_cost_usd = base, snapshot, max_cost_usd
            campaign.check_crew()
            await campaign.begin()
            await campaign.play()
            return campaign.standing
        finally:
            await crew.close()


class _Campaign:
    """`begin`, then `play`, once."""

    def __init__(
        self,
        settings: CampaignSettings,
        schedule: Schedule,
        folders: CampaignFolders,
        journal: CampaignJournal,
        crew: Crew,
    ) -> None:
        self.base = Path()
        self.snapshot: Snapshot | None = None
        self.max_cost_usd: float | None = None
        self._settings = settings
        self._schedule = schedule
        self._folders = folders
        self._journal = journal
        self._crew = crew
        self._playing: dict[asyncio.Task[MatchResult], PlannedMatch] = {}
        self._reserved: dict[str, float] = {}
        self._spoilt_in_a_row = 0
        try:
            self.standing = Standing.of(schedule, journal.lines)
        except BadStanding as fault:
            raise CampaignFault(
                f"{journal.path}: {fault}: go on with the settings and the version that began it, or begin another one"
            ) from fault

    def check_crew(self) -> None:
        """Matches on a BBS that is not private are played one at a time. Raises CampaignFault."""
        kinds = {(match.turn, match.variant): match for match in reversed(self._schedule.matches)}
        if self._crew.size > 1 and any(_shared(composed(self._settings, match)) for match in kinds.values()):
            raise CampaignFault("its matches share one BBS, so they are played one at a time: give --workers 1")

    async def begin(self) -> None:
        """The plan is on record; what was on when the campaign was killed waits again, or is over."""
        if not self.standing.planned:
            plan = msgspec.json.format(msgspec.json.encode(self._schedule), indent=1) + b"\n"
            await asyncio.to_thread((self._folders.root / SCHEDULE_FILE).write_bytes, plan)
            data = {
                "schema_version": CAMPAIGN_SCHEMA_VERSION,
                "name": self._settings.name,
                "schedule_sha256": self._schedule.sha256,
                "matches": len(self._schedule.matches),
            }
            self._write(CampaignEvent.PLANNED, data=data)
            return
        self._write(CampaignEvent.RESUMED, data={"left": self.standing.left()})
        for match_id, began in tuple(self.standing.running.items()):
            await self._take_up(match_id, began)

    async def play(self) -> None:
        """Until no match is left, or none may begin any more."""
        try:
            why = await self._play()
        except asyncio.CancelledError:
            await self._stop_all()
            self._write(CampaignEvent.STOPPED, data=self._told("interrupted"))
            raise
        finally:
            await self._stop_all()
        if self.standing.left():
            self._write(CampaignEvent.STOPPED, data=self._told(why))
        elif not self.standing.completed:
            self._write(CampaignEvent.COMPLETED, data=self._told(None))

    async def _play(self) -> str:
        while True:
            why = self._start_what_may()
            if not self._playing:
                return why
            done, _ = await asyncio.wait(self._playing, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                await self._ended(self._playing.pop(task), task)

    def _start_what_may(self) -> str:
        """Returns why nothing more begins, where that is not for want of workers."""
        while len(self._playing) < self._crew.size and (match := self.standing.following()) is not None:
            settings = placed(composed(self._settings, match), self.base)
            if not self._affordable(settings):
                return "max_cost"
            self._start(match, settings)
        return ""

    def _affordable(self, settings: MatchSettings) -> bool:
        if self.max_cost_usd is None:
            return True
        spent = self.standing.cost_usd + sum(self._reserved.values())
        own = settings.budgets.max_cost_usd
        return spent < self.max_cost_usd if own is None else spent + own <= self.max_cost_usd

    def _start(self, match: PlannedMatch, settings: MatchSettings) -> None:
        for swap in self._schedule.swaps:
            if swap.turn <= match.turn and (swap.turn, swap.agent_id) not in self.standing.swapped:
                self._write(CampaignEvent.MODEL_SWAPPED, data=msgspec.to_builtins(swap))
        token = secrets.token_hex(TOKEN_BYTES)
        attempt = self.standing.tried(match.match_id) + 1
        self._write(CampaignEvent.STARTED, match=match.match_id, data={"token": token, "attempt": attempt})
        self._reserved[match.match_id] = settings.budgets.max_cost_usd or 0.0
        task = MatchTask(
            match_id=match.match_id,
            token=token,
            folder=self._folders.match(match.match_id),
            settings=settings,
            snapshot=self.snapshot,
            memory=self._memory(match) if self._settings.memory else None,
            about=self._about(match, attempt),
            limit_s=self._limit(settings),
        )
        name = f"match {match.match_id}"
        self._playing[asyncio.create_task(self._crew.play(task), name=name)] = match

    async def _ended(self, match: PlannedMatch, task: asyncio.Task[MatchResult]) -> None:
        del self._reserved[match.match_id]
        try:
            result = task.result()
        except WorkerLost as fault:
            cost = await asyncio.to_thread(spent_in, self._folders.match(match.match_id))
            await self._spoilt(match.match_id, str(fault), cost)
            return
        if result.refused is not None:
            raise CampaignFault(f"{match.match_id} can't be played: {result.refused}")
        await self._over(match.match_id, result)

    async def _over(self, match_id: str, result: MatchResult) -> None:
        if result.void:
            why = f"void for {', '.join(result.void)}" + (f": {result.detail}" if result.detail else "")
            await self._spoilt(match_id, why, result.cost_usd)
            return
        data = {
            "cost_usd": result.cost_usd,
            "stopped_by": result.stopped_by,
            "wall_seconds": result.wall_seconds,
            "decisions": result.decisions,
            **({"detail": result.detail} if result.detail else {}),
        }
        self._write(CampaignEvent.FINISHED, match=match_id, data=data)
        self._spoilt_in_a_row = 0

    async def _spoilt(self, match_id: str, why: str, cost_usd: float) -> None:
        """Infrastructure failed: once more, or no more. The other participants did not meet whom they were to meet, so
        what they did counts no more than what the agent did whom it hit."""
        tries = self.standing.spoilt.get(match_id, 0) + 1
        aside = await asyncio.to_thread(self._folders.set_aside, match_id, "void")
        event = CampaignEvent.VOID if tries >= self._settings.max_tries else CampaignEvent.REQUEUED
        data = {"why": why, "tries": tries, "cost_usd": cost_usd, "kept": aside.name if aside else None}
        self._write(event, match=match_id, data=data)
        self._spoilt_in_a_row += 1
        if self._spoilt_in_a_row >= max(MAX_SPOILT_IN_A_ROW, 2 * self._crew.size):
            raise CampaignFault(
                f"{self._spoilt_in_a_row} attempts in a row were spoilt, the last because {why}: mend it, and go on by"
                " --resume"
            )

    async def _take_up(self, match_id: str, began: Began) -> None:
        """A match that was on when the campaign ended."""
        folder = self._folders.match(match_id)
        result = await asyncio.to_thread(read_result, folder, began.token)
        if result is not None and result.refused is None:
            await self._over(match_id, result)
            return
        cost = await asyncio.to_thread(spent_in, folder)
        aside = await asyncio.to_thread(self._folders.set_aside, match_id, "interrupted")
        data = {
            "why": "the campaign was interrupted",
            "interrupted": True,
            "cost_usd": cost,
            "kept": aside.name if aside else None,
        }
        self._write(CampaignEvent.REQUEUED, match=match_id, data=data)

    async def _stop_all(self) -> None:
        """What is on stays so in the journal: whoever goes on plays it anew."""
        for task in self._playing:
            task.cancel()
        if self._playing:
            await asyncio.wait(self._playing)
            for task in self._playing:
                if not task.cancelled():
                    task.exception()  # the campaign ends for another reason
        self._playing.clear()

    def _memory(self, match: PlannedMatch) -> dict[str, str]:
        """Of each agent, what it knew after its last match of the turns before."""
        known = {}
        for seat in match.seats:
            for former in reversed(self._schedule.matches[: match.number]):
                if (
                    former.turn < match.turn
                    and former.match_id in self.standing.finished
                    and any(one.agent_id == seat.agent_id for one in former.seats)
                ):
                    file = self._folders.match(former.match_id) / MEMORY_FOLDER / f"{seat.agent_id}.json"
                    if file.is_file():
                        known[seat.agent_id] = file.read_text("utf-8")
                    break
        return known

    def _about(self, match: PlannedMatch, attempt: int) -> dict[str, Any]:
        """What the folder of the match says of its campaign: the models of the seats, and what was swapped."""
        turn = self._settings.turns[match.turn - 1]
        swaps = [one for one in self._schedule.swaps if one.turn <= match.turn]
        return {
            "schema_version": CAMPAIGN_SCHEMA_VERSION,
            "campaign": self._settings.name,
            "schedule_sha256": self._schedule.sha256,
            "turn": turn.name,
            "attempt": attempt,
            "match": msgspec.to_builtins(match),
            "model_swaps": msgspec.to_builtins(swaps),
        }

    def _limit(self, settings: MatchSettings) -> float | None:
        if self._settings.max_match_seconds is not None:
            return self._settings.max_match_seconds
        own = settings.budgets.max_wall_seconds
        return None if own is None else own + AROUND_S

    def _told(self, why: str | None) -> dict[str, Any]:
        return {
            **({"why": why} if why is not None else {}),
            "finished": len(self.standing.finished),
            "void": len(self.standing.void),
            "left": self.standing.left(),
            "cost_usd": round(self.standing.cost_usd, 6),
        }

    def _write(self, event: CampaignEvent, *, match: str | None = None, data: dict[str, Any] | None = None) -> None:
        self._journal.write(event, match=match, data=data)
        self.standing.take(self._journal.lines[-1])


def _shared(settings: MatchSettings) -> bool:
    host = settings.host
    return host.kind != "house" or host.data is not None or host.address is not None


def _snapshot(settings: CampaignSettings, base: Path) -> Snapshot | None:
    if settings.snapshot is None:
        return None
    place = (base / settings.snapshot).absolute()
    try:
        return read_record(place.parent, place.name)
    except HostFault as fault:
        raise CampaignFault(f"snapshot: {fault}") from fault


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
