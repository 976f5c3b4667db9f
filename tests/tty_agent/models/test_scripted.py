from __future__ import annotations

from pathlib import Path

import pytest

from tty_agent.models.answers import Answer
from tty_agent.models.model import Prompt, ProviderFault, Usage
from tty_agent.models.scripted import ScriptedModel, ScriptError, read_script

PROMPT = Prompt(system="", user="the screen")


async def test_replies_come_in_order_and_then_end() -> None:
    model = ScriptedModel(["a", "b"])
    assert [(await model.complete(PROMPT)).text for _ in range(2)] == ["a", "b"]
    with pytest.raises(ProviderFault, match="ended after 2 replies") as caught:
        await model.complete(PROMPT)
    assert (caught.value.kind, model.calls, model.last_prompt) == ("cut_off", 2, PROMPT)
    await model.close()


async def test_a_loop_begins_again() -> None:
    model = ScriptedModel(["a", "b"], loop=True)
    assert "".join([(await model.complete(PROMPT)).text for _ in range(5)]) == "ababa"


async def test_an_empty_script_ends_at_once() -> None:
    with pytest.raises(ProviderFault):
        await ScriptedModel([], loop=True).complete(PROMPT)


async def test_a_function_answers_the_prompt() -> None:
    model = ScriptedModel(lambda prompt: prompt.user.upper())
    assert (await model.complete(PROMPT)).text == "THE SCREEN"


async def test_a_script_may_fail_and_go_on() -> None:
    model = ScriptedModel([ProviderFault("server_error", "down"), "up"])
    with pytest.raises(ProviderFault, match="down"):
        await model.complete(PROMPT)
    assert (await model.complete(PROMPT)).text == "up"


async def test_replies_pass_the_output_filter_as_those_of_any_model() -> None:
    model = ScriptedModel(["<think>hm</think>x"])
    reply = await model.complete(PROMPT)
    assert (reply.raw, reply.text, reply.provider, reply.latency_s) == ("<think>hm</think>x", "x", "scripted", 0.0)


async def test_a_script_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text(
        '"plain text"\n'
        "\n"
        '{"action": "press_key", "arguments": {"key": "ä"}}\n'
        '{"reply": "x", "reasoning": "hm", "input_tokens": 5, "output_tokens": 1, "stop_reason": "length"}\n'
        '{"fault": "timeout", "message": "too slow"}\n'
    )
    plain, action, full, fault = read_script(file)
    assert plain == "plain text"
    assert action == '{"action": "press_key", "arguments": {"key": "ä"}}'
    usage = Usage(input_tokens=5, output_tokens=1)
    assert full == Answer(text="x", reasoning="hm", usage=usage, stop_reason="length")
    assert isinstance(fault, ProviderFault)
    assert (fault.kind, str(fault)) == ("timeout", "too slow")


@pytest.mark.parametrize("line", ["{", "3", "[]", '{"reply": "x", "tokens": 3}', '{"reply": "x", "input_tokens": "3"}'])
def test_a_line_that_is_no_reply_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "script.jsonl"
    file.write_text(f'"fine"\n{line}\n')
    with pytest.raises(ScriptError, match=r"^script\.jsonl, line 2: "):
        read_script(file)
