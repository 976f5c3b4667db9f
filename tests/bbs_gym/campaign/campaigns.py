"""Campaigns for the tests of campaigns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from bbs_gym.campaign.settings import AgentSettings, CampaignSettings, Format, TurnSettings
from bbs_gym.campaign.task import MatchResult, MatchTask, write_result

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


class Killed(BaseException):
    """What kill -9 does, as far as a campaign can be told: it goes no further."""


Play = Callable[[MatchTask], Awaitable[MatchResult]]


class FakeCrew:
    """Workers in this process: `play` is what they do with a task, or they finish it at once. What a worker does before
    its result is written leaves a file `begun`."""

    def __init__(self, size: int = 1, play: Play | None = None) -> None:
        self.size = size
        self.played: list[MatchTask] = []
        self.on: set[str] = set()
        self.closed = False
        self._play = play or finished

    async def play(self, task: MatchTask) -> MatchResult:
        self.played.append(task)
        self.on.add(task.match_id)
        assert len(self.on) <= self.size
        task.folder.mkdir(parents=True)
        (task.folder / "begun").touch()
        try:
            await asyncio.sleep(0)
            result = await self._play(task)
            write_result(task.folder, result)
            await asyncio.sleep(0)
            return result
        finally:
            self.on.discard(task.match_id)

    async def close(self) -> None:
        self.closed = True


async def finished(task: MatchTask, **result: Any) -> MatchResult:
    return MatchResult(token=task.token, stopped_by="all_stopped", cost_usd=0.25, **result)
