"""Where a campaign stands: its schedule, and what its journal says happened. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from bbs_gym.campaign.events import CAMPAIGN_SCHEMA_VERSION, CampaignEvent, CampaignLine
from bbs_gym.campaign.schedule import PlannedMatch, Schedule


class BadStanding(ValueError):
    """The journal is none of this schedule, or tells what can't have happened; the text says what."""


class Began(msgspec.Struct, frozen=True, kw_only=True):
    """A match that is on."""

    token: str
    """Of this attempt alone: what another attempt leaves behind is not taken for its result."""
    attempt: int


_MATCH_EVENTS: Final = frozenset(
    {CampaignEvent.STARTED, CampaignEvent.FINISHED, CampaignEvent.REQUEUED, CampaignEvent.VOID}
)


class Standing:
    """Changed by `take`, one line after the other, in order."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule: Final = schedule
        self.running: dict[str, Began] = {}
        self.finished: set[str] = set()
        self.void: set[str] = set()
        self.spoilt: dict[str, int] = {}
        """How often infrastructure spoilt a match."""
        self.attempts: dict[str, int] = {}
        self.swapped: set[tuple[int, str]] = set()
        """Turn and agent of the swaps that are on record."""
        self.cost_usd = 0.0
        """Of all attempts."""
        self.planned = False
        self.completed = False
        self._at = 0  # all before are over
        self._known = {match.match_id: match for match in schedule.matches}

    @classmethod
    def of(cls, schedule: Schedule, lines: Iterable[CampaignLine]) -> Standing:
        """After these lines. Raises BadStanding."""
        standing = cls(schedule)
        for line in lines:
            standing.take(line)
        return standing

    def take(self, line: CampaignLine) -> None:
        """One more line. Raises BadStanding."""
        if not self.planned:
            self._plan(line)
            return
        if line.event in _MATCH_EVENTS:
            if line.match not in self._known:
                raise BadStanding(f"line {line.seq} tells of {line.match}, which is not in the schedule")
            self._take_match(line, line.match)
        elif line.event is CampaignEvent.MODEL_SWAPPED:
            self.swapped.add((int(line.data["turn"]), str(line.data["agent_id"])))
        elif line.event is CampaignEvent.PLANNED:
            raise BadStanding(f"line {line.seq} plans a campaign anew")
        self.completed = line.event is CampaignEvent.COMPLETED

    def following(self) -> PlannedMatch | None:
        """What may begin now: the first, in the order of the schedule, of the first turn that has not ended. What was
        spoilt comes after the rest of its turn, those that were spoilt least first. None: nothing, for now."""
        turn, found = self.turn(), None
        for match in self.schedule.matches[self._at :]:
            if match.turn != turn:
                break
            if match.match_id in self.running or self._is_over(match):
                continue
            if match.match_id not in self.spoilt:
                return match
            if found is None or self.spoilt[match.match_id] < self.spoilt[found.match_id]:
                found = match
        return found

    def turn(self) -> int | None:
        """The turn (from 1) that is on, or is next; None: all have ended."""
        matches = self.schedule.matches
        while self._at < len(matches) and self._is_over(matches[self._at]):
            self._at += 1
        return matches[self._at].turn if self._at < len(matches) else None

    def left(self) -> int:
        """Matches that are not over."""
        return len(self.schedule.matches) - len(self.finished) - len(self.void)

    def tried(self, match_id: str) -> int:
        """How often it was begun."""
        return self.attempts.get(match_id, 0)

    def _is_over(self, match: PlannedMatch) -> bool:
        return match.match_id in self.finished or match.match_id in self.void

    def _plan(self, line: CampaignLine) -> None:
        if line.event is not CampaignEvent.PLANNED:
            raise BadStanding(f"it begins with {line.event}, and not with a plan")
        version = line.data.get("schema_version")
        if version != CAMPAIGN_SCHEMA_VERSION:
            raise BadStanding(f"it has schema version {version}, and this program {CAMPAIGN_SCHEMA_VERSION}")
        if line.data.get("schedule_sha256") != self.schedule.sha256:
            raise BadStanding("it is of another schedule: the settings have changed since, or the program has")
        self.planned = True

    def _take_match(self, line: CampaignLine, match_id: str) -> None:
        if line.event is CampaignEvent.STARTED:
            if match_id in self.running or match_id in self.finished or match_id in self.void:
                raise BadStanding(f"line {line.seq} begins {match_id}, which is on or over")
            self.attempts[match_id] = self.attempts.get(match_id, 0) + 1
            self.running[match_id] = Began(token=str(line.data["token"]), attempt=self.attempts[match_id])
            return
        if self.running.pop(match_id, None) is None:
            raise BadStanding(f"line {line.seq} ends {match_id}, which is not on")
        self.cost_usd += float(line.data.get("cost_usd", 0.0))
        if line.event is CampaignEvent.FINISHED:
            self.finished.add(match_id)
        else:
            self.spoilt[match_id] = self.spoilt.get(match_id, 0) + (not line.data.get("interrupted", False))
            if line.event is CampaignEvent.VOID:
                self.void.add(match_id)
