"""Agents at a BBS, for ordinary code:

    with BbsGym() as gym:
        agent = gym.connect("agent-001", transport="rlogin", node=1)
        observation = agent.observe_turn()
        agent.act({"action": "press_key", "arguments": {"key": "M"}})

Everything happens in one event loop in a thread of its own, so several threads may have an agent each. `async_gym.py`
is the same without threads.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from bbs_gym.async_gym import AgentConnected, AsyncBbsAgent, AsyncBbsGym, GymSettings
from bbs_gym.hosts.host import Host, Transport
from bbs_gym.loop_thread import LoopThread
from bbs_gym.node_record import NodeRecord
from tty_agent.actions import Action
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import PromptPattern, TurnPolicy

__all__ = ["AgentConnected", "AsyncBbsAgent", "AsyncBbsGym", "BbsAgent", "BbsGym", "GymSettings"]


class BbsAgent:
    """`AsyncBbsAgent`, each call of which waits."""

    def __init__(self, agent: AsyncBbsAgent, loop: LoopThread) -> None:
        self._agent = agent
        self._loop = loop

    @property
    def agent_id(self) -> str:
        """As the registry has it."""
        return self._agent.agent_id

    @property
    def node(self) -> NodeRecord:
        """Requested, allocated and observed."""
        return self._agent.node

    @property
    def metadata(self) -> dict[str, object]:
        """As observations carry it."""
        return self._agent.metadata

    @property
    def connected(self) -> bool:
        """The line is there."""
        return self._agent.connected

    def observe_turn(
        self,
        *,
        policy: TurnPolicy | None = None,
        prompts: Sequence[PromptPattern] | None = None,
        timeout_s: float | None = None,
    ) -> Observation:
        """Wait until it is the agent's turn, and what it sees; after the end of the line at once, `closed` set."""
        return self._loop.run(self._agent.observe_turn(policy=policy, prompts=prompts, timeout_s=timeout_s))

    def observe(self, seconds: float) -> Observation:
        """What is there after that time; turns are what `observe_turn` is for."""
        return self._loop.run(self._agent.observe(seconds))

    def act(self, action: Action | Mapping[str, Any] | str) -> None:
        """Do it: an action, the object of one, or a model's reply with such an object in it. Raises ActionError where
        it is none, or none that is allowed; what the BBS thinks of it is in the next observation."""
        self._loop.run(self._agent.act(action))

    def log_off(self) -> None:
        """Log off as a person does, where the main menu is shown, and close."""
        self._loop.run(self._agent.log_off())

    def close(self) -> None:
        """Hang up and give the node back; may be called twice."""
        if not self._loop.closed:  # else the gym has done it
            self._loop.run(self._agent.close())


class BbsGym:
    """One BBS and the agents on it. Use it as a context, or `close` it in the end."""

    def __init__(
        self,
        settings: GymSettings = GymSettings(),  # noqa: B008 - a frozen value
        *,
        host: Host | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """As `AsyncBbsGym`."""
        self._gym = AsyncBbsGym(settings, host=host, environment=environment)
        self._loop = LoopThread("bbs-gym")

    def __enter__(self) -> Self:
        """Read the registry and start the host. Raises AccountFault and HostFault."""
        try:
            self._loop.run(self._gym.open())
        except BaseException:
            self._loop.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()

    def connect(
        self,
        agent_id: str,
        *,
        transport: Transport | str,
        node: int | None = None,
        door: str | None = None,
        metadata: Mapping[str, object] | None = None,
    ) -> BbsAgent:
        """Call and log in as that agent, as `AsyncBbsGym.connect`."""
        called = self._gym.connect(agent_id, transport=transport, node=node, door=door, metadata=metadata)
        return BbsAgent(self._loop.run(called), self._loop)

    def close(self) -> None:
        """Hang up on everybody, stop the host if the gym started it, end the thread; may be called twice."""
        try:
            if not self._loop.closed:
                self._loop.run(self._gym.close())
        finally:
            self._loop.close()
