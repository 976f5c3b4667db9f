"""`trace show` and `trace recover`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tty_agent.trace_samples import a_decision, a_header, an_event

from tty_agent.trace.records import RepairRecord, ReplyRecord
from tty_agent.trace.writer import TraceWriter, encode_line


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A run of sixty steps; the third had to be repaired."""
    path = tmp_path / "run.jsonl"
    bad = ReplyRecord(raw="\x1b[2Jbad", text="bad", model="m", provider="p")
    with TraceWriter(path) as writer:
        writer.write(a_header(run_objective="win"))
        for step in range(1, 61):
            repair = RepairRecord(error="no JSON", prompt="again") if step == 3 else None
            writer.write(a_decision(step, reply=bad, repair=repair, system_prompt="contract"))
        writer.write(an_event("run_finished", 60, outcome="done", detail="out-42"))
    return path


def test_a_page_of_steps(run: Any, trace: Path) -> None:
    shown = run("trace", "show", trace)
    lines = shown.stdout.split("\n")
    assert lines[0] == "run-1  agent-001  scripted script  shell"
    assert lines[1].endswith("  60 steps  done: out-42")
    assert lines[2] == "objective: win"
    assert lines[5].split() == ["1", "press_key", "P", "stable", "tw2-command", "shell", "Command", "(?=Help)?"]
    assert shown.stderr == "10 more: --from 51\n"
    rest = run("trace", "show", trace, "--from", 51)
    assert rest.stdout.rstrip().split("\n")[-1].split()[0] == "60"
    assert rest.stderr == ""


def test_one_step_in_full(run: Any, trace: Path) -> None:
    shown = run("trace", "show", trace, "--step", 3)
    titles = [line for line in shown.stdout.split("\n") if line.startswith("=====")]
    assert titles == [
        "===== screen =====",
        "===== system =====",
        "===== prompt =====",
        "===== reply (p m, filter none) =====",
        "===== why it was asked again =====",
        "===== action =====",
    ]
    assert "\x1b" not in shown.stdout
    assert json.loads(run("trace", "show", trace, "--step", 3, "--json").stdout)["step"] == 3


def test_a_page_as_json_lines(run: Any, trace: Path) -> None:
    shown = run("trace", "show", trace, "--count", 2, "--json").stdout
    assert [json.loads(line)["step"] for line in shown.splitlines()] == [1, 2]


def test_a_step_that_is_not_there(run: Any, trace: Path) -> None:
    refused = run("trace", "show", trace, "--step", 61)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "it has steps 1 to 60" in refused.stderr


def test_what_is_no_trace(run: Any, tmp_path: Path) -> None:
    (tmp_path / "poem").write_text("roses\n")
    for command in (("show",), ("recover",), ("recover", "--write")):
        refused = run("trace", command[0], tmp_path / "poem", *command[1:])
        assert refused.exit_code == 1
        assert "is no trace" in refused.stderr
    assert run("trace", "show", tmp_path / "none").exit_code == 1
    assert (tmp_path / "poem").read_text() == "roses\n"


def test_recover_tells_and_only_then_cuts(run: Any, trace: Path) -> None:
    whole = trace.read_bytes()
    assert "the run was ended in order" in run("trace", "recover", trace).stdout
    torn = whole + encode_line(a_decision(61))[:50]
    trace.write_bytes(torn)
    told = run("trace", "recover", trace)
    assert (told.exit_code, trace.read_bytes()) == (0, torn)
    assert f"torn: 50 bytes after byte {len(whole)}" in told.stdout
    assert "--write" in told.stderr
    assert "are torn" in run("trace", "show", trace, "--from", 60).stderr
    trace.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert "60 steps  no end: killed or still running\n" in run("trace", "show", trace).stdout
    trace.write_bytes(torn)
    cut = run("trace", "recover", trace, "--write")
    assert (cut.exit_code, trace.read_bytes()) == (0, whole)
    assert trace.with_name("run.jsonl.torn").read_bytes() == torn[len(whole) :]
    assert "nothing was changed" in run("trace", "recover", trace, "--write").stderr
    assert json.loads(run("trace", "recover", trace, "--json").stdout)["torn_bytes"] == 0


def test_damage_in_the_middle_is_a_failure(run: Any, trace: Path) -> None:
    trace.write_bytes(trace.read_bytes() + b"oops\n" + encode_line(a_decision(61)))
    told = run("trace", "recover", trace)
    assert told.exit_code == 1
    assert "damaged at byte" in told.stdout
    assert "damaged in the middle" in told.stderr
