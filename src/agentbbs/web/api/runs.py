"""`/runs`: finished runs of the gym, with every decision that an agent made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar

from agentbbs.web.api.errors import ApiError
from agentbbs.web.api.operation import PREFIX, Call, Operation
from agentbbs.web.api.run_shapes import (
    DecisionQuery,
    DecisionsQuery,
    EventsQuery,
    GymDecisions,
    GymRuns,
    RunEvents,
    RunsQuery,
)
from agentbbs.web.gym.places import NAME
from agentbbs.web.gym.shapes import Decision, GymRun
from agentbbs.web.gym.shelf import Missing, Shelf
from agentbbs.web.links import link
from agentbbs.web.venue_view import VenueView

TAG: Final = "runs"

_ANCHORS: Final = {"run": NAME, "agent": NAME, "step": "[0-9]{1,9}"}
_EXAMPLES: Final = {"run": "duel-1", "agent": "ann", "step": 1}

T = TypeVar("T")


class RunsApi:
    """The operations. A venue without runs has them too, and finds nothing."""

    def __init__(self, view: VenueView) -> None:
        self._shelf = None if view.settings.runs is None else Shelf(view.settings.runs)

    def operations(self) -> tuple[Operation, ...]:
        every: dict[str, Any] = {
            "method": "GET",
            "errors": ("not_found",),
            "tag": TAG,
            "anchors": _ANCHORS,
            "examples": _EXAMPLES,
        }
        agent = "/runs/{run}/agents/{agent}/decisions"
        return (
            Operation(
                **{**every, "examples": {"limit": 10}},
                path="/runs",
                summary="List finished runs of the gym",
                handler=self.runs,
                query=RunsQuery,
                answer=GymRuns,
            ),
            Operation(**every, path="/runs/{run}", summary="Get a run", handler=self.run, answer=GymRun),
            Operation(
                **every,
                path="/runs/{run}/events",
                summary="List the events of a match of the gym",
                handler=self.events,
                query=EventsQuery,
                answer=RunEvents,
            ),
            Operation(
                **every,
                path=agent,
                summary="List an agent's decisions",
                handler=self.decisions,
                query=DecisionsQuery,
                answer=GymDecisions,
            ),
            Operation(
                **every,
                path=f"{agent}/{{step}}",
                summary="Get a decision",
                handler=self.decision,
                query=DecisionQuery,
                answer=Decision,
            ),
        )

    async def runs(self, call: Call) -> GymRuns:
        """The newest first, with who took part, what was used up, how it ended and what it is worth. A run that is
        still going on is told as far as it is whole."""
        asked: RunsQuery = call.query
        if self._shelf is None:
            return GymRuns(runs=(), total=0)
        listed = await self._ask(self._shelf.runs, limit=asked.limit, after=asked.after, campaign=asked.campaign)
        more = listed.runs[-1].run_id if listed.more else None
        path = f"{PREFIX}/runs"
        return GymRuns(
            runs=listed.runs,
            total=listed.total,
            next=link(path, campaign=asked.campaign, after=more, limit=asked.limit) if more else None,
        )

    async def run(self, call: Call) -> GymRun:
        """One run, with the parts of each agent's: a match that was gone on with after a kill has several."""
        return await self._ask(self._there().run, call.path["run"])

    async def events(self, call: Call) -> RunEvents:
        """What happened in a match, in order: its turning points, or each event of each round. The run of a single
        agent has none."""
        asked: EventsQuery = call.query
        run = call.path["run"]
        found, more = await self._ask(
            self._there().happenings, run, after=asked.after, limit=asked.limit, every=asked.every
        )
        every = "true" if asked.every else None
        path = f"{PREFIX}/runs/{run}/events"
        return RunEvents(
            events=found, next=link(path, every=every, after=found[-1].seq, limit=asked.limit) if more else None
        )

    async def decisions(self, call: Call) -> GymDecisions:
        """A line for each decision, from the first on: what was done, why, and what it cost."""
        asked: DecisionsQuery = call.query
        run, agent = call.path["run"], call.path["agent"]
        found, steps = await self._ask(
            self._there().decisions, run, agent, asked.part, after=asked.after, limit=asked.limit
        )
        last = asked.after + len(found)
        path = f"{PREFIX}/runs/{run}/agents/{agent}/decisions"
        more = link(path, part=asked.part or None, after=last, limit=asked.limit) if found and last < steps else None
        return GymDecisions(decisions=found, steps=steps, next=more)

    async def decision(self, call: Call) -> Decision:
        """Everything about one decision: the screen, what the model was told and answered, and the action."""
        asked: DecisionQuery = call.query
        path = call.path
        return await self._ask(self._there().decision, path["run"], path["agent"], int(path["step"]), asked.part)

    def _there(self) -> Shelf:
        """The runs. Raises ApiError where there are none."""
        if self._shelf is None:
            raise ApiError("not_found", "this venue shows no runs")
        return self._shelf

    async def _ask(self, what: Callable[..., T], *args: Any, **names: Any) -> T:
        """Ask the shelf, in a thread. Raises ApiError for what is not there."""
        try:
            return await asyncio.to_thread(what, *args, **names)
        except Missing as fault:
            raise ApiError("not_found", str(fault)) from fault
        except OSError as fault:
            raise ApiError("not_found", "the runs can't be read just now") from fault
