"""What a run needs of a terminal, and what it sees there at one turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from tty_agent.actions.action import Action
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import PromptPattern, TurnPolicy
from tty_agent.runner.result import RunEnd
from tty_agent.terminal.screen import Screen
from tty_agent.trace.records import Switch
from tty_agent.transports.transport import End


class Session(Protocol):
    """What a runner needs of a `TerminalSession`, which is open."""

    @property
    def screen(self) -> Screen: ...

    @property
    def end(self) -> End | None: ...

    async def observe_turn(
        self,
        *,
        policy: TurnPolicy | None = None,
        prompts: Sequence[PromptPattern] | None = None,
        left_s: float | None = None,
    ) -> Observation: ...

    async def act(
        self, action: Action, action_policy: ActionPolicy | None = None, *, left_s: float | None = None
    ) -> None: ...


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A fresh observation, and what follows from it."""

    number: int
    """Of the decision that it is for, from 1."""
    observation: Observation
    hints: ObservationHints
    profile: ActivityProfile
    route: str
    switch: Switch | None
    png: bytes | None
    detected: tuple[str, ...] = ()
    """The names of the profile's detectors that recognised something."""
    over: RunEnd | None
    """The run is over, and no decision is asked for."""
