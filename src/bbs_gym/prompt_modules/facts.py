"""Visible facts as a module: figures that the screen itself shows, gathered in one line."""

from __future__ import annotations

from bbs_gym.facts import Facts
from bbs_gym.reading import observed_facts
from tty_agent.prompt_modules import AssistanceLevel, ModuleContext, PromptModule


def facts_module(game: str) -> PromptModule:
    """What the screen says of the player in that game, the latest of it."""

    def render(context: ModuleContext) -> str:
        told = worded(observed_facts(context.observation, game, context.hints))
        return f"On the screen, as last told there and maybe old: {told}." if told else ""

    return PromptModule(name=f"{game}_facts", level=AssistanceLevel.GAME_INTERFACE, render=render)


def worded(facts: Facts) -> str:
    """`sector 12, 250 turns, 2,000 credits, 25 fighters, 20 holds, 10 free, cargo ice 10`; figures alone, and names of
    goods that the readers know."""
    parts = [f"sector {facts.sector}"] if facts.sector is not None else []
    for figure, what in (
        (facts.turns, "turns"),
        (facts.credits, "credits"),
        (facts.fighters, "fighters"),
        (facts.holds, "holds"),
        (facts.free_holds, "holds free"),
    ):
        if figure is not None:
            parts.append(f"{figure:,} {what}")
    if facts.cargo:
        parts.append("cargo " + " ".join(f"{good} {amount:,}" for good, amount in facts.cargo.items()))
    return ", ".join(parts)
