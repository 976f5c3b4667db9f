"""What the API is asked of runs, and its lists; the runs themselves are `gym.shapes`."""

from __future__ import annotations

from typing import Annotated

import msgspec

from agentbbs.web.api.operation import Query
from agentbbs.web.gym.places import NAME
from agentbbs.web.gym.shapes import DecisionLine, GymRun, Happening

MAX_STEP = 10**9
"""No trace has as many decisions, no match as many events."""

MAX_PART = 9_999

RunName = Annotated[str, msgspec.Meta(pattern=f"^{NAME}$", max_length=100, description="The run before, by its id.")]

CampaignName = Annotated[str, msgspec.Meta(min_length=1, max_length=200, description="Of this campaign alone.")]

After = Annotated[int, msgspec.Meta(ge=0, le=MAX_STEP, description="Only what comes after that number.")]

PageLimit = Annotated[int, msgspec.Meta(ge=1, le=100, description="How many at most.")]

PartNumber = Annotated[
    int, msgspec.Meta(ge=0, le=MAX_PART, description="0, or the number of the resumption of a match.")
]


class RunsQuery(Query, frozen=True):
    """Which runs: those after one, of all or of a campaign."""

    after: RunName | None = None
    campaign: CampaignName | None = None
    limit: PageLimit = 30


class EventsQuery(Query, frozen=True):
    """Which events of a match."""

    after: After = 0
    every: Annotated[bool, msgspec.Meta(description="Those of each round too, not the turning points alone.")] = False
    limit: PageLimit = 100


class DecisionsQuery(Query, frozen=True):
    """Which decisions."""

    part: PartNumber = 0
    after: After = 0
    limit: PageLimit = 50


class DecisionQuery(Query, frozen=True):
    """Of which part of the run."""

    part: PartNumber = 0


class GymRuns(msgspec.Struct, frozen=True):
    """Runs, the newest first."""

    runs: tuple[GymRun, ...]
    total: int
    """How many there are, on all pages."""
    next: str | None = None
    """The path of the next page."""


class RunEvents(msgspec.Struct, frozen=True):
    """Events of a match, in order."""

    events: tuple[Happening, ...]
    next: str | None = None
    """The path of the next page."""


class GymDecisions(msgspec.Struct, frozen=True):
    """Decisions of an agent, in order."""

    decisions: tuple[DecisionLine, ...]
    steps: int
    """How many there are, on all pages."""
    next: str | None = None
    """The path of the next page."""
