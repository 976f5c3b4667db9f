from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.tty_agent.models.fake_program import FakeProgram, after
from tests.tty_agent.models.test_claude import ANSWERS, PROMPT, claude

from tty_agent.models.model import ProviderFault

LOSES_OTHERS = """
if "--resume" in ARGS and option("--resume") != "session-0":
    print("No conversation found with session ID: " + option("--resume"), file=sys.stderr)
    sys.exit(1)
"""


def session_file(tmp_path: Path, **changes: Any) -> Path:
    file = tmp_path / "sessions" / "agent.json"
    file.parent.mkdir()
    known = {"session_id": "old", "provider": "claude", "model": "claude-default", "system_sha256": ""}
    file.write_text(json.dumps(known | changes))
    return file


async def test_a_session_goes_on_in_another_run(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    file = tmp_path / "sessions" / "agent.json"
    for _ in range(2):
        async with claude(program, stateful=True, session_file=str(file)) as model:
            await model.complete(PROMPT)
    first, second = program.calls
    assert "--resume" not in first["args"]
    assert after(second, "--resume") == "session-0"
    assert first["cwd"] == second["cwd"] == str(tmp_path / "sessions" / "agent.work")
    assert json.loads(file.read_text())["session_id"] == "session-1"


async def test_a_session_of_the_file_that_is_gone_is_replaced_and_noted(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, LOSES_OTHERS + ANSWERS)
    async with claude(program, stateful=True, session_file=str(session_file(tmp_path))) as model:
        reply = await model.complete(PROMPT)
    assert after(program.calls[0], "--resume") == "old"
    assert "--resume" not in program.calls[1]["args"]
    assert reply.notes == ("the session of the session file is gone: a new session begins",)


async def test_a_session_that_is_lost_during_a_run_is_a_fault(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, LOSES_OTHERS.replace('!= "session-0"', "") + ANSWERS)
    async with claude(program, stateful=True) as model:
        await model.complete(PROMPT)
        with pytest.raises(ProviderFault, match="No conversation found") as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, len(program.calls)) == ("bad_request", 2)


async def test_the_session_of_another_model_is_left_alone_and_noted(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    file = session_file(tmp_path, model="opus")
    async with claude(program, stateful=True, session_file=str(file)) as model:
        replies = [await model.complete(PROMPT), await model.complete(PROMPT)]
    assert "--resume" not in program.calls[0]["args"]
    assert [reply.notes for reply in replies] == [
        ("the session file is of claude opus: a new session begins",),
        (),
    ]


async def test_a_session_file_that_cannot_be_written_is_noted(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    folder = tmp_path / "agent.json"
    folder.mkdir()
    async with claude(program, stateful=True, session_file=str(folder)) as model:
        reply = await model.complete(PROMPT)
    assert reply.text == "answer 0"
    assert any("can't be written" in note for note in reply.notes)


async def test_a_provider_that_names_no_session_cannot_be_stateful(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS.replace("print(", 'del result["session_id"]; print('))
    async with claude(program, stateful=True) as model:
        with pytest.raises(ProviderFault, match="named no session"):
            await model.complete(PROMPT)


async def test_a_program_that_is_not_installed(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, ANSWERS)
    async with claude(program, command=["no-such-claude"]) as model:
        with pytest.raises(ProviderFault, match="no-such-claude is not installed") as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, caught.value.retryable) == ("missing", False)


async def test_a_hung_program_times_out(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, "time.sleep(300)")
    async with claude(program, timeout_s=0.2, retries={"max_attempts": 1}) as model:
        with pytest.raises(ProviderFault) as caught:
            await model.complete(PROMPT)
    assert (caught.value.kind, caught.value.attempts) == ("timeout", 1)


async def test_no_file_of_a_call_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    program = FakeProgram(tmp_path, ANSWERS)
    async with claude(program, stateful=True) as model:
        await model.complete(PROMPT)
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


async def test_two_models_at_once_keep_their_sessions_apart(tmp_path: Path) -> None:
    one, two = FakeProgram(tmp_path / "one", ANSWERS), FakeProgram(tmp_path / "two", ANSWERS)
    async with claude(one, stateful=True) as first, claude(two, stateful=True) as second:
        await asyncio.gather(first.complete(PROMPT), second.complete(PROMPT))
        await first.complete(PROMPT)
    assert after(one.calls[1], "--resume") == "session-0"
    assert one.calls[0]["cwd"] != two.calls[0]["cwd"]
