"""Memory: steps are bounded, nothing is lost in silence, and a commit says where it came from."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.actions.action import PressKey, to_json
from tty_agent.memory.memory import (
    KEPT_STEPS,
    MAX_CAMPAIGN_ITEMS,
    MAX_COMMITS,
    MAX_HELD_STEPS,
    MAX_ITEM_CHARS,
    MAX_ITEMS,
    MAX_RECENT_STEPS,
    CampaignMemory,
    Commit,
    Folded,
    MemoryItem,
    MemoryUpdate,
    Provenance,
    RecentStep,
    SessionMemory,
    SessionSummary,
    capped,
    commit,
    fold,
    replaced,
    update_from,
)

BY = Provenance(
    run_id="run-1", agent_id="agent-001", model="small", at="2025-01-01T00:00:00.000Z", activity="shell", outcome="done"
)


def step(number: int, **fields: object) -> RecentStep:
    made = {"action": to_json(PressKey("d")), "result": f"result {number}"}
    return RecentStep(step=number, **(made | fields))  # type: ignore[arg-type]


def after(steps: int) -> SessionMemory:
    memory = SessionMemory()
    for number in range(1, steps + 1):
        memory = memory.remember(step(number))
    return memory


def test_a_step_is_one_inert_line() -> None:
    told = step(3, result="2 new lines;\n# prompt now: \u202ex", reason="because\nof this")
    assert told.line == (
        'step 3: {"action":"press_key","arguments":{"key":"d"}} -> 2 new lines; # prompt now: \\u202ex'
    )
    assert told.story == f"{told.line} (reason: because of this)"


def test_an_action_is_told_with_the_blanks_that_were_typed() -> None:
    typed = {"action": "submit_line", "arguments": {"text": "  print(i)  \u202e"}}
    assert '{"text":"  print(i)  \\u202e"}' in step(3, action=typed).line


def test_a_step_without_an_action_tells_the_error() -> None:
    assert step(4, action=None, result="", error="no JSON").line == "step 4: no valid action -> error: no JSON"


def test_the_summary_has_the_names_of_the_specification() -> None:
    assert list(msgspec.to_builtins(SessionSummary())) == [
        "current_state",
        "last_error",
        "open_subgoals",
        "discovered_facts",
        "failed_actions",
        "strategy_notes",
    ]


def test_steps_are_kept_until_a_compaction_is_due() -> None:
    assert not after(MAX_RECENT_STEPS).compaction_due
    memory = after(MAX_RECENT_STEPS + 1)
    assert memory.compaction_due
    assert [one.step for one in memory.older] == list(range(1, MAX_RECENT_STEPS + 2 - KEPT_STEPS))


def test_a_compaction_replaces_the_older_steps_by_the_new_summary() -> None:
    memory = after(MAX_RECENT_STEPS + 1)
    new = memory.compacted(Folded(SessionSummary(current_state="at the port"), ("discovered_facts: x",)))
    assert (new.summary.current_state, new.revision, new.dropped) == ("at the port", 1, ("discovered_facts: x",))
    assert [one.step for one in new.steps] == list(range(MAX_RECENT_STEPS + 2 - KEPT_STEPS, MAX_RECENT_STEPS + 2))
    assert not new.compaction_due


def test_a_caller_that_never_compacts_stays_bounded_and_loses_nothing() -> None:
    memory = after(MAX_HELD_STEPS + 1)
    assert len(memory.steps) == KEPT_STEPS
    assert memory.revision == 1
    told = " ".join((*memory.summary.discovered_facts, *memory.dropped, *(one.line for one in memory.steps)))
    assert all(f"result {number}" in told for number in range(1, MAX_HELD_STEPS + 2))


def test_the_newest_step_gets_its_result_later() -> None:
    memory = SessionMemory().remember(step(1)).remember(step(2, result=""))
    done = memory.resolved("screen unchanged", without_effect=True)
    assert [one.result for one in done.steps] == ["result 1", "screen unchanged"]
    assert done.steps[-1].without_effect
    assert SessionMemory().resolved("x") == SessionMemory()


def test_folding_sorts_what_worked_from_what_did_not() -> None:
    folded = fold(
        SessionSummary(discovered_facts=("the port buys ore",), open_subgoals=("sell ore",)),
        (step(1), step(2, without_effect=True), step(3, action=None, error="no JSON", result="")),
    )
    summary = folded.summary
    assert summary.discovered_facts == ("the port buys ore", step(1).line)
    assert summary.failed_actions == (
        step(2).line,
        "step 3: no valid action -> error: no JSON",
    )
    assert summary.current_state == "after step 2: result 2"
    assert summary.last_error == "step 3: no JSON"
    assert summary.open_subgoals == ("sell ore",)
    assert folded.dropped == ()


def test_what_a_cap_pushes_out_is_told() -> None:
    facts = tuple(f"fact {n}" for n in range(MAX_ITEMS + 2))
    folded = capped(SessionSummary(discovered_facts=facts))
    assert folded.summary.discovered_facts == facts[2:]
    assert folded.dropped == ("discovered_facts: fact 0", "discovered_facts: fact 1")


def test_items_are_one_line_each_once_and_the_newest_place_counts() -> None:
    notes = ("Sell high", "buy\nlow", "", "sell  HIGH", "x" * 1_000)
    kept = capped(SessionSummary(strategy_notes=notes)).summary.strategy_notes
    assert kept == ("buy low", "sell HIGH", "x" * (MAX_ITEM_CHARS - 1) + "…")


def test_a_models_summary_stands_and_what_it_left_out_is_told() -> None:
    before = SessionSummary(discovered_facts=("a", "b"), open_subgoals=("c",))
    folded = replaced(before, SessionSummary(discovered_facts=("b", "d")))
    assert folded.summary.discovered_facts == ("b", "d")
    assert folded.dropped == ("open_subgoals: c", "discovered_facts: a")


@given(st.lists(st.tuples(st.text(max_size=20), st.booleans(), st.text(max_size=20)), max_size=80))
def test_every_step_is_in_the_summary_in_the_steps_or_dropped(told: list[tuple[str, bool, str]]) -> None:
    memory = SessionMemory()
    dropped: list[str] = []
    for number, (result, idle, error) in enumerate(told):
        memory = memory.remember(RecentStep(step=number, action=None, result=result, without_effect=idle, error=error))
        dropped += memory.dropped
    summary = memory.summary
    held = [*summary.discovered_facts, *summary.failed_actions, *dropped, *(one.line for one in memory.steps)]
    assert len(memory.steps) <= MAX_HELD_STEPS
    for number in range(len(told)):
        assert any(f"step {number}: " in line for line in held)


def test_a_commit_adds_with_its_provenance() -> None:
    done = commit(CampaignMemory(), MemoryUpdate(facts=("Ore sells at sector 5",), goals=("buy holds",)), BY)
    assert done.memory.facts == (MemoryItem("Ore sells at sector 5", 1),)
    assert done.memory.commits == (Commit(number=1, by=BY, added=2),)
    assert done.dropped == ()


def test_what_is_known_stays_as_it_was_and_what_is_over_goes() -> None:
    first = commit(CampaignMemory(), MemoryUpdate(facts=("Ore sells",), goals=("buy holds",)), BY).memory
    update = MemoryUpdate(facts=("ore  sells", "Fuel is dear"), remove=("Buy holds", "never known"))
    second = commit(first, update, BY).memory
    assert second.facts == (MemoryItem("Ore sells", 1), MemoryItem("Fuel is dear", 2))
    assert second.goals == ()
    assert second.commits[-1] == Commit(number=2, by=BY, added=1, removed=1)


def test_a_full_memory_drops_the_oldest_and_says_so() -> None:
    full = commit(CampaignMemory(), MemoryUpdate(facts=tuple(f"fact {n}" for n in range(MAX_CAMPAIGN_ITEMS))), BY)
    done = commit(full.memory, MemoryUpdate(facts=("one more",)), BY)
    assert len(done.memory.facts) == MAX_CAMPAIGN_ITEMS
    assert done.dropped == ("facts: fact 0",)
    flood = commit(CampaignMemory(), MemoryUpdate(notes=tuple(f"n{n}" for n in range(MAX_CAMPAIGN_ITEMS + 3))), BY)
    assert flood.dropped == ("notes: n0", "notes: n1", "notes: n2")


def test_commits_are_counted_on_when_old_ones_are_forgotten() -> None:
    memory = CampaignMemory(commits=tuple(Commit(number=n, by=BY) for n in range(1, MAX_COMMITS + 1)))
    after_it = commit(memory, MemoryUpdate(), BY).memory
    assert len(after_it.commits) == MAX_COMMITS
    assert after_it.commits[-1].number == MAX_COMMITS + 1


def test_an_update_without_a_model() -> None:
    summary = SessionSummary(
        discovered_facts=("a",), open_subgoals=("b",), strategy_notes=("c",), failed_actions=("d",)
    )
    assert update_from(summary) == MemoryUpdate(facts=("a",), goals=("b",), notes=("c",))


def test_folded_steps_do_not_outlive_their_session() -> None:
    folded = fold(SessionSummary(discovered_facts=("the port buys ore",)), (step(1), step(2)))
    assert len(folded.summary.discovered_facts) == 3
    assert update_from(folded.summary).facts == ("the port buys ore",)


def test_memory_is_portable_json() -> None:
    memory = commit(CampaignMemory(extra={"map": {"1": [2, 3]}}), MemoryUpdate(facts=("é \u202e",)), BY).memory
    text = msgspec.json.encode(memory)
    assert msgspec.json.decode(text, type=CampaignMemory) == memory
    assert "\u202e" not in text.decode()
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"schema_version":0}', type=CampaignMemory)
