"""Memory and spending read back from a trace are those of the run that wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tty_agent.run_fakes import FakeTerminal, FakeTime

from bbs_gym.match.retracing import retrace
from tty_agent.actions.action import Action, SubmitLine
from tty_agent.actions.errors import NotTaken
from tty_agent.activity.activity import Budget
from tty_agent.activity.profiles import SHELL
from tty_agent.models.answers import Answer
from tty_agent.models.model import Usage
from tty_agent.models.scripted import ScriptedModel
from tty_agent.runner.memory import RunMemory
from tty_agent.runner.record import RunIdentity
from tty_agent.runner.runner import ActivityRunner
from tty_agent.runner.settings import RunSettings
from tty_agent.trace.writer import TraceWriter

TICKS = 30
"""So many that older steps are summed up twice."""


@pytest.mark.parametrize("seen", [1, 8, 17, TICKS])
async def test_a_memory_is_remembered(tmp_path: Path, seen: int) -> None:
    def refuse(action: Action) -> None:
        if isinstance(action, SubmitLine) and action.text == "5":
            raise NotTaken(0, 2)

    screens = [f"line {number}\n{'Menu' * (number % 3)}\n> " for number in range(TICKS + 2)]
    replies = [
        "no" if number % 7 == 3 else Answer(
            text=f'Because. {{"action": "submit_line", "arguments": {{"text": "{number}"}}}}',
            usage=Usage(input_tokens=10, output_tokens=2),
        )
        for number in range(TICKS * 2)
    ]  # fmt: skip
    memory = RunMemory()
    with TraceWriter(tmp_path / "a.jsonl") as trace:
        runner = ActivityRunner(
            FakeTerminal(*screens, refuse=refuse),
            ScriptedModel(replies),
            SHELL,
            identity=RunIdentity(run_id="r", agent_id="a"),
            settings=RunSettings(budget=Budget(max_decision_ticks=seen, max_validation_failures=None)),
            memory=memory,
            trace=trace,
            clock=FakeTime().clock,
        )
        result = await runner.run()
    read = RunMemory()
    found = retrace([tmp_path / "a.jsonl"], read)
    newest = memory.session.steps[-1]
    assert read.session.steps[:-1] == memory.session.steps[:-1]
    assert (read.session.steps[-1].step, read.session.steps[-1].action) == (newest.step, newest.action)
    assert (read.session.summary, read.session.revision) == (memory.session.summary, memory.session.revision)
    assert (found.steps, found.spent.decision_ticks) == (seen, seen)
    assert found.spent.tokens == result.spent.tokens
