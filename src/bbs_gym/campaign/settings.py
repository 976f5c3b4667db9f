"""What a campaign is: activities and matches composed, as values that a TOML or JSON file describes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from bbs_gym.hosts.host import Transport


class Format(StrEnum):
    """Who meets whom in a campaign turn."""

    SOLO = "solo"
    """Each competitor alone: an activity."""
    ROUND_ROBIN = "round_robin"
    """Each two competitors meet."""
    MELEE = "melee"
    """Several agents in one match: all of them, or each choice of so many."""


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One account, and how it plays. With each of its models it is one competitor."""

    agent_id: str
    models: tuple[str, ...] = ()
    """Names of the campaign's models; empty: each of them or, where the campaign has none, the one of the registry."""
    profile: str | None = None
    route_set: str | None = None
    objective: str | None = None
    transport: Transport | None = None
    node: int | None = None
    variables: dict[str, str] = {}


class VariantSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way to play the same matches: another door, another scheduler, other budgets."""

    name: str
    match: dict[str, Any] = {}
    """What is other than in the turn's match."""


class TurnSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A campaign turn: one social phase, one session in a door, one day of the BBS. It ends when all of its matches
    have ended; only then the next one begins."""

    name: str
    format: Format = Format.ROUND_ROBIN
    match: dict[str, Any] = {}
    """What is other than in the campaign's match."""
    agents: tuple[str, ...] = ()
    """Who takes part; empty: all."""
    variants: tuple[str, ...] = ()
    """Each match is played in each of these; empty: in all that the campaign has."""
    seeds: int | tuple[int, ...] = 1
    """How many, or which. Every meeting is played with every seed."""
    seats: int | None = None
    """Agents in one `melee`; None: all."""
    seatings: int | None = None
    """Orders of the seats that a meeting is played in with one seed; None: as many as make seats and order even."""


class SwapSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another model in the place of one, from the beginning of a turn on."""

    turn: str
    old: str
    new: str
    agent: str | None = None
    """None: of every agent that plays with it."""


class CampaignSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole campaign, as `campaign CONFIG` reads it."""

    name: str
    agents: tuple[AgentSettings, ...]
    turns: tuple[TurnSettings, ...]
    models: dict[str, dict[str, Any]] = {}
    """By name: settings as of `ModelConfig`."""
    match: dict[str, Any] = {}
    """What all matches have: fields as of `MatchSettings`, without `name`, `participants` and `seed`."""
    variants: tuple[VariantSettings, ...] = ()
    swaps: tuple[SwapSettings, ...] = ()
    seed: int = 0
    """Seeds that are not given are made of it."""
    memory: bool = False
    """Agents keep what they learnt from turn to turn. None of a turn's matches knows of another one."""
    snapshot: Path | None = None
    """Of a house BBS, as `snapshot save` keeps it: each match begins with it. None: a new, empty private BBS."""
    max_tries: int = 3
    """Of one match that infrastructure spoils; then it is void."""
    max_match_seconds: float | None = None
    """From the start of its worker to its end; None: the match's own limit, and time to start and to score."""
