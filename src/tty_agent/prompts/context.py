"""What a decision prompt is made from: everything about one turn of a run, as a value."""

from __future__ import annotations

import msgspec

from tty_agent.activity.activity import ActivityProfile, Budget
from tty_agent.activity.budget import Spent
from tty_agent.hints import ObservationHints
from tty_agent.memory.memory import CampaignMemory, SessionMemory
from tty_agent.observation.observation import Observation
from tty_agent.prompt_modules import RenderedModule


class BudgetState(msgspec.Struct, frozen=True):
    """The limits of a run, and what it has used of them before this decision."""

    limits: Budget
    spent: Spent = Spent()

    def told(self, deadline_s: float | None) -> str:
        """What is left, one line each; only what is limited. `deadline_s`: seconds for this answer."""
        limits, spent = self.limits, self.spent
        lines = []
        if limits.max_decision_ticks is not None:
            lines.append(
                f"Decisions left, this one included: {max(0, limits.max_decision_ticks - spent.decision_ticks)}"
                f" of {limits.max_decision_ticks}"
            )
        if limits.max_wall_seconds is not None:
            lines.append(f"Seconds left in this run: {max(0.0, limits.max_wall_seconds - spent.wall_seconds):.0f}")
        if deadline_s is not None:
            lines.append(f"Deadline: your answer is due within {max(0.0, deadline_s):.3g} seconds")
        if limits.max_validation_failures is not None:
            left = max(0, limits.max_validation_failures - spent.validation_failures)
            lines.append(f"Answers without a valid action until the run ends: {left}")
        if limits.max_tokens is not None:
            lines.append(f"Tokens left: {max(0, limits.max_tokens - spent.tokens)}")
        if limits.max_cost_usd is not None:
            lines.append(f"Cost left: ${max(0.0, limits.max_cost_usd - spent.cost_usd):.4f}")
        return "\n".join(f"- {line}" for line in lines)


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
    """How long the model may take for this answer; None: as long as the run may last."""
    told: AlreadyTold | None = None
    """For `stateful_delta`; None: nothing yet, or the provider's session was lost."""
    images: tuple[bytes, ...] = ()
    """PNG files of the screen."""
