"""What may happen next in a match: the schedulers as state machines. No clock, no line, no chance.

Whoever drives one tells it what became of each agent (`decided`, `committed`, `gone`, `back`) and gets steps: whom to
launch (look at the screen and decide), whose action to commit now, what to write down. Each agent has at most one
decision in flight. `over` is the last step.

A **round** is one decision of every agent that takes part. A **tick** is an action that was committed: the first is 1.
A **queued tick** is the number of the request that a decision came of, over the whole match from 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from bbs_gym.match.events import MatchEvent, StopReason
from bbs_gym.match.settings import Order, Scheduler


class Launch(msgspec.Struct, frozen=True):
    """Let this agent look at its screen and decide."""

    agent_id: str
    queued_tick: int


class Commit(msgspec.Struct, frozen=True):
    """Commit the decision of this agent now."""

    agent_id: str
    tick: int | None
    """None: it holds no valid action; nothing is typed, and the failure is recorded."""
    queued_tick: int


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """Write this event down."""

    event: MatchEvent
    round: int | None = None
    tick: int | None = None
    agent_id: str | None = None
    data: dict[str, Any] = {}


class Over(msgspec.Struct, frozen=True):
    """Nothing comes any more."""

    reason: StopReason | None
    """`rounds` for those who are still there; None: nobody is."""


Step = Launch | Commit | Note | Over
Steps = tuple[Step, ...]


class Phase(StrEnum):
    """What an agent is at."""

    IDLE = "idle"
    DECIDING = "deciding"
    DECIDED = "decided"
    COMMITTING = "committing"
    AWAY = "away"
    """The line is lost, and may come back."""
    OUT = "out"


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a match had come that goes on."""

    round: int = 0
    """The latest that was started."""
    tick: int = 0
    queued: int = 0
    """The latest request."""
    decided: int = 0
    """Requests that came to a decision, or still may: what `continuous` counts against `max_rounds`."""
    ring: tuple[str, ...] = ()
    """As `order.turned` left it; empty: the roster."""
    order: tuple[str, ...] = ()
    """Of that round."""
    acted: frozenset[str] = frozenset()
    """Those whose part in that round is over."""
    round_over: bool = True
    out: frozenset[str] = frozenset()
    """Those who are finished."""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What a schedule is made of."""

    scheduler: Scheduler
    order: Order
    seed: int
    roster: tuple[str, ...]
    max_rounds: int | None = None
    """In `continuous` the decisions that are queued in the whole match."""


class Schedule(Protocol):
    """One match's scheduler. Every method returns the steps that follow, in order; after `Over` nothing follows."""

    def begin(self) -> Steps:
        """The first steps. Call it once."""
        ...

    def decided(self, agent_id: str, *, acts: bool) -> Steps:
        """The decision that was launched is there; `acts`: it holds a valid action."""
        ...

    def committed(self, agent_id: str, *, then: Phase = Phase.IDLE) -> Steps:
        """What `Commit` asked for is done; `then` the agent is `IDLE`, `AWAY` (its line went with it) or `OUT`."""
        ...

    def gone(self, agent_id: str, *, returns: bool = False) -> Steps:
        """The agent takes no part any more, whatever it was at; with `returns` until `back` or another `gone`."""
        ...

    def back(self, agent_id: str) -> Steps:
        """The line is there again."""
        ...

    def phase(self, agent_id: str) -> Phase:
        """What the agent is at."""
        ...

    @property
    def progress(self) -> Progress:
        """How far the match has come."""
        ...


class Standing:
    """What all schedulers keep: the phase of each agent, and the counts."""

    def __init__(self, rules: Rules, progress: Progress) -> None:
        self.rules = rules
        self.phases = dict.fromkeys(rules.roster, Phase.IDLE) | dict.fromkeys(progress.out, Phase.OUT)
        self.acts: dict[str, bool] = {}
        self.requests: dict[str, int] = {}
        self.ticks: dict[str, int] = {}
        self.tick = progress.tick
        self.queued = progress.queued
        self.over = False

    def those(self, *phases: Phase) -> tuple[str, ...]:
        """Who is at one of these, in the order of the roster."""
        return tuple(agent for agent in self.rules.roster if self.phases[agent] in phases)

    def launch(self, agent_id: str) -> Launch:
        """One more request."""
        self.expect(agent_id, Phase.IDLE)
        self.phases[agent_id] = Phase.DECIDING
        self.queued += 1
        self.requests[agent_id] = self.queued
        return Launch(agent_id, self.queued)

    def decide(self, agent_id: str, *, acts: bool) -> None:
        """Its decision is there."""
        self.expect(agent_id, Phase.DECIDING)
        self.phases[agent_id] = Phase.DECIDED
        self.acts[agent_id] = acts

    def commit(self, agent_id: str) -> Commit:
        """It may be committed; an action is one more tick."""
        self.expect(agent_id, Phase.DECIDED)
        self.phases[agent_id] = Phase.COMMITTING
        self.ticks.pop(agent_id, None)
        if self.acts[agent_id]:
            self.tick += 1
            self.ticks[agent_id] = self.tick
        return Commit(agent_id, self.ticks.get(agent_id), self.requests[agent_id])

    def commit_done(self, agent_id: str, then: Phase) -> int | None:
        """It is; the tick that it was, if it was one."""
        self.expect(agent_id, Phase.COMMITTING)
        self.phases[agent_id] = then
        return self.ticks.get(agent_id)

    def leave(self, agent_id: str, *, returns: bool) -> Phase:
        """It is gone; what it was at."""
        before = self.phases[agent_id]
        if before is not Phase.OUT:
            self.phases[agent_id] = Phase.AWAY if returns else Phase.OUT
        return before

    def come_back(self, agent_id: str) -> None:
        """Its line is there again."""
        self.expect(agent_id, Phase.AWAY)
        self.phases[agent_id] = Phase.IDLE

    def expect(self, agent_id: str, phase: Phase) -> None:
        """Raise ValueError for a call that the rules have no place for: a fault of the driver."""
        if self.phases[agent_id] is not phase:
            raise ValueError(f"{agent_id} is {self.phases[agent_id]}, not {phase}")


def joined(*parts: Iterable[Step]) -> Steps:
    """Steps one after the other."""
    return tuple(step for part in parts for step in part)
