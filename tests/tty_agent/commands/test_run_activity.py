"""`run-activity` at a real program in a pseudo-terminal, with a script for a model."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.tty_agent.transports.loopback import free_port

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
    assert re.search(r"step 1/50 \(stable after \d\.\d s, prompt shell\) submit_line echo out", played.stderr)
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
    assert played.stdout.startswith("infra: server_error; nothing that the agent did\n0 steps")
    assert played.stderr == "error: server_error: 503: look at the server's log, or run it again later\n"


def test_a_script_that_ends_says_how_to_end_it(run: Any, script: Any) -> None:
    wait = '{"action": "wait", "arguments": {"seconds": 0}}'
    played = run("run-activity", "--target", SH, "--model", script(wait), "--quiet-ms", 100, "--quiet")
    assert played.stderr == (
        "error: cut_off: the script has ended after 1 replies: add a last reply that hangs up, or give --loop or"
        " --max-ticks\n"
    )


def test_a_server_that_is_not_there_is_named_with_each_retry(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    url = f"http://127.0.0.1:{free_port()}/v1"
    (tmp_path / "model.toml").write_text(
        f'[model]\nprovider = "openai"\nmodel = "m"\nbase_url = "{url}"\n'
        "[model.retries]\nmax_attempts = 2\nfirst_delay_s = 0.01\n"
    )
    options = ("--target", SH, "--model-config", "model.toml", "--quiet-ms", 100)
    played = run("run-activity", *options)
    assert played.exit_code == 1
    retry, error = played.stderr.splitlines()
    assert re.match(rf"  retry 2 of 2 in 0 s: {url} can't be reached: ", retry)
    assert re.match(rf"error: unreachable: {url} can't be reached: .*: is the server running there\?", error)
    assert "retry" not in run("run-activity", *options, "--quiet").stderr


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


def test_dry_run_with_a_picture_writes_nothing_either(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyansilove")
    shown = run("run-activity", "--target", SH, "--quiet-ms", 150, "--model", "openai:none", "--dry-run", "--png")
    assert shown.exit_code == 0, shown.stderr
    assert "A picture of it is attached." in shown.stdout
    assert list(tmp_path.iterdir()) == []


def test_pictures_go_by_the_run(run: Any, script: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyansilove")
    run(
        "run-activity",
        "--target",
        SH,
        "--model",
        script(),
        "--quiet-ms",
        150,
        "--max-ticks",
        1,
        "--run-id",
        "r1",
        "--png",
    )
    assert (tmp_path / "runtime/observations/r1/agent-001/step-0001.png").read_bytes().startswith(b"\x89PNG")


def test_without_the_extra_for_pictures_nobody_is_called(
    run: Any, script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    for options in ((), ("--dry-run",)):
        refused = run("run-activity", "--target", "telnet:127.0.0.1:1", "--model", script(), "--png", *options)
        assert refused.exit_code == 1
        assert refused.stderr == "error: pictures need numpy: pip install 'agentbbs[render]'\n"
        assert not (tmp_path / "runtime").exists()


def test_pictures_that_cannot_be_kept_are_infra_and_the_transcript_is_named(
    run: Any, script: Any, tmp_path: Path
) -> None:
    pytest.importorskip("pyansilove")
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime/observations").write_text("a file, no folder")
    played = run(
        "run-activity", "--target", SH, "--model", script(), "--quiet-ms", 150, "--run-id", "r1", "--png", "--json",
        "--quiet",
    )  # fmt: skip
    result = json.loads(played.stdout)
    assert (played.exit_code, result["infra"]["kind"]) == (1, "pictures")
    assert result["transcript_path"] == "runtime/runs/r1/agent-001.raw"


def test_a_script_shows_the_prompts_of_a_model_that_keeps_its_session(run: Any, script: Any, tmp_path: Path) -> None:
    options = ("--target", SH, "--model", script(), "--activity", "shell", "--quiet-ms", 150, "--stateful")
    run("run-activity", *options, "--run-id", "r1", "--prompt-mode", "stateful_delta")
    records = read_trace(tmp_path / "runtime/runs/r1/agent-001.jsonl")
    kinds = [record.prompt_kind for record in records if isinstance(record, DecisionRecord)]
    assert kinds == ["bootstrap", "delta"]


def test_runs_may_share_a_transcript(run: Any, script: Any, tmp_path: Path) -> None:
    parts = []
    for number in (1, 2):
        played = run(
            "run-activity", "--target", SH, "--model", script(), "--activity", "shell", "--quiet-ms", 150,
            "--run-id", f"r{number}", "--transcript", "shared/session.raw",
        )  # fmt: skip
        assert "transcript: shared/session.raw" in played.stdout
        trace = tmp_path / f"runtime/runs/r{number}/agent-001.jsonl"
        assert not trace.with_suffix(".raw").exists()
        decisions = [record for record in read_trace(trace) if isinstance(record, DecisionRecord)]
        assert {record.raw_bytes_path for record in decisions} == {"shared/session.raw"}
        parts.append((decisions[0].transcript_byte_start, decisions[-1].transcript_byte_end))
        shown = run("trace", "pretty", trace, "--control-markers")
        assert "out-42" in shown.stdout
    assert parts[0][0] == 0
    assert parts[0][1] <= parts[1][0] < parts[1][1]
    raw = (tmp_path / "shared/session.raw").read_bytes()
    assert [raw[start:end].count(b"\nout-42") for start, end in parts] == [1, 1]


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
        (["--model", "SCRIPT", "--activity", "chess"], 2, "there are stability-only, shell"),
        (["--model", "SCRIPT", "--target", "pty"], 2, "a target is pty:COMMAND"),
        (["--model", "SCRIPT", "--dialect", "vt52"], 2, "none of ansi-bbs, xterm"),
        (["--model", "SCRIPT", "--prompt-mode", "x"], 2, "none of stateless_full"),
        (["--model", "SCRIPT", "--prompt-mode", "stateful_delta"], 2, "needs a model that keeps its session"),
        (["--model", "SCRIPT", "--prompt-layout", "x"], 2, "none of timeline_first"),
        (["--model", "SCRIPT", "--allow", "fly"], 2, "none of press_key"),
        (["--model", "SCRIPT", "--done-when", "("], 2, "for --done-when: '(' is no regular expression"),
        (["--model", "SCRIPT", "--turn", "adaptive", "--quiet-ms", "9"], 2, "use --turn fixed"),
        (["--model", "SCRIPT", "--extra-body", "[1]"], 2, "no JSON object"),
        (["--model", "SCRIPT", "--model-config", "m.toml"], 2, "--model-config"),
        (["--model", "SCRIPT", "--base-url", "http://h/v1"], 2, "for --base-url: --base-url means nothing to the prov"),
        (["--model", "codex", "--session-file", "s"], 2, "for --session-file: --session-file needs --stateful"),
        (["--model", "openai:"], 2, "for --model: --model must name a model"),
        (["--model-config", "bad.toml"], 2, "for --model-config: bad.toml: model: "),
        (["--model", "scripted:bad.jsonl"], 2, "error: bad.jsonl, line 1: it is no JSON"),
        (["--model", "SCRIPT", "--run-id", "../up"], 2, "for --run-id: '../up' is no id of a run"),
        (["--model", "SCRIPT", "--agent-id", ""], 2, "for --agent-id: '' is no id of a agent"),
        (["--model", "SCRIPT", "--agent-id", "a.raw.sent"], 2, "for --agent-id: 'a.raw.sent' has .raw in it"),
        (["--model", "SCRIPT", "--agent-id", "a.jsonl"], 2, "for --agent-id: 'a.jsonl' has .jsonl in it"),
        (["--model", "SCRIPT", "--turn-timeout", "inf"], 2, "for '--turn-timeout': inf is more than it can be"),
        (["--model", "SCRIPT", "--max-seconds", "inf"], 2, "for '--max-seconds': inf is more than it can be"),
        (["--model", "SCRIPT", "--max-cost", "inf"], 2, "for '--max-cost': inf is more than it can be"),
        (
            ["--model", "openai:m", "--base-url", "http://u:p@h/v1"],
            2,
            "for --base-url: --base-url has a user or a pass",
        ),
        (["--model", "SCRIPT", "--allow", "hangup", "--disable", "hangup"], 2, "for --disable: hangup is allowed by"),
        (["--model", "SCRIPT", "--password-env", "NOPE"], 2, "for --password-env: it means nothing to a pty target"),
        (["--model", "SCRIPT", "--terminal-type", "vt52"], 2, "for --terminal-type: it means nothing to a pty"),
        (["--model", "SCRIPT", "--target", "telnet:h", "--user", "bob"], 2, "--user: it means nothing to a telnet"),
        (["--model", "SCRIPT", "--target", "rlogin:a@h", "--accept-new-host-key"], 2, "nothing to a rlogin target"),
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
    (tmp_path / "bad.jsonl").write_text("press q\n")
    (tmp_path / "bad.toml").write_text('provider = "gpt"\n')
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
def playing(model: str, folder: Path, *, target: str = SH) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own, which has made its first decision: to wait."""
    command = [
        sys.executable, "-m", "bbs_gym", "run-activity", "--target", target, "--model", model, "--quiet-ms", "100",
        "--run-id", "r1", "--loop",
    ]  # fmt: skip
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        assert process.stderr is not None
        assert ") wait 30" in process.stderr.readline()
        yield process


STUBBORN = (
    "import os, signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; print(os.getpid()); "
    "time.sleep(600)"
)
"""A program that only SIGKILL ends."""

WAIT = '{"action": "wait", "arguments": {"seconds": 30}}'


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
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


def test_a_second_signal_leaves_nothing_running(script: Any, tmp_path: Path) -> None:
    stubborn = f"pty:{sys.executable} -u -c '{STUBBORN}'"
    with playing(script(WAIT), tmp_path, target=stubborn) as process:
        transcript = tmp_path / "runtime/runs/r1/agent-001.raw"
        program = int(transcript.read_text().split()[0])
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        read = os.pidfd_open(program)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        try:
            assert process.returncode in {-signal.SIGINT, -signal.SIGTERM}
            assert select.select([read], [], [], 30)[0]
        finally:
            os.close(read)


def test_nobody_reads_the_steps_and_the_run_goes_on(script: Any, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "bbs_gym", "run-activity", "--target", SH, "--model", script(), "--quiet-ms", "100",
        "--activity", "shell",
    ]  # fmt: skip
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command, check=False, cwd=tmp_path, stdout=subprocess.PIPE, stderr=writing, text=True, timeout=60
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stdout.partition(":")[0]) == (0, "hangup")


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
