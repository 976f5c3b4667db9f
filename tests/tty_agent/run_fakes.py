"""A terminal and a clock for tests of runs: screens come from a list, and time passes when the test says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.tty_agent.trace_samples import an_observation

from tty_agent.actions.action import Action, Hangup
from tty_agent.actions.policy import ActionPolicy
from tty_agent.observation.observation import Observation, ReadyReason
from tty_agent.observer.readiness import PromptPattern, TurnPolicy
from tty_agent.runner.settings import Clock
from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.terminal.screen import Screen
from tty_agent.transports.transport import End, EndKind


class FakeTime:
    """A clock that stands still until `pass_` is called."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.clock = Clock(
            lambda: self.seconds, lambda: datetime(2026, 1, 31, 14, tzinfo=UTC) + timedelta(seconds=self.seconds - 1000)
        )

    def pass_(self, seconds: float) -> None:
        self.seconds += seconds


class FakeTerminal:
    """Shows `screens` one after the other, the last one again and again; an `End` in the list closes it."""

    def __init__(self, *screens: str | End, refuse: Callable[[Action], None] | None = None) -> None:
        self._screens = list(screens)
        self._refuse = refuse
        self._shown = "nothing yet"
        self._bytes = 0
        self.screen = Screen(80, 24, ANSI_BBS)
        self.end: End | None = None
        self.acted: list[Action] = []
        self.left: list[float | None] = []
        self.asked: list[dict[str, Any]] = []

    async def observe_turn(
        self,
        *,
        policy: TurnPolicy | None = None,
        prompts: Sequence[PromptPattern] | None = None,
        left_s: float | None = None,
    ) -> Observation:
        self.asked.append({"policy": policy, "prompts": prompts, "left_s": left_s})
        if self.end is None:
            item = self._screens.pop(0) if len(self._screens) > 1 else self._screens[0]
            if isinstance(item, End):
                self.end = item
            else:
                self._shown = item
        start, self._bytes = self._bytes, self._bytes + len(self._shown)
        rows = self._shown.split("\n")
        return an_observation(
            pretty_screen=self._shown,
            model_text=self._shown,
            new_text=self._shown,
            cursor=(len(rows) - 1, len(rows[-1])),
            matched_prompt=None,
            transcript_byte_start=start,
            transcript_byte_end=self._bytes,
            ready_reason=ReadyReason.CLOSED if self.end else ReadyReason.STABLE,
            closed=self.end.detail if self.end else None,
        )

    async def act(
        self, action: Action, action_policy: ActionPolicy | None = None, *, left_s: float | None = None
    ) -> None:
        assert action_policy is not None
        self.left.append(left_s)
        if self._refuse is not None:
            self._refuse(action)
        self.acted.append(action)
        if isinstance(action, Hangup):
            self.end = End(EndKind.HUNG_UP, "hung up")
