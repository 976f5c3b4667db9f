"""`score.json` and the `summary.json` of a campaign, as docs/scoring.md and docs/campaigns.md have them.

Each field has a default and unknown ones are passed over, so that what an older or a newer gym writes is read as far
as it goes; `read` says where a file is of another version, or none at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from agentbbs.web.gym.places import TooLarge, read_whole
from tty_agent.terminal.inert import inert

SCORE: Final = "score.json"
SUMMARY: Final = "summary.json"
SCHEMA_VERSION: Final = 1
"""Of scores and of matches, the newest that this program knows."""

_MAX_FAULT_CHARS: Final = 160

T = TypeVar("T")


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A mean, and the interval that holds the true one with `level`; 0: of one value nothing more can be told."""

    mean: float
    low: float
    high: float
    n: int = 0
    level: float = 0.0


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """What the game itself says."""

    game: str = ""
    score: float
    rank: int | None = None
    """Among those who count; 1 is best."""
    parts: Mapping[str, float] = {}


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """A declared check."""

    name: str
    passed: bool = False
    detail: str = ""
    void: bool = False
    """It can't be told: it counts in no figure."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge said."""

    judge: str
    rubric: str = ""
    mark: float
    """0 to 1; of a pair 1 is a win, 0.5 a tie."""
    against: str | None = None
    swapped_agree: bool | None = None
    """Whether both orders of a pair gave the same answer."""
    reason: str = ""


class ParticipantScore(msgspec.Struct, frozen=True, kw_only=True):
    """One participant of a run."""

    agent_id: str
    model: str = ""
    stop_reason: str = ""
    void: bool = False
    """Infrastructure failed: it counts in no figure."""
    infra_suspect: str | None = None
    """Why the machine may be what was slow."""
    skill: Skill | None = None
    checks: tuple[Check, ...] = ()
    judgements: tuple[Judgement, ...] = ()


class MatchScore(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is worth."""

    participants: tuple[ParticipantScore, ...] = ()
    scored_at: str = ""
    schema_version: int = SCHEMA_VERSION

    def of(self, agent_id: str) -> ParticipantScore | None:
        """The score of a participant."""
        return next((one for one in self.participants if one.agent_id == agent_id), None)


class ComparisonRow(msgspec.Struct, frozen=True, kw_only=True):
    """A model or an agent over many runs."""

    name: str
    runs: int = 0
    void: int = 0
    suspect: int = 0
    skill: Mapping[str, Interval] = {}
    """By game."""
    rank: Interval | None = None
    passed: Interval | None = None
    """Of all checks together: the share that passed."""
    marks: Mapping[str, Interval] = {}
    """By rubric and judge."""
    decisions: Interval | None = None
    cost_usd: Interval | None = None
    tokens: Interval | None = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a campaign side by side."""

    by_model: tuple[ComparisonRow, ...] = ()
    by_agent: tuple[ComparisonRow, ...] = ()


class CampaignSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a campaign came to, as far as it was played."""

    name: str = ""
    matches: int = 0
    finished: int = 0
    void: tuple[str, ...] = ()
    left: int = 0
    cost_usd: float = 0.0
    scores: Comparison = Comparison()


def read(path: Path, kind: type[T], notes: list[str]) -> T | None:
    """The file as that type; None if there is none, or none that can be read: then `notes` says why."""
    try:
        content = read_whole(path)
        if content is None:
            return None
        value = msgspec.json.decode(content, type=kind, strict=False)
    except PermissionError:
        notes.append(f"{path.name} is there and can't be read: the venue runs under another user than its owner")
    except (msgspec.MsgspecError, OSError, TooLarge, ValueError, RecursionError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else str(fault)
        notes.append(f"{path.name} can't be read: {inert(why or 'unknown', max_chars=_MAX_FAULT_CHARS)}")
    else:
        note_version(path.name, getattr(value, "schema_version", SCHEMA_VERSION), notes)
        return value
    return None


def note_version(name: str, version: int, notes: list[str]) -> None:
    """Say so where a file is of another version than this program knows."""
    if version != SCHEMA_VERSION:
        notes.append(
            f"{inert(name)} has the schema version {version}, and this venue knows {SCHEMA_VERSION}: "
            "shown is what both have"
        )
