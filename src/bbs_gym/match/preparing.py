"""What is done at the BBS before anybody plays: accounts, the game's world, turns. Raises HostFault: infrastructure."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import structlog

from bbs_gym.accounts.account import Account
from bbs_gym.door_policy import DoorPolicy, check_players, policy_of
from bbs_gym.hosts.host import Host, HostFault, NotSupported
from bbs_gym.match.config import BadMatch
from bbs_gym.match.order import round_order
from bbs_gym.match.roster import Entrant
from bbs_gym.match.settings import DoorSettings, MatchSettings
from bbs_gym.nodes import NodePool

MAX_GRANT_TRIES: Final = 40
"""Of a grant to somebody who is no player of the game yet: one after each action, so as many actions may lead to it."""

_log = structlog.get_logger(__name__)


def is_private(host: Host) -> bool:
    """The BBS is the host's own: nobody else is on it, and its accounts are ours to make."""
    return bool(getattr(host, "private", False))


def accounts_for(settings: MatchSettings, host: Host, accounts: Iterable[Account] | None) -> dict[str, Account]:
    """By agent id, with the passwords to call with. Without a registry each agent's alias is its id, on a private BBS
    alone. Raises BadMatch, HostFault."""
    if accounts is None:
        if not is_private(host):
            why = f"accounts is missing, and they are made on a private BBS alone, which this {host.kind} is not"
            raise BadMatch((f"{why}: name your registry",))
        made: Sequence[Account] = [Account(agent_id=one.agent_id, alias=one.agent_id) for one in settings.participants]
    else:
        playing = {one.agent_id for one in settings.participants}
        made = [account for account in accounts if account.agent_id in playing]
    with_secrets = getattr(host, "with_secrets", None)
    if with_secrets is not None:
        made = with_secrets(made)
    return {account.agent_id: account for account in made}


async def prepare(host: Host, settings: MatchSettings, accounts: Mapping[str, Account]) -> None:
    """The accounts are there and the world is made anew, as the settings say. The host runs. Raises BadMatch where it
    has no such game."""
    if is_private(host):
        await host.provision(tuple(accounts.values()))
    door = settings.door
    if door is None:
        return
    check_players(door.game, policy_of(door.game), len(settings.participants), forced=door.force)
    if door.reset:
        try:
            await host.reset_door(door.game, seed=settings.seed if door.seed is None else door.seed)
        except NotSupported as fault:
            raise BadMatch((f"door.game is {door.game}: {fault}",)) from fault


def stays(settings: MatchSettings) -> tuple[tuple[str, ...], ...]:
    """Who plays at the same time: all, or one after the other where the door takes one at a time."""
    roster = tuple(one.agent_id for one in settings.participants)
    door = settings.door
    if door is None or door.force or policy_of(door.game) is not DoorPolicy.SERIALIZED:
        return (roster,)
    return tuple((agent,) for agent in round_order(settings.order, roster, seed=settings.seed, number=1))


def node_pool(host: Host) -> NodePool | None:
    """The nodes of the BBS; None where it does not say."""
    try:
        return NodePool(range(1, host.node_count() + 1))
    except (NotSupported, ValueError):
        return None


async def world_mark(host: Host, settings: MatchSettings) -> dict[str, Any]:
    """What tells this world from another one: what it was made with, and how long its journal is. Empty where the host
    does not say."""
    if settings.door is None:
        return {}
    try:
        exported = await host.export(settings.door.game)
    except HostFault as fault:
        _log.info("no_world_mark", why=str(fault))
        return {}
    if not isinstance(exported, Mapping):
        return {}
    journal = exported.get("journal")
    entries = len(journal) if isinstance(journal, list) else 0
    return {"settings": exported.get("settings"), "journal": entries}


class Grants:
    """Turns beyond the game's own, for each participant once. A game may know nobody who has not entered it; so what
    can't be granted at the start is tried again after the agent's actions, while the others play on."""

    def __init__(self, host: Host, door: DoorSettings | None) -> None:
        self._host = host
        self._door = door
        self._left: dict[str, str] = {}
        self._tries: dict[str, int] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def begin(self, entrants: Iterable[Entrant]) -> None:
        """Before anybody plays. Raises NotSupported."""
        if self._door is None or self._door.turns is None:
            return
        for entrant in entrants:
            self._left[entrant.agent_id] = entrant.account.alias
            await self._grant(entrant.agent_id)

    def acted(self, agent_id: str) -> None:
        """The agent did something: it may be in the game now."""
        running = self._tasks.get(agent_id)
        if agent_id in self._left and (running is None or running.done()):
            self._tasks[agent_id] = asyncio.create_task(self._grant(agent_id), name=f"turns of {agent_id}")

    async def close(self) -> tuple[str, ...]:
        """Stop trying; who got none."""
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        return tuple(self._left)

    async def _grant(self, agent_id: str) -> None:
        assert self._door is not None
        assert self._door.turns is not None
        if self._tries.get(agent_id, 0) >= MAX_GRANT_TRIES:
            return
        self._tries[agent_id] = self._tries.get(agent_id, 0) + 1
        try:
            await self._host.grant_turns(self._door.game, self._left[agent_id], self._door.turns)
        except NotSupported:
            raise
        except HostFault as fault:
            _log.debug("turns_not_granted", agent_id=agent_id, why=str(fault))
        else:
            del self._left[agent_id]
