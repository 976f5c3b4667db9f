"""What a run is worth: the content of `score.json`, one a run, and the figures made of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

SCORE_SCHEMA_VERSION = 1


class Interval(msgspec.Struct, frozen=True):
    """A mean with the interval that holds the true one with `level`.

    Of one value nothing more can be told: then the interval is that value alone, and `level` is 0.
    """

    mean: float
    low: float
    high: float
    n: int
    level: float = 0.95


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """What the game itself says."""

    game: str
    score: float
    rank: int
    """Among the participants, 1 is best; equal scores share one."""
    parts: Mapping[str, float] = {}


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """A declared check."""

    name: str
    passed: bool
    detail: str = ""
    void: bool = False
    """It can't be told, through no fault of the participant: left out of every figure."""


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge said: a rubric mark, or of a pair which is better."""

    judge: str
    """A model's name, or `human`."""
    rubric: str
    mark: float
    """0 to 1; of a pair 1 is a win, 0.5 a tie, both orders of showing averaged."""
    against: str | None = None
    swapped_agree: bool | None = None
    """Whether both orders gave the same answer."""
    reason: str = ""
    prompt_sha256: str = ""
    """Of the `JudgePrompt` (of a pair, the one that shows this participant first); empty: a person's."""


class ParticipantScore(msgspec.Struct, frozen=True, kw_only=True):
    """One participant of a match."""

    agent_id: str
    model: str
    stop_reason: str
    void: bool = False
    """Infrastructure failed: left out of every figure."""
    infra_suspect: str | None = None
    """Why the machine may be what was slow. It counts all the same, and is marked."""
    decisions: int = 0
    validation_failures: int = 0
    cost_usd: float | None = None
    tokens: int | None = None
    skill: Skill | None = None
    checks: tuple[CheckResult, ...] = ()
    judgements: tuple[Judgement, ...] = ()


class MatchScore(msgspec.Struct, frozen=True, kw_only=True):
    """`score.json`."""

    match_id: str
    name: str
    seed: int
    participants: tuple[ParticipantScore, ...]
    schema_version: int = SCORE_SCHEMA_VERSION
    scored_at: str = ""
    manifest_sha256: str = ""
    extra: dict[str, Any] = {}
