"""What a decision prompt is made from: everything about one turn of a run, as a value."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from tty_agent.activity.activity import ActivityProfile, Budget
from tty_agent.activity.budget import Limit, Spent
from tty_agent.hints import ObservationHints
from tty_agent.memory.memory import CampaignMemory, SessionMemory
from tty_agent.observation.observation import Observation
from tty_agent.prompt_modules import RenderedModule

_NOT_COUNTED: Final = "not counted by the provider"
_WHOLE_SECONDS: Final = 10
"""From here on nobody cares for tenths."""


class BudgetState(msgspec.Struct, frozen=True):
    """The limits of a run, and what it has used of them before this decision."""

    limits: Budget
    spent: Spent = Spent()

    def told(self, deadline_s: float | None) -> str:
        """What is left, one line each; only what is limited, and the time in any case. `deadline_s`: seconds that the
        run has left, and so this answer; None: no limit."""
        limits, spent = self.limits, self.spent
        lines = []
        if limits.max_decision_ticks is not None:
            lines.append(
                f"Decisions left, this one included: {max(0, limits.max_decision_ticks - spent.decision_ticks)}"
                f" of {limits.max_decision_ticks}"
            )
        lines.append(f"Deadline: {_due(deadline_s)}")
        if limits.max_validation_failures is not None:
            left = max(0, limits.max_validation_failures - spent.validation_failures)
            lines.append(f"Answers without a valid action until the run ends: {left}")
        if limits.max_tokens is not None:
            tokens = f"{max(0, limits.max_tokens - spent.tokens)}"
            lines.append(f"Tokens left: {_NOT_COUNTED if Limit.TOKENS in spent.uncounted else tokens}")
        if limits.max_cost_usd is not None:
            cost = f"${max(0.0, limits.max_cost_usd - spent.cost_usd):.4f}"
            lines.append(f"Cost left: {_NOT_COUNTED if Limit.COST_USD in spent.uncounted else cost}")
        return "\n".join(f"- {line}" for line in lines)


def _due(seconds: float | None) -> str:
    """Rounded down: never more than there is."""
    if seconds is None:
        return "none, this run has no time limit"
    left = max(0.0, seconds)
    shown = f"{math.floor(left)}" if left >= _WHOLE_SECONDS else f"{math.floor(10 * left) / 10:g}"
    return f"your answer is due within {shown} seconds; the run is over then"


class AlreadyTold(msgspec.Struct, frozen=True):
    """What a provider's session holds from earlier prompts."""

    profile: str
    """The profile whose objective, schema, guidance and static modules it was told last."""
    summary_revision: int


class DecisionContext(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a run."""

    agent_id: str
    profile: ActivityProfile
    observation: Observation
    hints: ObservationHints
    modules: tuple[RenderedModule, ...] = ()
    """As `render_modules` gives them: by level."""
    step: int = 1
    """The number of this decision, from 1."""
    run_objective: str = ""
    """The goal of the whole run, above the objective of the profile."""
    memory: SessionMemory = SessionMemory()
    """With the result of the newest step."""
    campaign: CampaignMemory = CampaignMemory()
    budget: BudgetState = BudgetState(Budget())
    deadline_s: float | None = None
    """Seconds that the run has left: a call of the model that takes longer is cut off. None: no limit."""
    told: AlreadyTold | None = None
    """For `stateful_delta`; None: nothing yet, or the provider's session was lost."""
    images: tuple[bytes, ...] = ()
    """PNG files of the screen."""
