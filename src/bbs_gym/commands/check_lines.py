"""Declared checks as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bbs_gym.scoring.result import ParticipantScore


def check_lines(participants: Iterable[ParticipantScore]) -> Iterator[str]:
    """`ann  passed  posted area=general  (in General: Report)`: a line for each check of each participant."""
    for each in participants:
        for check in each.checks:
            told = "can't be told" if check.void else "passed" if check.passed else "failed"
            yield f"{each.agent_id}  {told}  {check.name}" + (f"  ({check.detail})" if check.detail else "")
