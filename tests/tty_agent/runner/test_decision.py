"""One decision: an answer, one repair, and whose fault it is when there is none."""

from __future__ import annotations

import asyncio
import time

import pytest

from tty_agent.actions.action import PressKey, TypeText
from tty_agent.actions.errors import ActionError
from tty_agent.actions.policy import ActionPolicy
from tty_agent.models.answers import Answer
from tty_agent.models.model import ModelReply, Prompt, ProviderFault, Usage
from tty_agent.models.scripted import Line, ScriptedModel
from tty_agent.runner.decision import Decision, Infra, decide

PROMPT = Prompt(system="contract", user="screen")
GOOD = '{"action": "press_key", "arguments": {"key": "P"}}'


async def decided(*replies: Line, policy: ActionPolicy | None = None) -> tuple[Decision, ScriptedModel]:
    model = ScriptedModel(replies)
    decision = await decide(model, PROMPT, policy or ActionPolicy(), asked_again, clock=time.monotonic)
    return decision, model


def asked_again(prompt: Prompt, reply: ModelReply, error: ActionError) -> Prompt:
    return Prompt(system=prompt.system, user=f"{prompt.user}|{reply.text}|{error}")


async def test_a_valid_answer_is_taken_with_its_reason() -> None:
    decision, model = await decided(f"Let me play. {GOOD}")
    assert decision.action == PressKey("P")
    assert decision.parsed is not None
    assert decision.parsed.reason == "Let me play."
    assert (decision.repair, decision.error, decision.fault, model.calls) == (None, None, None, 1)


async def test_a_wrong_answer_may_be_repaired_once() -> None:
    decision, model = await decided("I press P", GOOD)
    assert decision.action == PressKey("P")
    assert decision.repair is not None
    assert decision.repair.error in decision.repair.prompt.user
    assert decision.repair.prompt.user.startswith("screen|I press P|")
    assert decision.repair.error_after is None
    assert decision.reply is not None
    assert decision.reply.raw == "I press P"
    assert model.calls == 2


async def test_a_second_wrong_answer_is_the_end_of_it() -> None:
    decision, model = await decided("first", "second", GOOD)
    assert decision.action is None
    assert decision.error is not None
    assert decision.error_code is not None
    assert [reply.raw for reply in decision.replies] == ["first", "second"]
    assert model.calls == 2


async def test_the_repair_names_the_real_fault() -> None:
    """Case 128: a wrong shape is not answered with a hint about another one."""
    decision, _ = await decided('{"action": "submit_lines", "arguments": {"lines": "one"}}', GOOD)
    assert decision.repair is not None
    assert "not available" in decision.repair.error
    decision, _ = await decided('{"action": "press_key", "arguments": {"key": 7, "text": "x"}}', GOOD)
    assert decision.repair is not None
    assert "text" in decision.repair.error


async def test_what_the_policy_refuses_may_be_repaired_too() -> None:
    decision, _ = await decided('{"action": "type_text", "arguments": {"text": "aaaa"}}', GOOD)
    assert decision.action == TypeText("aaaa")
    decision, _ = await decided(
        '{"action": "type_text", "arguments": {"text": "aaaa"}}', GOOD, policy=ActionPolicy(max_text_chars=3)
    )
    assert decision.action == PressKey("P")
    assert decision.repair is not None


@pytest.mark.parametrize("before", [[], ["nonsense"]])
async def test_a_provider_that_fails_is_infra_and_no_error_of_the_agent(before: list[Line]) -> None:
    decision, _ = await decided(*before, ProviderFault("server_error", "503 from the server", attempts=4))
    assert decision.fault == Infra("server_error", "503 from the server", 4)
    assert (decision.action, decision.error) == (None, None)
    assert [reply.raw for reply in decision.replies] == before


async def test_usage_and_cost_are_of_both_calls() -> None:
    first = Answer(text="bad", usage=Usage(input_tokens=100, output_tokens=10))
    second = Answer(text=GOOD, usage=Usage(input_tokens=150, output_tokens=20))
    decision, _ = await decided(first, second)
    assert (decision.input_tokens, decision.output_tokens, decision.cost_usd) == (250, 30, None)
    decision, _ = await decided(GOOD)
    assert (decision.input_tokens, decision.output_tokens) == (None, None)


class Thinking:
    """A model that never answers, or only after a first wrong answer."""

    name, provider, stateful = "thinker", "scripted", False

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.cancelled = False

    async def complete(self, prompt: Prompt) -> ModelReply:
        if self._answers:
            text = self._answers.pop(0)
            return ModelReply(raw=text, text=text, model=self.name, provider=self.provider)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        raise AssertionError

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("answers", [[], ["bad"]])
async def test_a_call_that_takes_too_long_is_cancelled(answers: list[str]) -> None:
    model = Thinking(*answers)
    decision = await decide(
        model, PROMPT, ActionPolicy(), asked_again, clock=time.monotonic, deadline=time.monotonic() + 0.05
    )
    assert decision.out_of_time
    assert model.cancelled
    assert (decision.action, decision.error, decision.fault) == (None, None, None)
    assert decision.latency_s >= 0.04


async def test_no_time_left_is_no_call() -> None:
    model = Thinking()
    decision = await decide(model, PROMPT, ActionPolicy(), asked_again, clock=lambda: 10.0, deadline=9.0)
    assert decision.out_of_time


async def test_cancelling_the_decision_cancels_the_call() -> None:
    model = Thinking()
    task = asyncio.create_task(decide(model, PROMPT, ActionPolicy(), asked_again, clock=time.monotonic))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.cancelled
