"""A planned match as the settings of a match: the tables of campaign, turn and variant, one over the other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from bbs_gym.campaign.schedule import PlannedMatch, PlannedSeat, playing
from bbs_gym.campaign.settings import AgentSettings, CampaignSettings, TurnSettings
from bbs_gym.match.config_checks import with_faults_of
from bbs_gym.match.config_faults import Fault
from bbs_gym.match.config_shapes import shape_faults
from bbs_gym.match.settings import MatchSettings

_OF_PARTICIPANT: Final = ("profile", "route_set", "objective", "transport", "node")
_ACTIVITY: Final = ("profile", "route_set")


def composed(settings: CampaignSettings, planned: PlannedMatch) -> MatchSettings:
    """The match, as it is run; paths are those of the campaign's file. The settings have been checked."""
    turn = settings.turns[planned.turn - 1]
    table = match_table(settings, turn, planned.variant, planned.seats, seed=planned.seed)
    return msgspec.convert(table, MatchSettings, dec_hook=_path)


def composed_faults(
    settings: CampaignSettings, turn: TurnSettings, variant: str | None, seats: Iterable[PlannedSeat]
) -> tuple[Fault, ...]:
    """What is wrong with the table of a match."""
    made, faults = shape_faults(match_table(settings, turn, variant, tuple(seats), seed=0))
    return with_faults_of(faults, made)


def match_table(
    settings: CampaignSettings, turn: TurnSettings, variant: str | None, seats: tuple[PlannedSeat, ...], *, seed: int
) -> dict[str, Any]:
    """As a file of a match would have it. Its name is that of campaign, turn and variant: what has the same name and
    seed is to be compared."""
    own = next((one.match for one in settings.variants if one.name == variant), {})
    table = overlaid(overlaid(settings.match, turn.match), own)
    agents = {agent.agent_id: agent for agent in playing(settings, turn)}
    here = {seat.agent_id for seat in seats}
    if isinstance(table.get("checks"), list | tuple):
        table["checks"] = [one for one in table["checks"] if _is_for(one, here, settings)]
    return table | {
        "name": "/".join(part for part in (settings.name, turn.name, variant) if part is not None),
        "seed": seed,
        "participants": [_participant(settings, agents[seat.agent_id], seat.model) for seat in seats],
    }


def overlaid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """The table `below` with what `above` says in its place, tables within tables too. Of profile and route set the one
    that is named takes the place of the other."""
    table = dict(below)
    if any(name in above for name in _ACTIVITY):
        for name in _ACTIVITY:
            table.pop(name, None)
    for name, value in above.items():
        before = table.get(name)
        both = isinstance(before, Mapping) and isinstance(value, Mapping)
        table[name] = overlaid(before, value) if both else value  # type: ignore[arg-type] # `both` says what they are
    return table


def _participant(settings: CampaignSettings, agent: AgentSettings, model: str | None) -> dict[str, Any]:
    given = {name: value for name in _OF_PARTICIPANT if (value := getattr(agent, name)) is not None}
    return {
        "agent_id": agent.agent_id,
        "model": dict(settings.models[model]) if model is not None else {},
        "variables": dict(agent.variables),
        **{name: str(value) if name == "transport" else value for name, value in given.items()},
    }


def _is_for(check: object, here: set[str], settings: CampaignSettings) -> bool:
    """A check of an agent of the campaign that is not in this match has nothing to say of it."""
    agent = check.get("agent") if isinstance(check, Mapping) else None
    return agent is None or agent in here or all(agent != one.agent_id for one in settings.agents)


def _path(kind: type[Any], value: object) -> Any:
    return kind(value)
