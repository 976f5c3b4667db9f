"""Agents at a BBS: accounts, lines, logins, nodes and transcripts together. `gym.py` is its face for threads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.registry import Registry, check_agent_id, find_registry, read_registry
from bbs_gym.endpoints import DEFAULT_ADDRESS, endpoint_at
from bbs_gym.hosts.host import Endpoint, Host, Transport
from bbs_gym.login.connecting import bbs_session
from bbs_gym.login.session import BbsSession, LoginPace
from bbs_gym.node_record import NodeRecord
from bbs_gym.nodes import LEASE_WAIT_S, Lease, NodePool
from tty_agent.actions import Action, ActionName, ActionPolicy, parse
from tty_agent.actions.policy import DEFAULT_ALLOWED
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import Fixed, PromptPattern, TurnPolicy

TRANSCRIPTS: Final = Path("runtime/transcripts")
"""AGENT.raw in there, added to by each session of the agent."""

GYM_ACTIONS: Final = ActionPolicy(allowed=(*DEFAULT_ALLOWED, ActionName.SUBMIT_LINES, ActionName.HANGUP))
"""All but raw bytes."""


class GymSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which BBS, and how it is looked at."""

    registry: Path | None = None
    """The agents; None: `config/agents.local.json` or `.toml`, and without either an agent's alias is its id."""
    address: str = DEFAULT_ADDRESS
    """Of the BBS, where no host is given."""
    ports: dict[str, int] = {}
    """By transport, where they are not the usual ones."""
    kind: str | None = None
    """How the BBS words its login: `house` or `synchronet`; None: either."""
    nodes: tuple[int, ...] | None = None
    """The pool of nodes; None: those of the host, and without one no pool."""
    node_wait_s: float = LEASE_WAIT_S
    transcripts: Path = TRANSCRIPTS
    columns: int = 80
    rows: int = 24
    policy: TurnPolicy = Fixed()
    actions: ActionPolicy = GYM_ACTIONS
    accept_new_host_key: bool = False
    """SSH: trust a BBS that is not known yet, and remember it."""
    pace: LoginPace = LoginPace()


class AgentConnected(Exception):
    """The agent is connected already; the text says what to do."""


class AsyncBbsAgent:
    """One agent on the line, logged in. Made by `AsyncBbsGym.connect`; `close` it, or leave that to the gym."""

    def __init__(self, session: BbsSession, *, actions: ActionPolicy, lease: Lease | None) -> None:
        self.agent_id: Final = session.agent_id
        self.session: Final = session
        self._actions = actions
        self._lease = lease

    @property
    def node(self) -> NodeRecord:
        """Requested, allocated and observed."""
        return self.session.node

    @property
    def metadata(self) -> dict[str, object]:
        """As observations carry it."""
        return self.session.metadata

    @property
    def connected(self) -> bool:
        """The line is there."""
        return self.session.end is None

    async def observe_turn(
        self,
        *,
        policy: TurnPolicy | None = None,
        prompts: Sequence[PromptPattern] | None = None,
        timeout_s: float | None = None,
    ) -> Observation:
        """Wait until it is the agent's turn, and what it sees; after the end of the line at once, `closed` set."""
        return await self.session.observe_turn(policy=policy, prompts=prompts, timeout_s=timeout_s)

    async def observe(self, seconds: float) -> Observation:
        """What is there after that time; turns are what `observe_turn` is for."""
        return await self.session.observe(seconds)

    async def act(self, action: Action | Mapping[str, Any] | str) -> None:
        """Do it: an action, the object of one, or a model's reply with such an object in it. Raises ActionError where
        it is none, or none that is allowed; what the BBS thinks of it is in the next observation."""
        await self.session.act(read_action(action, self._actions), self._actions)

    async def log_off(self) -> None:
        """Log off as a person does, where the main menu is shown, and close."""
        try:
            await self.session.log_off()
        finally:
            await self.close()

    async def close(self) -> None:
        """Hang up and give the node back; may be called twice."""
        try:
            await self.session.close()
        finally:
            if self._lease is not None:
                self._lease.release()


class AsyncBbsGym:
    """One BBS and the agents on it, for one event loop. Use it as a context, or `open` and `close` it."""

    def __init__(
        self,
        settings: GymSettings = GymSettings(),  # noqa: B008 - a frozen value
        *,
        host: Host | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`host` is started and stopped with the gym; without one the BBS runs somewhere already."""
        self.settings: Final = settings
        self._host = host
        self._environment = environment
        self._registry: Registry | None = None
        self._pool: NodePool | None = None
        self._agents: dict[str, AsyncBbsAgent] = {}
        self._connecting: set[str] = set()
        self._opening = asyncio.Lock()
        self._opened = False

    @property
    def agents(self) -> tuple[AsyncBbsAgent, ...]:
        """Those that were connected and not closed since, in that order."""
        return tuple(self._agents.values())

    async def open(self) -> None:
        """Read the registry and start the host; nothing the second time. Raises AccountFault and HostFault."""
        async with self._opening:
            if not self._opened:
                await self._open()

    async def _open(self) -> None:
        path = self.settings.registry or find_registry()
        self._registry = read_registry(path) if path is not None else None
        if self._host is not None:
            await self._host.start()
        self._opened = True
        nodes = self.settings.nodes
        if nodes is None and self._host is not None:
            nodes = tuple(range(1, self._host.node_count() + 1))
        self._pool = NodePool(nodes) if nodes is not None else None

    async def close(self) -> None:
        """Hang up on everybody, and stop the host if the gym started it; may be called twice."""
        agents, self._agents = self.agents, {}
        try:
            ends = await asyncio.gather(*(agent.close() for agent in agents), return_exceptions=True)
            if faults := [end for end in ends if end is not None]:
                raise faults[0]
        finally:
            if self._opened and self._host is not None:
                await self._host.stop()
            self._opened = False

    async def __aenter__(self) -> Self:
        """Opens it."""
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        await self.close()

    def account(self, agent_id: str) -> Account:
        """Who that agent is on the BBS. Raises AccountFault."""
        if self._registry is not None:
            return self._registry.account(agent_id)
        check_agent_id(f"agent {agent_id!r}", agent_id)
        return Account(agent_id=agent_id, alias=agent_id)

    async def connect(
        self,
        agent_id: str,
        *,
        transport: Transport | str,
        node: int | None = None,
        door: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> AsyncBbsAgent:
        """Call and log in as that agent: up to the main menu, or by rlogin into `door`.

        `node` is the one that is wanted; None: the lowest that is free in the pool. A new session of an agent whose
        line is gone takes the place of the old one, and its transcript goes on. Raises LoginFault, AccountFault,
        NoNodeFree, AgentConnected and TranscriptError.
        """
        await self.open()
        account = self.account(agent_id)
        before = self._agents.get(agent_id)
        if agent_id in self._connecting or (before is not None and before.connected):
            raise AgentConnected(f"{agent_id} is connected already: close that session first")
        self._connecting.add(agent_id)
        try:
            if before is not None:
                await before.close()
                del self._agents[agent_id]
            agent = await self._call(account, Transport(transport), node, door, metadata)
        finally:
            self._connecting.discard(agent_id)
        self._agents[agent_id] = agent
        return agent

    async def _call(
        self,
        account: Account,
        transport: Transport,
        node: int | None,
        door: str | None,
        metadata: Mapping[str, object] | None,
    ) -> AsyncBbsAgent:
        settings = self.settings
        lease = await self._pool.wait(node, timeout_s=settings.node_wait_s) if self._pool is not None else None
        try:
            session = bbs_session(
                account,
                self._endpoint(transport),
                transport,
                host=self._host,
                node=node,
                allocated=lease.node if lease is not None else None,
                transcript=settings.transcripts / f"{account.agent_id}.raw",
                policy=settings.policy,
                columns=settings.columns,
                rows=settings.rows,
                door=door,
                metadata=metadata,
                kind=settings.kind,
                accept_new_host_key=settings.accept_new_host_key,
                environment=self._environment,
                pace=settings.pace,
            )
            await session.open()
        except BaseException:
            if lease is not None:
                lease.release()
            raise
        return AsyncBbsAgent(session, actions=settings.actions, lease=lease)

    def _endpoint(self, transport: Transport) -> Endpoint:
        if self._host is not None:
            return self._host.endpoint(transport)
        return endpoint_at(transport, self.settings.address, self.settings.ports)


def read_action(action: Action | Mapping[str, Any] | str, policy: ActionPolicy) -> Action:
    """The action that is meant. Raises ActionError."""
    if isinstance(action, str):
        return parse(action, policy).action
    if isinstance(action, Mapping):
        return parse(msgspec.json.encode(dict(action)).decode(), policy).action
    return action
