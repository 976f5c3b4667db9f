"""The parts of a decision prompt, and in which order each layout has them.

A part is made once and the layouts only place it, so that every layout tells the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import msgspec

from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import PromptLayout
from tty_agent.memory.memory import MAX_ITEM_CHARS, MAX_STATE_CHARS, SUMMARY_LISTS, CampaignMemory, SessionSummary
from tty_agent.prompt_modules import AssistanceLevel, RenderedModule, by_level
from tty_agent.prompts.context import DecisionContext
from tty_agent.quoting import bullets, one_line, quote

MAX_REMEMBERED: Final = 64
"""Contracts and summaries whose text is kept, since it is the same for many decisions: one a run at a time."""


class Part(StrEnum):
    """Kinds of parts. A part of modules is one section for each of them."""

    RUN_OBJECTIVE = "run_objective"
    OBJECTIVE = "objective"
    CONTRACT = "contract"
    """Action schema and guidance, where the system message does not have them: after a switch within a session."""
    CAMPAIGN_MEMORY = "campaign_memory"
    SESSION_SUMMARY = "session_summary"
    RECENT_STEPS = "recent_steps"
    """All but the newest, which stands behind the screen."""
    BUDGET = "budget"
    STATIC_MODULES = "static_modules"
    VOLATILE_MODULES = "volatile_modules"
    ALL_MODULES = "all_modules"
    """Static and volatile ones together, by level."""
    SCREEN = "screen"
    PREVIOUS_STEP = "previous_step"
    CLOSING_MODULES = "closing_modules"
    """Those that tell what is true right now: the active prompt among them."""
    DECISION = "decision"


LAYOUTS: Final = MappingProxyType(
    {
        PromptLayout.TIMELINE_FIRST: (
            Part.RUN_OBJECTIVE,
            Part.OBJECTIVE,
            Part.CAMPAIGN_MEMORY,
            Part.SESSION_SUMMARY,
            Part.RECENT_STEPS,
            Part.BUDGET,
            Part.ALL_MODULES,
            Part.SCREEN,
            Part.PREVIOUS_STEP,
            Part.CLOSING_MODULES,
            Part.DECISION,
        ),
        PromptLayout.CACHE_FRIENDLY: (
            Part.RUN_OBJECTIVE,
            Part.OBJECTIVE,
            Part.CAMPAIGN_MEMORY,
            Part.STATIC_MODULES,
            Part.SESSION_SUMMARY,
            Part.RECENT_STEPS,
            Part.BUDGET,
            Part.VOLATILE_MODULES,
            Part.SCREEN,
            Part.PREVIOUS_STEP,
            Part.CLOSING_MODULES,
            Part.DECISION,
        ),
    }
)
"""The order of a full prompt."""

DELTA: Final = (
    Part.SESSION_SUMMARY,
    Part.BUDGET,
    Part.VOLATILE_MODULES,
    Part.SCREEN,
    Part.PREVIOUS_STEP,
    Part.CLOSING_MODULES,
    Part.DECISION,
)
"""The order of a delta prompt."""

SWITCHED: Final = (Part.OBJECTIVE, Part.CONTRACT, Part.STATIC_MODULES)
"""What comes before a delta if the profile is another one than in the prompt before."""

STABLE: Final = frozenset({Part.RUN_OBJECTIVE, Part.OBJECTIVE, Part.CAMPAIGN_MEMORY, Part.STATIC_MODULES})
"""The parts that stay as they are while the profile stays."""


class Section(msgspec.Struct, frozen=True):
    """A titled piece of a prompt."""

    name: str
    """The name of its part, or `module:NAME`."""
    text: str
    part: Part
    group: str = ""
    """The heading over it and its neighbours of the same group, for modules: their level."""


_LEVEL_TITLES: Final = MappingProxyType(
    {
        AssistanceLevel.GENERIC_TERMINAL: "Terminal",
        AssistanceLevel.BBS_CONVENTIONS: "BBS conventions",
        AssistanceLevel.GAME_INTERFACE: "Game interface",
        AssistanceLevel.STRATEGIC: "Strategy",
    }
)


def sections(context: DecisionContext, order: Iterable[Part]) -> list[Section]:
    """The sections of these parts in this order; parts that have nothing to say are left out."""
    return [section for part in order for section in _MAKERS[part](context) if section.text]


def joined(parts: Iterable[Section]) -> str:
    """Sections as text, with the heading of a group over its first; ends with one line end."""
    blocks: list[str] = []
    group = ""
    for section in parts:
        if section.group and section.group != group:
            blocks.append(f"# {section.group}")
        group = section.group
        blocks.append(section.text)
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _one(part: Part, title: str, text: str) -> list[Section]:
    return [Section(part.value, f"# {title}\n\n{text}", part)] if text else []


def _run_objective(context: DecisionContext) -> list[Section]:
    return _one(Part.RUN_OBJECTIVE, "Objective of the run", context.run_objective.strip())


def _objective(context: DecisionContext) -> list[Section]:
    return _one(
        Part.OBJECTIVE, f"Objective of the current activity ({context.profile.name})", context.profile.objective.strip()
    )


@lru_cache(maxsize=MAX_REMEMBERED)
def contract_text(policy: ActionPolicy, guidance: str) -> str:
    """The action schema of a profile and its guidance."""
    return "\n\n".join(text for text in (policy.describe(), guidance.strip()) if text)


def _contract(context: DecisionContext) -> list[Section]:
    text = contract_text(context.profile.policy, context.profile.system_guidance)
    return _one(Part.CONTRACT, "Actions from now on, in place of those before", text)


def campaign_text(memory: CampaignMemory) -> str:
    """Campaign memory as lists; "" if it is empty."""
    lists = (("Facts", memory.facts), ("Goals", memory.goals), ("Notes", memory.notes))
    return "\n\n".join(f"{title}:\n{_items(item.text for item in items)}" for title, items in lists if items)


def _campaign(context: DecisionContext) -> list[Section]:
    title = "Campaign memory: your notes of earlier activities, which may be outdated"
    return _one(Part.CAMPAIGN_MEMORY, title, campaign_text(context.campaign))


@lru_cache(maxsize=MAX_REMEMBERED)
def summary_text(summary: SessionSummary) -> str:
    """A session summary as lists; "" if it is empty."""
    blocks = [
        f"{name.replace('_', ' ').capitalize()}: {one_line(getattr(summary, name), max_chars=MAX_STATE_CHARS)}"
        for name in ("current_state", "last_error")
        if getattr(summary, name)
    ]
    blocks += [
        f"{name.replace('_', ' ').capitalize()}:\n{_items(getattr(summary, name))}"
        for name in SUMMARY_LISTS
        if getattr(summary, name)
    ]
    return "\n\n".join(blocks)


def _items(texts: Iterable[str]) -> str:
    return bullets(tuple(texts), max_chars=MAX_ITEM_CHARS)


def _summary(context: DecisionContext) -> list[Section]:
    memory = context.memory
    if context.told is not None and context.told.summary_revision == memory.revision:
        return []
    return _one(Part.SESSION_SUMMARY, "Summary of the earlier steps", summary_text(memory.summary))


def _recent(context: DecisionContext) -> list[Section]:
    steps = context.memory.steps[:-1]
    return _one(Part.RECENT_STEPS, "Recent steps", "\n".join(f"- {step.story}" for step in steps))


def _previous(context: DecisionContext) -> list[Section]:
    steps = context.memory.steps
    return _one(Part.PREVIOUS_STEP, "Your previous step, and what it did", steps[-1].story if steps else "")


def _budget(context: DecisionContext) -> list[Section]:
    left = context.budget.told(context.deadline_s)
    return _one(Part.BUDGET, "Budget", f"- This is decision {context.step}\n{left}".rstrip())


def _screen(context: DecisionContext) -> list[Section]:
    seen = context.observation
    text = quote(seen.model_text, "screen") if seen.model_text.strip() else "The screen is empty."
    picture = "\n\nA picture of it is attached." if context.images else ""
    return _one(Part.SCREEN, f"Screen ({seen.columns} columns, {seen.rows} rows)", text + picture)


def _decision(context: DecisionContext) -> list[Section]:
    del context
    return _one(Part.DECISION, "Decision", "Choose your next action, and answer with its JSON object.")


def _modules(part: Part, wanted: Callable[[RenderedModule], bool], prefix: str = "") -> Callable[..., list[Section]]:
    def make(context: DecisionContext) -> list[Section]:
        chosen = [module for module in context.modules if wanted(module)]
        return [
            Section(f"module:{module.name}", f"## {module.heading}\n\n{module.text}", part, _group(prefix, level))
            for level, group in by_level(chosen)
            for module in group
        ]

    return make


def _group(prefix: str, level: AssistanceLevel) -> str:
    return f"{prefix}{_LEVEL_TITLES[level]}"


_MAKERS: Final[MappingProxyType[Part, Callable[[DecisionContext], list[Section]]]] = MappingProxyType(
    {
        Part.RUN_OBJECTIVE: _run_objective,
        Part.OBJECTIVE: _objective,
        Part.CONTRACT: _contract,
        Part.CAMPAIGN_MEMORY: _campaign,
        Part.SESSION_SUMMARY: _summary,
        Part.RECENT_STEPS: _recent,
        Part.BUDGET: _budget,
        Part.STATIC_MODULES: _modules(Part.STATIC_MODULES, lambda module: module.static and not module.closing),
        Part.VOLATILE_MODULES: _modules(Part.VOLATILE_MODULES, lambda module: not module.static and not module.closing),
        Part.ALL_MODULES: _modules(Part.ALL_MODULES, lambda module: not module.closing),
        Part.SCREEN: _screen,
        Part.PREVIOUS_STEP: _previous,
        Part.CLOSING_MODULES: _modules(Part.CLOSING_MODULES, lambda module: module.closing, "Now: "),
        Part.DECISION: _decision,
    }
)
