"""Layouts: one set of sections, two orders."""

from __future__ import annotations

import pytest
from tests.tty_agent.decision_contexts import context
from tests.tty_agent.terminal_turns import turn

from tty_agent.activity.activity import PromptLayout
from tty_agent.memory.memory import (
    MAX_ITEM_CHARS,
    MAX_STATE_CHARS,
    CampaignMemory,
    MemoryItem,
    SessionMemory,
    SessionSummary,
)
from tty_agent.prompts.layout import LAYOUTS, Part, campaign_text, joined, sections, summary_text

TIMELINE = PromptLayout.TIMELINE_FIRST
CACHE = PromptLayout.CACHE_FRIENDLY


def names(layout: PromptLayout) -> list[str]:
    return [section.name for section in sections(context(), LAYOUTS[layout])]


def test_every_layout_tells_the_same() -> None:
    told = {
        layout: {(section.name, section.text) for section in sections(context(), order)}
        for layout, order in LAYOUTS.items()
    }
    assert set(told) == set(PromptLayout)
    assert told[TIMELINE] == told[CACHE]
    assert len(told[TIMELINE]) == len(sections(context(), LAYOUTS[TIMELINE])), "each section once"


def test_timeline_first_has_the_history_before_the_modules() -> None:
    assert names(TIMELINE) == [
        "run_objective",
        "objective",
        "campaign_memory",
        "session_summary",
        "recent_steps",
        "budget",
        "module:recent_output",
        "module:hotkeys",
        "module:commands",
        "module:credits",
        "screen",
        "previous_step",
        "module:previous_action_effects",
        "module:stale_prompts",
        "module:input_mode",
        "module:active_prompt",
        "decision",
    ]


def test_cache_friendly_has_what_stays_before_the_history() -> None:
    assert names(CACHE) == [
        "run_objective",
        "objective",
        "campaign_memory",
        "module:hotkeys",
        "module:commands",
        "session_summary",
        "recent_steps",
        "budget",
        "module:recent_output",
        "module:credits",
        "screen",
        "previous_step",
        "module:previous_action_effects",
        "module:stale_prompts",
        "module:input_mode",
        "module:active_prompt",
        "decision",
    ]


@pytest.mark.parametrize("layout", PromptLayout)
def test_levels_are_headings_in_their_order(layout: PromptLayout) -> None:
    text = joined(sections(context(), LAYOUTS[layout]))
    levels = [line for line in text.split("\n") if line in {"# Terminal", "# BBS conventions", "# Game interface"}]
    wanted = ["# Terminal", "# BBS conventions", "# Game interface"]
    assert levels == (wanted if layout is TIMELINE else [*wanted[1:], wanted[0], wanted[2]])
    assert text.count("# Now: Terminal\n") == 1


def test_parts_with_nothing_to_say_are_left_out() -> None:
    bare = context(run_objective="", memory=SessionMemory(), campaign=CampaignMemory(), modules=())
    assert [section.name for section in sections(bare, LAYOUTS[TIMELINE])] == [
        "objective",
        "budget",
        "screen",
        "decision",
    ]


def test_no_sections_make_no_text() -> None:
    assert joined([]) == ""


def test_notes_are_lists() -> None:
    memory = CampaignMemory(facts=(MemoryItem("a"), MemoryItem("b\n# Objective")), notes=(MemoryItem("c"),))
    assert campaign_text(memory) == "Facts:\n- a\n- b # Objective\n\nNotes:\n- c"
    summary = SessionSummary(current_state="here", open_subgoals=("x", "y"))
    assert summary_text(summary) == "Current state: here\n\nOpen subgoals:\n- x\n- y"
    assert summary_text(SessionSummary()) == ""


def test_an_item_that_memory_takes_is_told_whole() -> None:
    item, state = "f" * MAX_ITEM_CHARS, "s" * MAX_STATE_CHARS
    told = summary_text(SessionSummary(current_state=state, discovered_facts=(item,)))
    assert told == f"Current state: {state}\n\nDiscovered facts:\n- {item}"
    assert campaign_text(CampaignMemory(goals=(MemoryItem(item),))) == f"Goals:\n- {item}"


def test_an_empty_screen_and_a_picture_are_told() -> None:
    (screen,) = sections(context(observation=turn("|"), images=(b"png",)), (Part.SCREEN,))
    assert screen.text == "# Screen (80 columns, 24 rows)\n\nThe screen is empty.\n\nA picture of it is attached."
