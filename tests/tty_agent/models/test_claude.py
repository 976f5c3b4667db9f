from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.tty_agent.models.fake_program import FakeProgram, after
from tests.tty_agent.models.virtual_pauses import Pauses

from tty_agent.models.catalog import make_model, model_config
from tty_agent.models.model import Model, Prompt, ProviderFault, Usage

PROMPT = Prompt(system="the contract", user="the screen", schema={"type": "object"})

RESULT = """
result = {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 5, "num_turns": 1,
          "result": f"answer {CALL}", "session_id": f"session-{CALL}",
          "total_cost_usd": 0.25, "stop_reason": "end_turn",
          "usage": {"input_tokens": 3, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 900,
                    "output_tokens": 40}}
"""
ANSWERS = RESULT + "print(json.dumps(result))"


@asynccontextmanager
async def claude(program: FakeProgram, pauses: Pauses | None = None, **settings: Any) -> AsyncIterator[Model]:
    config = model_config({"provider": "claude", "command": program.command, **settings})
    model = make_model(config, retrying=(pauses or Pauses()).retrying(config.retries))
    try:
        yield model
    finally:
        await model.close()


async def test_a_stateless_call(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    async with claude(program, model="haiku") as model:
        reply = await model.complete(PROMPT)
    [call] = program.calls
    assert call["args"][:3] == ["-p", "--output-format", "json"]
    assert (after(call, "--tools"), after(call, "--model")) == ("", "haiku")
    assert "--no-session-persistence" in call["args"]
    assert call["stdin"] == "the screen"
    assert call["files"][after(call, "--system-prompt-file")] == "the contract"
    assert not [arg for arg in call["args"] if "contract" in arg or "screen" in arg]
    assert call["left_in_cwd"] == []
    assert (reply.text, reply.stop_reason, reply.session_id) == ("answer 0", "end_turn", "session-0")
    assert reply.usage == Usage(input_tokens=1003, output_tokens=40, cached_tokens=900)
    assert (reply.cost_usd, reply.provider, reply.model) == (0.25, "claude", "haiku")


async def test_a_stateful_model_resumes_the_latest_session_in_the_same_folder(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    async with claude(program, stateful=True) as model:
        for _ in range(3):
            await model.complete(PROMPT)
    first, second, third = program.calls
    assert "--resume" not in first["args"]
    assert "--no-session-persistence" not in first["args"]
    assert (after(second, "--resume"), after(third, "--resume")) == ("session-0", "session-1")
    assert first["cwd"] == second["cwd"] == third["cwd"]
    assert second["files"][after(second, "--system-prompt-file")] == "the contract"


async def test_images_go_as_a_streamed_message(tmp_path: Path) -> None:
    program = FakeProgram(
        tmp_path, RESULT + 'print(json.dumps({"type": "system", "subtype": "init"})); print(json.dumps(result))'
    )
    async with claude(program) as model:
        reply = await model.complete(Prompt(system="", user="look", images=(b"PNG",)))
    [call] = program.calls
    assert (after(call, "--input-format"), after(call, "--output-format")) == ("stream-json", "stream-json")
    image, text = json.loads(call["stdin"])["message"]["content"]
    assert image["source"] == {"type": "base64", "media_type": "image/png", "data": "UE5H"}
    assert text == {"type": "text", "text": "look"}
    assert reply.text == "answer 0"


async def test_a_list_of_messages_is_read_too(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, RESULT + 'print("warning: old"); print(json.dumps([{"type": "system"}, result]))')
    async with claude(program) as model:
        assert (await model.complete(PROMPT)).text == "answer 0"


async def test_an_answer_of_nothing_is_a_reply(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, RESULT + 'result["result"] = ""; print(json.dumps(result))')
    async with claude(program) as model:
        assert (await model.complete(PROMPT)).text == ""


async def test_an_overloaded_provider_is_asked_again(tmp_path: Path) -> None:
    fails = """
if CALL == 0:
    print(json.dumps({"type": "result", "subtype": "success", "is_error": True, "result": "API Error: 529 Overloaded"}))
    sys.exit(1)
"""
    pauses = Pauses()
    async with claude(FakeProgram(tmp_path, fails + ANSWERS), pauses) as model:
        reply = await model.complete(PROMPT)
    assert (reply.text, reply.attempts, pauses.taken) == ("answer 1", 2, [1.0])


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            'print(json.dumps({"type": "result", "is_error": True, "result": "Invalid API key"}))',
            "unauthorized",
            "Invalid API key",
        ),
        (
            'print(json.dumps({"type": "result", "subtype": "error_during_execution", "is_error": True}))',
            "exited",
            "error_during_execution",
        ),
        ("print('boom', file=sys.stderr); sys.exit(3)", "exited", "boom"),
    ],
)
async def test_a_program_that_fails(tmp_path: Path, body: str, kind: str, words: str) -> None:
    async with claude(FakeProgram(tmp_path, body)) as model:
        with pytest.raises(ProviderFault, match=words) as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, caught.value.attempts) == (kind, 1)


async def test_a_program_that_prints_no_result_is_asked_again(tmp_path: Path) -> None:
    async with claude(FakeProgram(tmp_path, "if CALL == 0: print('hm'); sys.exit(0)\n" + ANSWERS)) as model:
        assert (await model.complete(PROMPT)).attempts == 2
