"""What is told of runs, their agents and their decisions: the values that pages draw and the API answers.

Nothing of the machine that they were made on is in them: no path, no address of a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from agentbbs.web.gym.scores import ParticipantScore


class RunKind(StrEnum):
    """What a folder holds."""

    RUN = "run"
    """One agent, alone."""
    MATCH = "match"
    """Several agents on one BBS, or one that is scored as they are."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What was used up. Null: the provider told nothing of it."""

    decisions: int = 0
    validation_failures: int = 0
    """Decisions without a valid action."""
    wall_seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    calls: int = 0
    """Calls of the model."""

    @property
    def tokens(self) -> int | None:
        """Input and output together."""
        return None if self.input_tokens is None else self.input_tokens + (self.output_tokens or 0)


class RunPart(msgspec.Struct, frozen=True, kw_only=True):
    """One trace of an agent. A match that was gone on with after a kill has a further part for each time; steps count
    from 1 in each."""

    part: int
    """0, or the number of the resumption."""
    started_ms: int | None = None
    finished_ms: int | None = None
    steps: int = 0
    finished: bool = False
    """Whether the trace has its end: of one that was killed, or is still being written, it has none."""
    torn_bytes: int = 0
    """Of a line that was never finished."""
    profile: str = ""
    """That it begins with."""
    route_set: str | None = None
    objective: str = ""
    prompt_mode: str = ""
    node: int | None = None
    budget: dict[str, float] = {}
    """The limits by name."""
    outcome: str = ""
    detail: str = ""
    usage: Usage = Usage()
    has_transcript: bool = False


class GymAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of a run."""

    agent_id: str
    alias: str = ""
    """Its name on the BBS."""
    model: str = ""
    provider: str = ""
    objective: str = ""
    stop_reason: str = ""
    """Empty: it has no end."""
    detail: str = ""
    void: bool = False
    """It counts for and against nobody."""
    infra_suspect: str | None = None
    usage: Usage = Usage()
    parts: tuple[RunPart, ...] = ()
    score: ParticipantScore | None = None


class GymRun(msgspec.Struct, frozen=True, kw_only=True):
    """A folder with a run."""

    run_id: str
    kind: RunKind = RunKind.RUN
    name: str = ""
    campaign: str | None = None
    """The campaign that it belongs to."""
    turn: str | None = None
    """Of that campaign."""
    started_ms: int | None = None
    finished_ms: int | None = None
    finished: bool = False
    ended: str = ""
    """Why; empty: it has no end."""
    detail: str = ""
    seed: int | None = None
    scheduler: str | None = None
    order: str | None = None
    host: str | None = None
    """The kind of the BBS."""
    game: str | None = None
    """The door that was prepared and scored."""
    rounds: int | None = None
    limits: dict[str, float] = {}
    """Of the match, by name."""
    software: dict[str, str] = {}
    git_commit: str | None = None
    agents: tuple[GymAgent, ...] = ()
    scored_ms: int | None = None
    notes: tuple[str, ...] = ()
    """What can't be read, a line each."""

    @property
    def usage(self) -> Usage:
        """Of all agents together."""
        return added([agent.usage for agent in self.agents])

    def agent(self, agent_id: str) -> GymAgent | None:
        """The agent of that id."""
        return next((agent for agent in self.agents if agent.agent_id == agent_id), None)


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a match or of an agent's run."""

    event: str
    at_ms: int | None = None
    seq: int = 0
    """In the match."""
    round: int | None = None
    tick: int | None = None
    agent_id: str | None = None
    step: int | None = None
    """Of an agent's run: the decision before it."""
    says: str = ""
    """What it tells, in a line."""


class DecisionLine(msgspec.Struct, frozen=True, kw_only=True):
    """A decision in a line."""

    step: int
    at_ms: int | None = None
    action: str = ""
    """The action and its arguments."""
    valid: bool = False
    """Whether there was an action."""
    reason: str = ""
    """The beginning of the model's prose."""
    matched_prompt: str | None = None
    ready_reason: str = ""
    profile: str = ""
    switched_from: str | None = None
    """The profile before, if it changed here."""
    repaired: bool = False
    """The model was asked again."""
    error: str | None = None
    error_code: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    damaged: bool = False
    """The line of the trace can't be read; nothing else is told."""


class ModelReply(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of a model."""

    raw: str
    """As it came."""
    text: str
    """What was read of it."""
    model: str = ""
    provider: str = ""
    attempts: int = 1
    stop_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    notes: tuple[str, ...] = ()


class ModelRepair(msgspec.Struct, frozen=True, kw_only=True):
    """How a model was asked again, after an answer without a valid action."""

    error: str
    prompt: str
    reply: ModelReply | None = None
    error_after: str | None = None


class PromptModule(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt module as it was rendered."""

    name: str
    level: str
    text: str


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision in full. Texts longer than 262,144 characters are cut."""

    line: DecisionLine
    steps: int
    """How many the trace has."""
    decided_ms: int | None = None
    screen: str = ""
    columns: int = 80
    rows: int = 24
    cursor: tuple[int, int] = (0, 0)
    """Row and column, from 0."""
    title: str = ""
    """Of the window."""
    new_text: str = ""
    """What the program wrote since the decision before."""
    readiness: str = ""
    """When and why the turn was ready, in a line."""
    highlighted: str | None = None
    """The item of a menu that is marked by colour."""
    closed: str | None = None
    """Why the connection is gone."""
    input_mode: str | None = None
    """What the program seems to want."""
    effects: tuple[str, ...] = ()
    """What the action before did."""
    route: str | None = None
    """That was taken, if the profile changed."""
    action: str | None = None
    arguments: dict[str, Any] = {}
    action_text: str = ""
    """The action as the model wrote it."""
    reason: str = ""
    ignored: tuple[str, ...] = ()
    """Other objects of the answer, which did not count."""
    parse_notes: tuple[str, ...] = ()
    prompt_kind: str = ""
    prompt: str = ""
    system_prompt: str = ""
    modules: tuple[PromptModule, ...] = ()
    reply: ModelReply | None = None
    repair: ModelRepair | None = None
    spent: Usage = Usage()
    """By the run so far, this decision counted."""


def added(parts: Sequence[Usage]) -> Usage:
    """Several together; what none of them tells is not told."""
    inputs = [one.input_tokens for one in parts if one.input_tokens is not None]
    outputs = [one.output_tokens for one in parts if one.output_tokens is not None]
    costs = [one.cost_usd for one in parts if one.cost_usd is not None]
    walls = [one.wall_seconds for one in parts if one.wall_seconds is not None]
    return Usage(
        decisions=sum(one.decisions for one in parts),
        validation_failures=sum(one.validation_failures for one in parts),
        wall_seconds=sum(walls) if walls else None,
        input_tokens=sum(inputs) if inputs else None,
        output_tokens=sum(outputs) if outputs else None,
        cost_usd=sum(costs) if costs else None,
        calls=sum(one.calls for one in parts),
    )
