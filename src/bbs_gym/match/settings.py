"""What a match is: values that a TOML or JSON file describes. Names and meanings are those of the configuration."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from bbs_gym.hosts.host import Transport
from bbs_gym.hosts.settings import HostSettings


class Scheduler(StrEnum):
    """Who decides when."""

    SEQUENTIAL = "sequential"
    """One agent after the other: observe, decide, commit."""
    PARALLEL_BARRIER = "parallel_barrier"
    """All decide at the same time; then their actions are committed in the scheduled order."""
    PARALLEL_RACE = "parallel_race"
    """All decide at the same time, launched in the scheduled order; each action is committed as soon as it is there."""
    CONTINUOUS = "continuous"
    """One decision in flight per agent, asked anew as soon as its action is committed; no rounds."""


class Order(StrEnum):
    """Who comes first in a round."""

    FIXED = "fixed"
    """As in the roster."""
    SHUFFLE = "shuffle"
    """By the match's seed, anew each round."""
    ROTATE = "rotate"
    """The first of a round is the last of the next."""


class ReconnectPolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens when a line is lost."""

    max_reconnects: int = 2
    """A participant's, over the whole match; 0: none."""
    delay_s: float = 2.0
    """A BBS needs a moment to free node and account."""
    on_hangup: bool = False
    """Reconnect too when the agent itself left (hung up, logged off, quit)."""


class ParticipantSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the roster."""

    agent_id: str
    model: dict[str, Any] = {}
    """As of `ModelConfig`; empty: that of the registry."""
    profile: str | None = None
    route_set: str | None = None
    """Of profile and route set one at most; none: the match's."""
    objective: str | None = None
    """In place of the match's template."""
    transport: Transport | None = None
    node: int | None = None
    variables: dict[str, str] = {}
    """For the objective template, beside `agent_id`, `alias`, `match`, `rivals`."""


class Budgets(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits; None is none."""

    max_wall_seconds: float | None = 900.0
    """Of the match, shared by all."""
    max_decision_ticks: int | None = 50
    """Of each participant."""
    max_rounds: int | None = None
    """Of the match; in `continuous` the decisions queued in the whole match."""
    max_validation_failures: int | None = 5
    """Of each participant."""
    max_tokens: int | None = None
    """Of each participant."""
    max_cost_usd: float | None = None
    """Of the match."""


class DoorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The game that is prepared before the match."""

    game: str
    reset: bool = True
    seed: int | None = None
    """None: the match's."""
    turns: int | None = None
    """Given to each participant at the start, beyond the game's own."""
    force: bool = False
    """More than one agent in a door that takes one."""


class CheckSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A declared check on the state of the BBS after (and, with `live`, during) the match: task completion."""

    kind: str
    """`posted`, `mail_sent`, `mail_answered`, `door_joined`, `score_at_least`: see scoring.checks."""
    agent: str | None = None
    """None: each participant."""
    where: dict[str, Any] = {}
    """What the kind takes: area, subject, body as regular expressions, to, game, score."""


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole match, as `run-match CONFIG` reads it."""

    name: str
    participants: tuple[ParticipantSettings, ...]
    objective: str = ""
    """A template: `{agent_id}`, `{alias}`, `{rivals}`, `{match}`, and the participant's variables."""
    profile: str | None = None
    route_set: str | None = None
    transport: Transport = Transport.RLOGIN
    scheduler: Scheduler = Scheduler.PARALLEL_BARRIER
    order: Order = Order.FIXED
    seed: int = 0
    disabled_actions: tuple[str, ...] = ()
    budgets: Budgets = Budgets()
    reconnect: ReconnectPolicy = ReconnectPolicy()
    host: HostSettings = HostSettings()
    door: DoorSettings | None = None
    accounts: Path | None = None
    """The registry; relative to the file. None: accounts are made for the match on a private house BBS."""
    profiles: Path | None = None
    """Profiles and route sets of one's own, a TOML file; relative to the file."""
    checks: tuple[CheckSettings, ...] = ()
    settings: dict[str, Any] = {}
    """Of each run: prompt_mode, prompt_layout, pictures."""
