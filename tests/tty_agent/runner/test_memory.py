"""The memory of a run: results are seen a turn later, old steps are summed up, one commit at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tty_agent.trace_samples import a_decision, an_observation

from tty_agent.actions.action import PressKey
from tty_agent.activity.activity import Budget
from tty_agent.activity.budget import Meter
from tty_agent.activity.profiles import SHELL
from tty_agent.hints import ObservationHints, extract
from tty_agent.memory.calls import MemoryCalls
from tty_agent.memory.memory import MAX_RECENT_STEPS, CampaignMemory, MemoryItem, Provenance
from tty_agent.memory.store import CampaignFile, Unreadable
from tty_agent.models.answers import Answer
from tty_agent.models.model import ProviderFault, Usage
from tty_agent.models.scripted import Line, ScriptedModel
from tty_agent.runner.memory import RunMemory

BY = Provenance(run_id="run-1", agent_id="agent-001", model="m", at="2026-01-31T14:00:00Z", outcome="budget")


def asking(*replies: Line) -> tuple[MemoryCalls, Meter]:
    meter = Meter(Budget())
    return MemoryCalls(ScriptedModel(replies), meter, lambda: 0.0), meter


def hints(before: str, after: str) -> ObservationHints:
    return extract(
        an_observation(pretty_screen=after),
        last_action=PressKey("P"),
        previous=an_observation(pretty_screen=before),
    )


def filled() -> RunMemory:
    memory = RunMemory()
    for step in range(1, MAX_RECENT_STEPS + 2):
        memory.remember(a_decision(step))
        memory.resolve(hints("a", f"b{step}"))
    return memory


async def compacted(memory: RunMemory, ask: MemoryCalls | None) -> Any:
    return await memory.compact(ask, run_objective="win", profile=SHELL)


def test_a_result_belongs_to_the_step_before() -> None:
    memory = RunMemory()
    memory.resolve(hints("a", "b"))
    memory.remember(a_decision(1))
    assert memory.session.steps[0].result == ""
    memory.resolve(hints("same", "same"))
    assert memory.session.steps[0].result
    assert memory.session.steps[0].without_effect
    first = memory.session.steps[0].result
    memory.resolve(hints("a", "b"))
    assert memory.session.steps[0].result == first


def test_what_could_not_be_sent_is_remembered_so() -> None:
    memory = RunMemory()
    memory.remember(a_decision(1))
    memory.fail("no such character")
    assert memory.session.steps[0].error == "no such character"


async def test_nothing_is_summed_up_while_there_is_room() -> None:
    ask, meter = asking()
    assert await compacted(RunMemory(), ask) is None
    assert meter.spent(0.0).calls == 0


async def test_the_model_sums_up_and_the_call_is_counted() -> None:
    memory = filled()
    ask, meter = asking(Answer(text='{"current_state": "in the shop"}', usage=Usage(input_tokens=7, output_tokens=2)))
    told = await compacted(memory, ask)
    assert (told["by"], told["reply"]["text"]) == ("model", '{"current_state": "in the shop"}')
    assert memory.session.summary.current_state == "in the shop"
    assert meter.spent(0.0).tokens == 9
    assert told["steps"][0] == 1


@pytest.mark.parametrize("reply", ["I forgot", ProviderFault("timeout", "too slow")])
async def test_without_an_answer_steps_are_kept_word_for_word(reply: Line) -> None:
    memory = filled()
    told = await compacted(memory, asking(reply)[0])
    assert told["by"] == "fold"
    assert told["fault"]
    assert any("step 1:" in fact for fact in memory.session.summary.discovered_facts)


async def test_a_commit_changes_the_file_once(tmp_path: Path) -> None:
    file = CampaignFile(tmp_path / "memory.json")
    memory = RunMemory(file=file)
    told = await memory.commit(asking('{"facts": ["ore is cheap"]}')[0], BY, run_objective="", profile=SHELL)
    assert told["by"] == "model"
    assert told["file"] == str(tmp_path / "memory.json")
    assert [item.text for item in file.load().facts] == ["ore is cheap"]
    assert file.load().commits[-1].by == BY


async def test_a_commit_without_a_model_takes_the_summary() -> None:
    memory = RunMemory(CampaignMemory(facts=(MemoryItem("old"),)))
    told = await memory.commit(None, BY, run_objective="", profile=SHELL)
    assert told["by"] == "fold"
    assert [item.text for item in memory.campaign.facts] == ["old"]


def test_a_file_that_is_no_memory_is_refused_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text("oops")
    with pytest.raises(Unreadable):
        RunMemory(file=CampaignFile(tmp_path / "memory.json"))
