"""What a run is told beside its profile."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from tty_agent.activity.activity import Budget, PromptLayout, PromptMode
from tty_agent.models.model import Model


class Clock(msgspec.Struct, frozen=True):
    """Two clocks: seconds that never go back, and the time of day."""

    seconds: Callable[[], float]
    wall: Callable[[], datetime]


SYSTEM_CLOCK: Final = Clock(time.monotonic, lambda: datetime.now(UTC))


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of one run."""

    run_objective: str = ""
    """The goal of the whole run; prompts have it above the objective of the profile."""
    budget: Budget | None = None
    """None: that of the profile which the run begins with."""
    prompt_mode: PromptMode | None = None
    """None: `stateful_delta` if the model keeps what it was sent, else `stateless_full`."""
    prompt_layout: PromptLayout = PromptLayout.TIMELINE_FIRST
    pictures: Path | None = None
    """A folder for a PNG of the screen at each decision, which the model gets with the text; None: no pictures."""
    model_writes_memory: bool | None = None
    """The model sums up older steps and writes the campaign memory, in calls of its own; else that is done word for
    word, without a call. None: a script would lose its place over such calls, and is never asked; a model that keeps
    a session would lose its thread, and is asked when the run is over, for the campaign memory alone."""
    transcript_path: str | None = None
    """For the header of the trace."""
    config: Mapping[str, Any] = {}
    """Likewise. No secret."""
    seeds: Mapping[str, int | str] = {}

    def mode_for(self, model: Model) -> PromptMode:
        """The prompt mode of a run with that model. Raises ValueError for deltas to a model that keeps nothing."""
        if self.prompt_mode is PromptMode.STATEFUL_DELTA and not model.stateful:
            raise ValueError(f"{self.prompt_mode} needs a model that keeps its session, and {model.name} does not")
        if self.prompt_mode is not None:
            return self.prompt_mode
        return PromptMode.STATEFUL_DELTA if model.stateful else PromptMode.STATELESS_FULL

    def summed_up_by(self, model: Model) -> bool:
        """Whether that model sums up older steps during the run."""
        if self.model_writes_memory is not None:
            return self.model_writes_memory
        return not model.stateful and model.provider != "scripted"

    def committed_by(self, model: Model) -> bool:
        """Whether that model writes the campaign memory at the end of the run."""
        return model.provider != "scripted" if self.model_writes_memory is None else self.model_writes_memory
