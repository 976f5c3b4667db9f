"""A BBS in memory for tests of matches: lines whose screens tell what was typed, and a host that does as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.tty_agent.trace_samples import an_observation

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.host import (
    Change,
    Endpoint,
    Host,
    HostFault,
    Provisioned,
    Score,
    Seat,
    Snapshot,
    Transport,
)
from bbs_gym.match.settings import Budgets, MatchSettings, ParticipantSettings
from bbs_gym.match.wiring import Wiring
from bbs_gym.nodes import NodeRecord
from tty_agent.actions.action import Action, Hangup
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.profiles import SHELL
from tty_agent.models.catalog import ModelConfig
from tty_agent.models.model import Model, ModelReply, Prompt, ProviderFault
from tty_agent.models.scripted import ScriptedModel
from tty_agent.observation.observation import Observation, ReadyReason
from tty_agent.observer.readiness import PromptPattern, TurnPolicy
from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.terminal.screen import Screen
from tty_agent.transports.transport import CannotConnect, End, EndKind

P = '{"action": "press_key", "arguments": {"key": "P"}}'
BYE = '{"action": "hangup", "arguments": {}}'
LOST = End(EndKind.LOST, "connection reset")
CLOSED = End(EndKind.EOF, "the other side closed")


class FakeLine:
    """One call of one agent."""

    def __init__(self, bbs: FakeBbs, agent_id: str, node: NodeRecord) -> None:
        self.bbs = bbs
        self.agent_id = agent_id
        self.node = node
        self.screen = Screen(80, 24, ANSI_BBS)
        self.end: End | None = None
        self.closed = False

    async def observe_turn(
        self,
        *,
        policy: TurnPolicy | None = None,
        prompts: Sequence[PromptPattern] | None = None,
        left_s: float | None = None,
    ) -> Observation:
        await self.bbs.on_look(self)
        typed = self.bbs.typed_by(self.agent_id)
        shown = self.bbs.screen(self.agent_id, len(typed))
        return an_observation(
            pretty_screen=shown,
            model_text=shown,
            new_text=shown,
            cursor=(shown.count("\n"), len(shown.rpartition("\n")[2])),
            matched_prompt=None,
            ready_reason=ReadyReason.CLOSED if self.end else ReadyReason.STABLE,
            closed=self.end.detail if self.end else None,
        )

    async def act(
        self, action: Action, action_policy: ActionPolicy | None = None, *, left_s: float | None = None
    ) -> None:
        await self.bbs.on_act(self, action)
        if self.end is not None:
            return
        self.bbs.typed.append((self.agent_id, action))
        if isinstance(action, Hangup):
            self.end = End(EndKind.HUNG_UP, "hung up")

    async def close(self) -> None:
        self.closed = True
        self.end = self.end or End(EndKind.HUNG_UP, "closed")


class FakeBbs:
    """All lines, and what was typed on them, in order. Set `on_look`, `on_act`, `screen` to make it behave."""

    def __init__(self) -> None:
        self.typed: list[tuple[str, Action]] = []
        self.lines: dict[str, list[FakeLine]] = {}
        self.faults: dict[str, list[Exception]] = {}
        """Of the next calls of an agent."""
        self.observed: dict[str, int] = {}
        """The node that the BBS shows, where it is not the one that was allocated."""
        self.screen: Callable[[str, int], str] = lambda agent, typed: f"{agent} typed {typed}\n> "
        self.on_look: Callable[[FakeLine], Any] = _nothing
        self.on_act: Callable[..., Any] = _nothing

    def typed_by(self, agent: str) -> list[Action]:
        return [action for who, action in self.typed if who == agent]

    def line(self, agent: str) -> FakeLine:
        return self.lines[agent][-1]

    async def connect(
        self,
        account: Account,
        endpoint: Endpoint,
        transport: Transport,
        *,
        host: Host | None,
        node: int | None,
        allocated: int | None,
        transcript: Path,
        metadata: Mapping[str, object],
    ) -> FakeLine:
        agent = account.agent_id
        if self.faults.get(agent):
            raise self.faults[agent].pop(0)
        record = NodeRecord(requested=node, allocated=allocated, observed=self.observed.get(agent, allocated))
        line = FakeLine(self, agent, record)
        self.lines.setdefault(agent, []).append(line)
        return line


async def _nothing(*args: object) -> None:
    """The BBS does as usual."""


class FakeHost:
    """A private BBS. `calls` has what was done to it."""

    kind = "fake"
    private = True

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.dead = False
        self.refuses: set[str] = set()
        """Of the calls, those that fail."""
        self.world: dict[str, Any] = {"settings": {"seed": 1}, "journal": []}

    async def start(self) -> None:
        self._call("start")

    async def stop(self) -> None:
        self._call("stop")

    def endpoint(self, transport: Transport) -> Endpoint:
        return Endpoint("127.0.0.1", 1)

    def encoding(self) -> str:
        return "cp437"

    async def provision(self, accounts: Sequence[Account], *, dry_run: bool = False) -> tuple[Provisioned, ...]:
        self._call("provision", *(account.alias for account in accounts))
        return tuple(Provisioned(agent_id=one.agent_id, alias=one.alias, change=Change.CREATED) for one in accounts)

    async def nodes(self) -> tuple[Seat, ...]:
        if self.dead:
            raise HostFault("the BBS is gone")
        return ()

    def node_count(self) -> int:
        return 8

    async def save(self, name: str) -> Snapshot:
        raise NotImplementedError

    async def restore(self, snapshot: Snapshot) -> None:
        raise NotImplementedError

    async def scores(self, game: str) -> tuple[Score, ...]:
        return ()

    async def reset_door(self, game: str, *, seed: int | None = None) -> None:
        self._call("reset_door", game, seed)

    async def grant_turns(self, game: str, player: str, turns: int) -> None:
        self._call("grant_turns", game, player, turns)

    async def export(self, what: str) -> object:
        return self.world

    def _call(self, name: str, *args: Any) -> None:
        self.calls.append((name, *args))
        if name in self.refuses:
            raise HostFault(f"{name} failed")


class HeldModel:
    """Answers when it is let: `let` a call go, in any order of models."""

    provider = "held"
    stateful = False

    def __init__(self, name: str = "held") -> None:
        self.name = name
        self.asked = asyncio.Semaphore(0)
        """Released at each call."""
        self._answers: asyncio.Queue[str | ProviderFault] = asyncio.Queue()
        self.in_flight = 0
        self.most_in_flight = 0

    def let(self, answer: str | ProviderFault = P) -> None:
        self._answers.put_nowait(answer)

    async def complete(self, prompt: Prompt) -> ModelReply:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.asked.release()
        try:
            answer = await self._answers.get()
        finally:
            self.in_flight -= 1
        if isinstance(answer, ProviderFault):
            raise answer
        return ModelReply(raw=answer, text=answer, model=self.name, provider=self.provider)

    async def close(self) -> None:
        """Nothing is held."""


def wiring(bbs: FakeBbs, models: Mapping[str, Model] | None = None, **rest: Any) -> Wiring:
    """`models` by the `model` of their settings; else as the settings say."""

    def make(config: ModelConfig) -> Model:
        if models is not None and config.model in models:
            return models[config.model]
        return ScriptedModel(config.replies, loop=config.loop, name=config.model or "scripted")

    async def no_sleep(_: float) -> None:
        await asyncio.sleep(0)

    shared: dict[str, Any] = {"profile": lambda name: SHELL, "sleep": no_sleep} | rest
    return Wiring(connect=bbs.connect, make_model=make, **shared)


def a_match(*agents: str | ParticipantSettings, max_rounds: int | None = 3, **rest: Any) -> MatchSettings:
    """Of agents that press P, and no limit but rounds."""
    budgets = rest.pop("budgets", Budgets(max_rounds=max_rounds))
    roster = tuple(one if isinstance(one, ParticipantSettings) else presses_p(one) for one in agents)
    return MatchSettings(name="test", profile="shell", participants=roster, budgets=budgets, **rest)


def presses_p(agent: str, *replies: str, loop: bool = True, **rest: Any) -> ParticipantSettings:
    """A participant with a script; its model is named as it."""
    model = {"provider": "scripted", "model": agent, "replies": list(replies or (P,)), "loop": loop}
    return ParticipantSettings(agent_id=agent, model=model, **rest)


__all__ = ["CannotConnect", "FakeBbs", "FakeHost", "FakeLine", "HeldModel", "a_match", "presses_p", "wiring"]
