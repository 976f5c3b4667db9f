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

ANSWERS = """
def event(**fields):
    print(json.dumps(fields), flush=True)
resumed = ARGS[ARGS.index("resume"):][-2] if "resume" in ARGS else None
event(type="thread.started", thread_id=resumed or f"thread-{CALL}")
event(type="turn.started")
event(type="item.completed", item={"id": "0", "type": "reasoning", "text": "press q"})
event(type="item.completed", item={"id": "1", "type": "agent_message", "text": f"answer {CALL}"})
event(type="turn.completed", usage={"input_tokens": 1000 * (CALL + 1), "cached_input_tokens": 400 * CALL,
                                    "output_tokens": 50 * (CALL + 1)})
open(option("--output-last-message"), "w").write(f"answer {CALL}")
"""


@asynccontextmanager
async def codex(program: FakeProgram, pauses: Pauses | None = None, **settings: Any) -> AsyncIterator[Model]:
    config = model_config({"provider": "codex", "command": program.command, **settings})
    model = make_model(config, retrying=(pauses or Pauses()).retrying(config.retries))
    try:
        yield model
    finally:
        await model.close()


async def test_a_stateless_call(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    async with codex(program, model="gpt-x") as model:
        reply = await model.complete(PROMPT)
        await model.complete(PROMPT)
    first, second = program.calls
    assert first["args"][:2] == ["exec", "--json"]
    assert first["args"][-1] == "-"
    assert {"--ephemeral", "--skip-git-repo-check", "features.shell_tool=false"} <= set(first["args"])
    assert (after(first, "--sandbox"), after(first, "--model")) == ("read-only", "gpt-x")
    assert first["stdin"] == "the contract\n\nthe screen" == second["stdin"]
    assert "resume" not in second["args"]
    assert first["left_in_cwd"] == []
    assert (reply.text, reply.raw) == ("answer 0", "<think>press q</think>\nanswer 0")
    assert (reply.provider, reply.model, reply.session_id) == ("codex", "gpt-x", "thread-0")
    assert reply.usage == Usage(input_tokens=1000, output_tokens=50, cached_tokens=0)


async def test_nothing_of_the_prompt_is_an_argument(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    async with codex(program) as model:
        await model.complete(PROMPT)
    assert not [arg for arg in program.calls[0]["args"] if "contract" in arg or "screen" in arg]


def exists(path: str) -> bool:
    return Path(path).exists()


async def test_a_stateful_model_resumes_its_session(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    delta = Prompt(system="the contract", user="what is new")
    async with codex(program, stateful=True) as model:
        assert model.stateful
        replies = [await model.complete(PROMPT), await model.complete(delta), await model.complete(delta)]
    first, second, third = program.calls
    assert "--ephemeral" not in first["args"]
    assert second["args"][-3:] == ["resume", "thread-0", "-"] == third["args"][-3:]
    assert (second["stdin"], third["stdin"]) == ("what is new", "what is new")
    assert first["cwd"] == second["cwd"] == third["cwd"]
    assert [reply.session_id for reply in replies] == ["thread-0"] * 3
    assert not exists(first["cwd"])


async def test_tokens_of_a_resumed_session_are_counted_by_call(tmp_path: Path) -> None:
    async with codex(FakeProgram(tmp_path, ANSWERS), stateful=True) as model:
        usages = [(await model.complete(PROMPT)).usage for _ in range(3)]
    assert usages == [
        Usage(input_tokens=1000, output_tokens=50, cached_tokens=0),
        Usage(input_tokens=1000, output_tokens=50, cached_tokens=400),
        Usage(input_tokens=1000, output_tokens=50, cached_tokens=400),
    ]


async def test_a_changed_system_text_is_told_again(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    async with codex(program, stateful=True) as model:
        await model.complete(PROMPT)
        await model.complete(Prompt(system="another contract", user="delta"))
        await model.complete(Prompt(system="another contract", user="delta"))
    assert [call["stdin"] for call in program.calls[1:]] == ["another contract\n\ndelta", "delta"]


async def test_images_and_a_schema_are_files(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    prompt = Prompt(system="", user="look", schema={"type": "object"}, images=(b"PNG one", b"PNG two"))
    async with codex(program, stateful=True, json_schema=True) as model:
        await model.complete(prompt)
        await model.complete(prompt)
    for call in program.calls:
        images = [arg.removeprefix("--image=") for arg in call["args"] if arg.startswith("--image=")]
        assert [call["files"][image] for image in images] == ["PNG one", "PNG two"]
        assert json.loads(call["files"][after(call, "--output-schema")]) == {"type": "object"}
    resumed = program.calls[1]["args"]
    assert resumed.index("--output-schema") < resumed.index("resume") < len(resumed) - 4


async def test_the_callers_own_options_are_passed_on(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    async with codex(program, extra_args=["-c", "model_reasoning_effort=low"]) as model:
        await model.complete(PROMPT)
    assert "model_reasoning_effort=low" in program.calls[0]["args"]


async def test_without_a_file_the_last_message_event_counts(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS.replace("open(", "0 and open("))
    async with codex(program) as model:
        assert (await model.complete(PROMPT)).text == "answer 0"


async def test_an_answer_of_nothing_is_a_reply(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, 'print(\'{"type": "turn.completed", "usage": null}\')')
    async with codex(program) as model:
        reply = await model.complete(PROMPT)
    assert (reply.text, reply.usage) == ("", Usage())


FAILS_TWICE = """
if CALL < 2:
    print(json.dumps({"type": "error", "message": "Reconnecting... 1/5"}))
    print(json.dumps({"type": "turn.failed", "error": {"message": "unexpected status 503 Service Unavailable"}}))
    sys.exit(1)
"""


async def test_a_failed_turn_is_repeated_when_the_provider_is_down(tmp_path: Path) -> None:
    pauses = Pauses()
    async with codex(FakeProgram(tmp_path, FAILS_TWICE + ANSWERS), pauses) as model:
        reply = await model.complete(PROMPT)
    assert (reply.text, reply.attempts) == ("answer 2", 3)
    assert pauses.taken == [1.0, 2.0]


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("print('not logged in', file=sys.stderr); sys.exit(1)", "unauthorized", "not logged in"),
        ("print('unknown option', file=sys.stderr); sys.exit(2)", "exited", "unknown option"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "exited", "exit code -9"),
    ],
)
async def test_a_program_that_fails(tmp_path: Path, body: str, kind: str, words: str) -> None:
    async with codex(FakeProgram(tmp_path, body)) as model:
        with pytest.raises(ProviderFault, match=words) as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, caught.value.attempts) == (kind, 1)
