"""What a model is told at a decision."""

from __future__ import annotations

from tty_agent.prompts.context import DecisionContext
from tty_agent.prompts.prompts import DecisionPrompt, decision_prompt, repair_prompt

__all__ = ["DecisionContext", "DecisionPrompt", "decision_prompt", "repair_prompt"]
