"""What a campaign came to: how its matches ended, what they cost, and the comparison of all that was finished."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.campaign.balance import Balance, balance
from bbs_gym.campaign.folders import CampaignFolders
from bbs_gym.campaign.standing import Standing
from bbs_gym.scoring.result import MatchScore
from bbs_gym.scoring.runs import RunFault, read_score
from bbs_gym.scoring.table import Table, compare

FILE_NAME: Final = "summary.json"

_FILE_MODE: Final = 0o644


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """`summary.json`."""

    name: str
    schedule_sha256: str
    matches: int
    finished: int
    void: tuple[str, ...]
    """Matches that infrastructure spoilt too often."""
    left: int
    spoilt: int
    """Attempts that infrastructure spoilt."""
    cost_usd: float
    """Of all attempts, as far as it is known."""
    unscored: tuple[str, ...]
    """Finished, and without a `score.json` that can be read."""
    balance: tuple[Balance, ...]
    """As planned: what is void or left is missing in the scores."""
    scores: Table
    """Over the finished matches."""


def summarize(standing: Standing, root: Path) -> Summary:
    """The summary of the campaign in `root`, as it stands."""
    folders, schedule = CampaignFolders(root), standing.schedule
    scores: list[MatchScore] = []
    unscored: list[str] = []
    for match in schedule.matches:
        if match.match_id in standing.finished:
            score = _score(folders.match(match.match_id))
            if score is None:
                unscored.append(match.match_id)
            else:
                scores.append(score)
    return Summary(
        name=schedule.campaign,
        schedule_sha256=schedule.sha256,
        matches=len(schedule.matches),
        finished=len(standing.finished),
        void=_in_order(standing, standing.void),
        left=standing.left(),
        spoilt=sum(standing.spoilt.values()),
        cost_usd=round(standing.cost_usd, 6),
        unscored=tuple(unscored),
        balance=balance(schedule),
        scores=compare(scores),
    )


def write_summary(summary: Summary, root: Path) -> Path:
    """Write it, whole or not at all; returns where. Raises OSError."""
    place = root / FILE_NAME
    draft = place.with_name(f".{FILE_NAME}.{secrets.token_hex(4)}")
    try:
        draft.touch(_FILE_MODE, exist_ok=False)
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(summary, order="deterministic"), indent=2) + b"\n")
        os.replace(draft, place)  # noqa: PTH105 - as atomic as it gets
    finally:
        draft.unlink(missing_ok=True)
    return place


def _score(folder: Path) -> MatchScore | None:
    try:
        return read_score(folder)
    except RunFault:  # it is listed as unscored
        return None


def _in_order(standing: Standing, ids: Iterable[str]) -> tuple[str, ...]:
    wanted = set(ids)
    return tuple(match.match_id for match in standing.schedule.matches if match.match_id in wanted)
