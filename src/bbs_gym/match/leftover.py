"""How far a match had come that was killed, read from its events. Pure but for the values that it is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from bbs_gym.match.events import EventLine, MatchEvent
from bbs_gym.match.order import turned
from bbs_gym.match.outcome import ParticipantOutcome
from bbs_gym.match.schedule import Progress
from bbs_gym.match.settings import MatchSettings


class Leftover(msgspec.Struct, frozen=True, kw_only=True):
    """What the events tell."""

    progress: Progress
    wall_seconds: float
    started_at: str
    stopped: dict[str, ParticipantOutcome]
    reconnects: dict[str, int]
    actions: dict[str, int]
    resumed: int
    """How often it was gone on with before."""


def leftover(settings: MatchSettings, events: Sequence[EventLine], steps: Mapping[str, int]) -> Leftover:
    """`events` of one match from its start. `steps` are the decisions in each agent's traces: where they are more than
    the events tell, the agent was killed while it acted, and its part in the round is over. Raises ValueError for an
    outcome that can't be read."""
    actions = Counter(one.agent_id or "" for one in events if one.event is MatchEvent.ACTION_COMMITTED)
    failed = Counter(one.agent_id or "" for one in events if _is_failure(one))
    caught = frozenset(agent for agent, count in steps.items() if count > actions[agent] + failed[agent])
    return Leftover(
        progress=_progress(settings, events, caught),
        wall_seconds=_wall_seconds(events),
        started_at=events[0].timestamp,
        stopped={
            one.agent_id: msgspec.convert(one.data, ParticipantOutcome)
            for one in events
            if one.event is MatchEvent.PARTICIPANT_STOPPED and one.agent_id is not None
        },
        reconnects=dict(Counter(one.agent_id or "" for one in events if one.event is MatchEvent.RECONNECT_ATTEMPTED)),
        actions={agent: actions[agent] + (agent in caught) for agent in {*actions, *caught}},
        resumed=sum(one.event is MatchEvent.MATCH_RESUMED for one in events),
    )


def _is_failure(event: EventLine) -> bool:
    """A decision without a valid action: it is told once, when it is there."""
    return event.event is MatchEvent.DECISION_COMPLETED and not event.data.get("valid", True)


def _progress(settings: MatchSettings, events: Sequence[EventLine], caught: frozenset[str]) -> Progress:
    roster = tuple(one.agent_id for one in settings.participants)
    ring, number, over = roster, 0, True
    order: tuple[str, ...] = ()
    acted: set[str] = set()
    for event in events:
        match event.event:
            case MatchEvent.ROUND_STARTED:
                order, number, over = tuple(event.data["order"]), event.round or 0, False
                ring = turned(settings.order, ring, order[0])
                acted = set()
            case MatchEvent.ROUND_COMPLETED:
                over = True
            case MatchEvent.ACTION_COMMITTED | MatchEvent.DISCONNECTED:
                acted.add(event.agent_id or "")
            case MatchEvent.DECISION_COMPLETED if _is_failure(event):
                acted.add(event.agent_id or "")
            case _:
                pass  # it changes nothing of whose turn it is
    told = max((event.tick or 0 for event in events), default=0)
    ticks = sum(event.event is MatchEvent.ACTION_COMMITTED for event in events) + len(caught)
    queued = [int(event.data["queued_tick"]) for event in events if "queued_tick" in event.data]
    decided = sum(event.event is MatchEvent.DECISION_COMPLETED for event in events)
    stopped = (event.agent_id or "" for event in events if event.event is MatchEvent.PARTICIPANT_STOPPED)
    return Progress(
        round=number,
        tick=max(told, ticks),
        queued=max([*queued, decided]),
        decided=decided,
        ring=ring,
        order=order,
        acted=frozenset(acted | caught),
        round_over=over,
        out=frozenset(stopped),
    )


def _wall_seconds(events: Sequence[EventLine]) -> float:
    """Of play: from when all were ready to the last event, without the time in which no process ran."""
    used, began, last = 0.0, events[0].timestamp, events[0].timestamp
    for event in events:
        if event.event is MatchEvent.MATCH_RESUMED:
            used, began = float(event.data["wall_seconds"]), event.timestamp
        elif event.event is MatchEvent.PARTICIPANT_READY:
            began = event.timestamp
        last = event.timestamp
    return used + max(0.0, (datetime.fromisoformat(last) - datetime.fromisoformat(began)).total_seconds())
