"""A real language model uses a program on a pseudo-terminal, through everything that is between the two.

The model has 135 million parameters: which of two keys it presses hangs on a word of the prompt. So what must be
done is held by a policy of one key, and where it chooses, what it chose is what the program got.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from tty_agent.actions.action import ActionName
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import ActivityProfile, Budget
from tty_agent.activity.completion import screen_shows
from tty_agent.models.catalog import make_model, model_config
from tty_agent.models.model import STOPPED_BY_LIMIT, Model, Prompt
from tty_agent.runner.record import RunIdentity
from tty_agent.runner.result import Outcome
from tty_agent.runner.runner import ActivityRunner
from tty_agent.runner.settings import RunSettings
from tty_agent.session.session import TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.trace.records import DecisionRecord, Record
from tty_agent.transports.pty import Pty

pytestmark = [pytest.mark.llm, pytest.mark.timeout(170)]

PROGRAM = Path(__file__).with_name("menu_program.py")


@pytest.fixture
async def model(small_model: str) -> AsyncIterator[Model]:
    made = make_model(
        model_config(
            {
                "provider": "openai",
                "model": "SmolLM2-135M-Instruct",
                "base_url": small_model,
                "max_tokens": 100,
                "temperature": 0.0,
            }
        )
    )
    yield made
    await made.close()


def errand(objective: str, keys: tuple[str, ...], shows: str | None = None) -> ActivityProfile:
    """An activity of one key; it is done when the screen shows that, or when the program ends."""
    return ActivityProfile(
        name="menu",
        objective=objective,
        policy=ActionPolicy(allowed=(ActionName.PRESS_KEY,), keys=keys),
        modules=(),
        completion=(screen_shows(shows),) if shows else (),
        budget=Budget(max_decision_ticks=2, max_wall_seconds=None),  # no seconds: the prompt is the same each time
    )


async def test_it_reads_the_news_and_quits(model: Model, tmp_path: Path) -> None:
    log = tmp_path / "keys"
    errands = (
        errand("Read the news: press r.", ("r",), "THE NEWS"),
        errand("Go back to the menu: press q.", ("q",), "MAIN MENU"),
        errand("Quit the program: press q.", ("q",)),
    )
    records: list[Record] = []
    program = Pty((sys.executable, str(PROGRAM), str(log)), dialect=XTERM)
    async with TerminalSession(program, agent_id="small", dialect=XTERM) as session:
        for number, profile in enumerate(errands):
            runner = ActivityRunner(
                session,
                model,
                profile,
                identity=RunIdentity(run_id=f"errand-{number}", agent_id="small"),
                settings=RunSettings(model_writes_memory=False),
                watch=records.append,
            )
            result = await runner.run()
            expected = Outcome.DONE if profile.completion else Outcome.CLOSED
            assert (result.outcome, result.steps) == (expected, 1), result.final_screen
    assert result.final_screen == "Good-bye."
    assert log.read_text() == "rqq"
    for record in records:
        if isinstance(record, DecisionRecord):
            assert record.reply is not None
            assert record.repair is None
            assert msgspec.json.decode(record.reply.raw)["action"] == "press_key"
            assert record.reply.input_tokens
            assert record.reply.latency_s > 0


async def test_what_it_chooses_is_what_the_program_gets(model: Model, tmp_path: Path) -> None:
    log = tmp_path / "keys"
    profile = errand("Read the news: press r. Then quit: press q.", ("q", "r"))
    records: list[Record] = []
    program = Pty((sys.executable, str(PROGRAM), str(log)), dialect=XTERM)
    async with TerminalSession(program, agent_id="small", dialect=XTERM) as session:
        runner = ActivityRunner(
            session,
            model,
            profile,
            identity=RunIdentity(run_id="choice", agent_id="small"),
            settings=RunSettings(model_writes_memory=False),
            watch=records.append,
        )
        result = await runner.run()
        await session.observe_turn()
    chosen = [record.action for record in records if isinstance(record, DecisionRecord)]
    keys = "".join(action["arguments"]["key"] for action in chosen if action is not None)
    assert len(keys) == len(chosen) == result.steps
    assert log.read_text() == keys


async def test_the_same_question_gets_the_same_answer_from_the_cache(model: Model) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    prompt = Prompt(system="Answer with a number.", user="How many legs has a dog?", schema=schema)
    first, second = await model.complete(prompt), await model.complete(prompt)
    assert isinstance(msgspec.json.decode(first.text)["n"], int)
    assert second.text == first.text
    assert second.usage.cached_tokens
    assert (first.notes, first.attempts) == ((), 1)


async def test_an_answer_that_is_cut_is_a_reply(small_model: str) -> None:
    cut = make_model(model_config({"provider": "openai", "model": "small", "base_url": small_model, "max_tokens": 3}))
    reply = await cut.complete(Prompt(system="", user="Tell me a long story about a modem."))
    await cut.close()
    assert reply.stop_reason in STOPPED_BY_LIMIT
    assert reply.usage.output_tokens == 3
