"""A turn of a run with something in every part of its prompt."""

from __future__ import annotations

from typing import Any

from tests.tty_agent.terminal_turns import turn

from tty_agent.actions.action import PressKey, to_json
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile, Budget
from tty_agent.activity.budget import Spent
from tty_agent.hints import extract
from tty_agent.memory.memory import CampaignMemory, MemoryItem, RecentStep, SessionMemory, SessionSummary
from tty_agent.prompt_modules import (
    GENERIC_TERMINAL_MODULES,
    AssistanceLevel,
    ModuleContext,
    PromptModule,
    render_modules,
)
from tty_agent.prompts.context import BudgetState, DecisionContext


def static_module(name: str, level: AssistanceLevel, text: str) -> PromptModule:
    return PromptModule(name=name, level=level, render=lambda _: text, static=True)


TRADER = ActivityProfile(
    name="trader",
    objective="Trade at the ports.",
    policy=ActionPolicy(),
    modules=(
        *GENERIC_TERMINAL_MODULES,
        static_module("hotkeys", AssistanceLevel.BBS_CONVENTIONS, "Single letters act at once."),
        static_module("commands", AssistanceLevel.GAME_INTERFACE, "D docks, Q quits."),
        PromptModule(
            name="credits",
            level=AssistanceLevel.GAME_INTERFACE,
            render=lambda seen: f"Rows seen: {seen.observation.rows}",
        ),
    ),
    system_guidance="You are on a board of other callers.",
)

NAVIGATOR = ActivityProfile(
    name="navigator",
    objective="Find the games.",
    policy=ActionPolicy(keys=("enter", "x")),
    modules=(static_module("menus", AssistanceLevel.BBS_CONVENTIONS, "X leads to the doors."),),
    system_guidance="Never log off.",
)


def step(number: int) -> RecentStep:
    return RecentStep(step=number, action=to_json(PressKey("d")), reason=f"reason {number}", result=f"result {number}")


def context(profile: ActivityProfile = TRADER, **fields: Any) -> DecisionContext:
    """Decision 4 of a run: an old prompt on the screen, and three steps behind it. `fields` go over that."""
    before = turn("Your offer? |")
    seen = turn(
        "Your offer? 200\nWe have a deal.\n\nCommand (?=Help)? |", "200\r\nWe have a deal.\r\n\r\nCommand (?=Help)? "
    )
    hints = extract(seen, last_action=PressKey("d"), previous=before)
    made: dict[str, Any] = {
        "agent_id": "agent-001",
        "profile": profile,
        "observation": seen,
        "hints": hints,
        "modules": tuple(render_modules(profile.modules, ModuleContext(seen, hints))),
        "step": 4,
        "run_objective": "Get rich.",
        "memory": SessionMemory(
            summary=SessionSummary(current_state="in sector 1", discovered_facts=("Ore is cheap",)),
            revision=2,
            steps=(step(1), step(2), step(3)),
        ),
        "campaign": CampaignMemory(facts=(MemoryItem("Sol is sector 1", 1),)),
        "budget": BudgetState(
            Budget(max_tokens=10_000, max_cost_usd=1.5),
            Spent(decision_ticks=3, wall_seconds=100.0, input_tokens=900, output_tokens=100, cost_usd=0.25),
        ),
        "deadline_s": 60.0,
    }
    return DecisionContext(**(made | fields))
