"""Prompts for notes, and answers as models give them."""

from __future__ import annotations

import json

import pytest

from tty_agent.memory.memory import (
    MAX_ITEMS,
    MAX_RECENT_STEPS,
    CampaignMemory,
    MemoryItem,
    MemoryUpdate,
    RecentStep,
    SessionMemory,
    SessionSummary,
)
from tty_agent.memory.prompts import NotNotes, commit_prompt, compaction_prompt, read_summary, read_update

BEFORE = SessionSummary(current_state="at the menu", discovered_facts=("X exits",))


def memory() -> SessionMemory:
    steps = tuple(
        RecentStep(step=n, action={"action": "wait"}, result=f"saw ``` {n}", reason=f"why {n}")
        for n in range(1, MAX_RECENT_STEPS + 2)
    )
    return SessionMemory(summary=BEFORE, steps=steps)


def test_a_compaction_tells_the_summary_and_the_older_steps() -> None:
    held = memory()
    prompt = compaction_prompt(held, run_objective="Get rich", objective="Trade")
    for text in ("Get rich", "Trade", '"current_state": "at the menu"', "step 1:", "why 9"):
        assert text in prompt.user
    assert f"step {held.older[-1].step + 1}:" not in prompt.user
    assert all(f"- {name}:" in prompt.system for name in json.loads(held_fields()))
    assert prompt.schema_name == "session_summary"
    assert prompt.schema is not None
    assert list(prompt.schema["properties"]) == json.loads(held_fields())  # type: ignore[call-overload]


def held_fields() -> str:
    return json.dumps(
        ["current_state", "last_error", "open_subgoals", "discovered_facts", "failed_actions", "strategy_notes"]
    )


def test_steps_can_not_leave_their_fence() -> None:
    lines = compaction_prompt(memory()).user.split("\n")
    assert "````steps" in lines
    assert lines.count("````") == 1


def test_a_summary_among_prose_and_fences() -> None:
    answer = (
        'Here it is:\n```json\n{"current_state": "at the port", "discovered_facts": ["X exits", "Ore is cheap"]}\n```'
    )
    folded = read_summary(answer, BEFORE)
    assert folded.summary.current_state == "at the port"
    assert folded.summary.discovered_facts == ("X exits", "Ore is cheap")
    assert folded.dropped == ()


def test_a_missing_field_stays_and_a_lost_fact_is_told() -> None:
    folded = read_summary('{"discovered_facts": []}', BEFORE)
    assert folded.summary.current_state == "at the menu"
    assert folded.dropped == ("discovered_facts: X exits",)


@pytest.mark.parametrize(
    ("answer", "notes"),
    [
        ('{"strategy_notes": "be brief"}', ("be brief",)),
        ('{"strategy_notes": null}', ()),
        ('{"strategy_notes": ["a", 5, null, true, ["b", "c"], {"d": "e"}]}', ("a", "5", "true", "b; c", "d: e")),
        ('{"strategy_notes": {"first": "a", "second": 2}}', ("first: a", "second: 2")),
        ('{"summary": {"strategy_notes": ["wrapped"]}}', ("wrapped",)),
        ('{"strategy_notes": ["draft"]} then {"strategy_notes": ["final"]}', ("final",)),
        ('{"strategy_notes": ["kept"]} {"unrelated": 1}', ("kept",)),
    ],
)
def test_notes_are_read_leniently(answer: str, notes: tuple[str, ...]) -> None:
    assert read_summary(answer, SessionSummary()).summary.strategy_notes == notes


@pytest.mark.parametrize("answer", ["", "I can't.", "{", '{"facts_found": []}', "[1, 2]", '{"a":' * 50_000])
def test_what_is_no_summary(answer: str) -> None:
    with pytest.raises(NotNotes):
        read_summary(answer, BEFORE)


def test_a_flood_of_items_is_capped() -> None:
    folded = read_summary(json.dumps({"discovered_facts": [f"f{n}" for n in range(500)]}), SessionSummary())
    assert len(folded.summary.discovered_facts) == MAX_ITEMS
    assert len(folded.dropped) == 500 - MAX_ITEMS


def test_a_commit_tells_what_is_remembered_and_how_it_ended() -> None:
    campaign = CampaignMemory(facts=(MemoryItem("Ore sells", 1),), extra={"secret": "x"})
    prompt = commit_prompt(campaign, memory(), outcome="done", run_objective="Get rich")
    for text in ("Ore sells", "X exits", "step 17:", "```outcome\ndone", "Get rich"):
        assert text in prompt.user
    assert "secret" not in prompt.user
    assert prompt.schema_name == "memory_update"
    assert "strings" in prompt.system


def test_a_first_commit_has_no_campaign_memory_to_show() -> None:
    assert "Campaign memory so far" not in commit_prompt(CampaignMemory(), memory(), outcome="done").user


def test_an_update() -> None:
    answer = '{"facts": ["Ore sells"], "goals": "buy holds", "remove": []}'
    assert read_update(answer) == MemoryUpdate(facts=("Ore sells",), goals=("buy holds",))
    with pytest.raises(NotNotes, match="facts"):
        read_update("nothing new")
