"""`run-activity` at a real program in a pseudo-terminal, with a script for a model."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tty_agent.trace.records import DecisionRecord, EventRecord, Header, read_trace

SH = "pty:sh -i"
pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")


def test_a_script_plays_a_shell_and_everything_is_on_record(run: Any, script: Any, tmp_path: Path) -> None:
    played = run(
        "run-activity", "--target", SH, "--model", script(), "--activity", "shell", "--run-id", "r1", "--quiet-ms", 150,
        "--objective", "multiply",
    )  # fmt: skip
    assert played.exit_code == 0, played.stderr
    assert played.stdout.startswith("hangup: the agent hung up\n2 steps, 0 without a valid action")
    assert "step 1/50  submit_line echo out-$((6*7))  (stable, prompt shell" in played.stderr
    header, *_, end = records = list(read_trace(tmp_path / "runtime/runs/r1/agent-001.jsonl"))
    decisions = [record for record in records if isinstance(record, DecisionRecord)]
    assert isinstance(header, Header)
    assert header.raw_bytes_path == "runtime/runs/r1/agent-001.raw"
    assert header.config["terminal"]["target"] == SH
    assert header.config["model"]["provider"] == "scripted"
    assert "out-42" in decisions[1].pretty_screen
    assert decisions[1].matched_prompt == "shell"
    raw = (tmp_path / "runtime/runs/r1/agent-001.raw").read_bytes()
    assert b"out-42" in raw[decisions[1].transcript_byte_start : decisions[1].transcript_byte_end]
    assert decisions[0].transcript_byte_end == decisions[1].transcript_byte_start
    assert isinstance(end, EventRecord)
    assert (end.event, end.data["outcome"]) == ("run_finished", "hangup")


def test_the_result_as_json(run: Any, script: Any) -> None:
    played = run(
        "run-activity", "--target", SH, "--model", script(), "--activity", "shell", "--quiet-ms", 150, "--json",
        "--quiet", "--max-ticks", 1,
    )  # fmt: skip
    result = json.loads(played.stdout)
    assert (result["outcome"], result["limit"], result["steps"]) == ("budget", "decision_ticks", 1)
    assert played.stderr == ""


def test_done_when_a_row_shows_it(run: Any, script: Any) -> None:
    played = run(
        "run-activity", "--target", SH, "--model", script(), "--done-when", "^out-42$", "--failed-when", "^never$",
        "--quiet-ms", 150,
    )  # fmt: skip
    assert (played.exit_code, played.stdout.split("\n")[0]) == (0, "done: the screen shows 'out-42'")


def test_a_program_that_ends_closes_the_run(run: Any, script: Any) -> None:
    leave = '{"action": "submit_line", "arguments": {"text": "exit 3"}}'
    played = run("run-activity", "--target", SH, "--model", script(leave), "--quiet-ms", 150)
    assert played.exit_code == 0
    assert played.stdout.startswith("closed: ")


def test_a_model_that_fails_is_infra_and_exit_code_1(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"fault": "server_error", "message": "503"}\n')
    played = run("run-activity", "--target", SH, "--model", f"scripted:{path}", "--quiet-ms", 150)
    assert played.exit_code == 1
    assert played.stdout.startswith("infra: server_error: 503\n0 steps")
    assert "nothing that the agent did" in played.stderr


def test_dry_run_prints_the_exact_first_prompt_and_asks_nobody(run: Any, script: Any, tmp_path: Path) -> None:
    options = (
        "--target", SH, "--activity", "shell", "--objective", "multiply", "--quiet-ms", 150, "--disable", "wait",
    )  # fmt: skip
    shown = run("run-activity", *options, "--model", "openai:none", "--dry-run", "--json")
    assert shown.exit_code == 0, shown.stderr
    assert not (tmp_path / "runtime").exists()
    prompt = json.loads(shown.stdout)
    run("run-activity", *options, "--model", script(), "--run-id", "r1")
    first = next(
        record
        for record in read_trace(tmp_path / "runtime/runs/r1/agent-001.jsonl")
        if isinstance(record, DecisionRecord)
    )
    assert prompt["system"] == first.system_prompt
    assert prompt["user"] == first.prompt
    assert "wait" not in prompt["schema"]["properties"]["action"]["enum"]
    text = run("run-activity", *options, "--model", "openai:none", "--dry-run").stdout
    assert [line for line in text.split("\n") if line.startswith("=====")] == [
        "===== system =====", "===== user =====", "===== schema =====",
    ]  # fmt: skip


def test_a_memory_file_lives_from_run_to_run(run: Any, script: Any, tmp_path: Path) -> None:
    memory = tmp_path / "memory.json"
    for number in (1, 2):
        run(
            "run-activity", "--target", SH, "--model", script(), "--activity", "shell", "--campaign-memory", memory,
            "--quiet-ms", 150, "--run-id", f"r{number}",
        )  # fmt: skip
        assert len(json.loads(memory.read_text())["commits"]) == number


@pytest.mark.parametrize(
    ("options", "code", "fault"),
    [
        ([], 2, "--model"),
        (["--model", "gpt"], 2, "is no provider"),
        (["--model", "SCRIPT", "--activity", "chess"], 2, "none of stability-only, shell"),
        (["--model", "SCRIPT", "--target", "pty"], 2, "a target is pty:COMMAND"),
        (["--model", "SCRIPT", "--dialect", "vt52"], 2, "none of ansi-bbs, xterm"),
        (["--model", "SCRIPT", "--prompt-mode", "x"], 2, "none of stateless_full"),
        (["--model", "SCRIPT", "--prompt-layout", "x"], 2, "none of timeline_first"),
        (["--model", "SCRIPT", "--allow", "fly"], 2, "none of press_key"),
        (["--model", "SCRIPT", "--done-when", "("], 2, "no regular expression"),
        (["--model", "SCRIPT", "--turn", "adaptive", "--quiet-ms", "9"], 2, "use --turn fixed"),
        (["--model", "SCRIPT", "--extra-body", "[1]"], 2, "no JSON object"),
        (["--model", "SCRIPT", "--model-config", "m.toml"], 2, "--model-config"),
        (["--model", "SCRIPT", "--base-url", "http://h/v1"], 1, "means nothing to the provider scripted"),
        (["--model", "SCRIPT", "--run-id", "../up"], 1, "no id of a run"),
        (["--model", "scripted:none.jsonl"], 1, "none.jsonl: No such file"),
        (["--model", "SCRIPT", "--target", "pty:no-such-program-here"], 1, "no program no-such-program-here"),
        (["--model", "SCRIPT", "--target", "telnet:127.0.0.1:1"], 1, "start the server"),
        (["--model", "SCRIPT", "--password-env", "NOT_SET", "--target", "rlogin:a@127.0.0.1:1"], 1, "NOT_SET"),
    ],
)
def test_what_is_wrong_is_one_line_with_a_remedy(
    run: Any, script: Any, tmp_path: Path, options: list[str], code: int, fault: str
) -> None:
    given = [script() if option == "SCRIPT" else option for option in options]
    target = [] if "--target" in given else ["--target", SH]
    refused = run("run-activity", *target, *given)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert refused.stderr.startswith("error: ")
    assert refused.stderr.count("\n") == 1
    assert fault in refused.stderr
    assert not list(tmp_path.glob("runtime/runs/*"))


def test_a_run_is_never_written_over(run: Any, script: Any) -> None:
    options = (
        "run-activity",
        "--target",
        SH,
        "--model",
        script(),
        "--run-id",
        "r1",
        "--quiet-ms",
        150,
        "--max-ticks",
        1,
    )
    assert run(*options).exit_code == 0
    again = run(*options)
    assert again.exit_code == 1
    assert "give the run another name" in again.stderr


@contextmanager
def playing(model: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own, which has made its first decision: to wait."""
    command = [
        sys.executable, "-m", "bbs_gym", "run-activity", "--target", SH, "--model", model, "--quiet-ms", "100",
        "--run-id", "r1", "--loop",
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("step 1/50  wait 30")
        yield process


WAIT = '{"action": "wait", "arguments": {"seconds": 30}}'


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_in_order(script: Any, tmp_path: Path, number: signal.Signals, code: int) -> None:
    with playing(script(WAIT), tmp_path) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert out.startswith("interrupted: the run was cancelled\n1 steps")
    assert "Traceback" not in err
    *_, end = read_trace(tmp_path / "runtime/runs/r1/agent-001.jsonl")
    assert isinstance(end, EventRecord)
    assert end.data["outcome"] == "interrupted"


def test_a_killed_run_is_there_to_its_last_decision(run: Any, script: Any, tmp_path: Path) -> None:
    with playing(script(WAIT), tmp_path) as process:
        process.kill()
    trace = tmp_path / "runtime/runs/r1/agent-001.jsonl"
    assert [record.step for record in read_trace(trace) if isinstance(record, DecisionRecord)] == [1]
    assert trace.with_suffix(".raw").stat().st_size > 0
    told = run("trace", "recover", trace)
    assert told.exit_code == 0
    assert "1 steps, the last one is 1; the run has no end: it was killed" in told.stdout
    assert "wait 30" in run("trace", "show", trace).stdout
