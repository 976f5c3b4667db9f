"""What a campaign writes down as it goes: `campaign.jsonl`, a line an event."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

CAMPAIGN_SCHEMA_VERSION = 1
"""In the data of `planned`; raised when a field is renamed, goes or changes its meaning."""


class CampaignEvent(StrEnum):
    """The events of a campaign. `docs/campaigns.md` lists what each carries."""

    PLANNED = "planned"
    """The first line: the hash of the schedule, and how many matches it has."""
    RESUMED = "resumed"
    """By a later process, with the same schedule."""
    MODEL_SWAPPED = "model_swapped"
    """At the beginning of a turn."""
    STARTED = "started"
    """A match was given to a worker."""
    FINISHED = "finished"
    """A match was played; it is never played again."""
    REQUEUED = "requeued"
    """Infrastructure spoilt a match, or the campaign was killed meanwhile: it is played anew."""
    VOID = "void"
    """Infrastructure spoilt a match too often. It counts for and against nobody."""
    STOPPED = "stopped"
    """The campaign rests with matches left: `max_cost` or `interrupted`."""
    COMPLETED = "completed"
    """No match is left."""


class CampaignLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `campaign.jsonl`."""

    event: CampaignEvent
    timestamp: str
    seq: int
    """From 1, without gaps."""
    match: str | None = None
    """Its `match_id`."""
    data: dict[str, Any] = {}
