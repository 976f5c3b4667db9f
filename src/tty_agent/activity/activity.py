"""What an activity is: a profile of what the agent is told, may do, and when it is done; and its budget.

A profile is a value. Hooks that look at the screen get the `Observation` and the hints of the turn, never the
terminal itself.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from tty_agent.actions.policy import ActionPolicy
from tty_agent.hints import ObservationHints
from tty_agent.observation.observation import Observation
from tty_agent.observer.readiness import PromptPattern, TurnPolicy
from tty_agent.prompt_modules import PromptModule


class PromptMode(StrEnum):
    """How much a decision prompt repeats."""

    STATELESS_FULL = "stateless_full"
    """The complete context at every decision."""
    STATEFUL_DELTA = "stateful_delta"
    """One bootstrap prompt, then what is new; only where the provider's session keeps the rest."""


class PromptLayout(StrEnum):
    """The order of the parts of a full prompt."""

    TIMELINE_FIRST = "timeline_first"
    CACHE_FRIENDLY = "cache_friendly"


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What a run may use up; None is no limit. It ends at the first limit that is reached."""

    max_decision_ticks: int | None = 50
    max_wall_seconds: float | None = 900.0
    max_validation_failures: int | None = 5
    """Decisions that gave no valid action even after the repair attempt."""
    max_tokens: int | None = None
    """Input and output tokens together, as providers count them."""
    max_cost_usd: float | None = None


class Completion(msgspec.Struct, frozen=True):
    """A completion check said that the activity is over."""

    outcome: str
    """`done`, `failed`, or a word of the profile's."""
    detail: str = ""


class CompletionCheck(msgspec.Struct, frozen=True):
    """Looks at each observation; the first that returns a Completion ends the run."""

    name: str
    check: Callable[[Observation, ObservationHints], Completion | None]


class Detector(msgspec.Struct, frozen=True):
    """Recognises something on the screen. It is noted in the trace by its name, and ends neither turn nor run."""

    name: str
    check: Callable[[Observation, ObservationHints], bool]


class ActivityProfile(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of activity."""

    name: str
    objective: str
    policy: ActionPolicy
    modules: tuple[PromptModule, ...]
    prompts: tuple[PromptPattern, ...] = ()
    """Prompts of this program, by name: metadata of observations."""
    turn: TurnPolicy | None = None
    """When a turn is ready; None: the session's own."""
    system_guidance: str = ""
    """Stable prose for the system message; what can be a module should be one."""
    completion: tuple[CompletionCheck, ...] = ()
    budget: Budget = Budget()
    detectors: tuple[Detector, ...] = ()
    """What to note of each turn."""

    def detected(self, observation: Observation, hints: ObservationHints) -> tuple[str, ...]:
        """The names of the detectors that recognise something."""
        return tuple(detector.name for detector in self.detectors if detector.check(observation, hints))
