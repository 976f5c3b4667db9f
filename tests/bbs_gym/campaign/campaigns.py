"""Campaigns for the tests of campaigns."""

from __future__ import annotations

from typing import Any

from bbs_gym.campaign.settings import AgentSettings, CampaignSettings, Format, TurnSettings

SCRIPT: dict[str, Any] = {"provider": "scripted", "replies": ['{"action": "hangup", "arguments": {}}']}


def a_campaign(agents: int = 2, models: int = 0, turns: tuple[TurnSettings, ...] = (), **rest: Any) -> CampaignSettings:
    """So many agents, with so many models each (none: those of the registry); one duel turn unless given."""
    return CampaignSettings(
        name=rest.pop("name", "spring"),
        agents=tuple(AgentSettings(agent_id=f"a{number}") for number in range(1, agents + 1)),
        models={f"m{number}": SCRIPT | {"model": f"m{number}"} for number in range(1, models + 1)},
        turns=turns or (TurnSettings(name="duel", format=Format.ROUND_ROBIN),),
        match=rest.pop("match", {"profile": "bbs-main-menu"}),
        **rest,
    )
