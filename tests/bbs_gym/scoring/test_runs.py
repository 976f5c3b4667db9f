"""Folders of runs: whole, killed, damaged and empty."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from tests.bbs_gym.scoring.boards_sample import WHEN, a_run, a_trace, stopped

from bbs_gym.scoring.runs import RunFault, read_run, read_score, run_folders


def test_a_match_that_ended(tmp_path: Path) -> None:
    slow = stopped("b", infra_suspect="turns took 9 s", unpriced_calls=10, uncounted_calls=10)
    run = read_run(a_run(tmp_path / "duel-1", slow, stopped("a"), seed=7))
    assert (run.match_id, run.name, run.seed, run.finished, run.stopped_by) == (
        "duel-1",
        "duel",
        7,
        True,
        "all_stopped",
    )
    first, second = run.participants
    assert (first.agent_id, first.alias, first.model, first.void) == ("a", "A", "model-a", False)
    assert (first.decisions, first.tokens, first.cost_usd) == (10, 120, 0.25)
    assert (second.tokens, second.cost_usd, second.infra_suspect) == (None, None, "turns took 9 s")
    assert len(run.manifest_sha256) == 64
    assert run.faults == ()


@pytest.mark.parametrize("reason", ["infra", "interrupted"])
def test_what_infrastructure_ended_is_void(reason: str, tmp_path: Path) -> None:
    run = read_run(a_run(tmp_path / "r", stopped("a", stop_reason=reason), stopped("b", void=True)))
    assert [one.void for one in run.participants] == [True, True]


def test_a_match_that_was_killed_is_void_and_tells_what_its_traces_tell(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"), ended=False)
    a_trace(folder, "b", "one", "two", ended=False)
    with (folder / "match.jsonl").open("ab") as file:
        file.write(b'{"event": "action_com')
    run = read_run(folder)
    assert not run.finished
    assert [(one.agent_id, one.void) for one in run.participants] == [("a", True), ("b", True)]
    assert run.participants[1].stop_reason == "unfinished"
    assert run.participants[1].model == "model-b"
    assert run.faults == ()


def test_a_match_that_was_gone_on_with_and_then_killed_has_no_end(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"))
    line = {"event": "match_resumed", "seq": 9, "timestamp": WHEN, "data": {"participants": ["a"]}}
    with (folder / "match.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(line) + b"\n")
    run = read_run(folder)
    assert (run.finished, run.participants[0].void) == (False, True)


def test_a_folder_with_a_manifest_and_nothing_else(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"))
    (folder / "match.jsonl").unlink()
    run = read_run(folder)
    assert not run.finished
    assert [(one.agent_id, one.void, one.decisions) for one in run.participants] == [("a", True, 0)]


def test_one_agents_run_without_a_match(tmp_path: Path) -> None:
    a_trace(tmp_path / "first", "agent-001", "ls", profile="shell", outcome="budget", limit="decision_ticks")
    run = read_run(tmp_path / "first")
    (one,) = run.participants
    assert run.finished
    assert (one.agent_id, one.stop_reason, one.void, one.decisions) == ("agent-001", "decision_ticks", False, 1)


def test_one_agents_run_that_was_killed(tmp_path: Path) -> None:
    a_trace(tmp_path / "first", "agent-001", "ls", ended=False)
    run = read_run(tmp_path / "first")
    assert (run.finished, run.participants[0].void) == (False, True)


def test_damage_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"), stopped("b"))
    (folder / "manifest.json").write_bytes(b'{"match_id": "r"')
    content = (folder / "match.jsonl").read_bytes()
    (folder / "match.jsonl").write_bytes(b"\x1b[2J no event\n" + content)
    (folder / "c.jsonl").write_bytes(b"no trace\n")
    run = read_run(folder)
    assert [one.agent_id for one in run.participants] == ["a", "b"]
    assert run.finished
    assert len(run.faults) == 3
    assert all("\x1b" not in fault for fault in run.faults)


@pytest.mark.parametrize("name", ["match.jsonl", "manifest.json", "a.jsonl"])
def test_files_cut_at_any_byte_are_read(name: str, tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"), stopped("b"))
    a_trace(folder, "a", "hello")
    whole = (folder / name).read_bytes()
    for end in range(0, len(whole), max(1, len(whole) // 40)):
        (folder / name).write_bytes(whole[:end])
        (folder / "a.jsonl.index").unlink(missing_ok=True)
        run = read_run(folder)
        assert {one.agent_id for one in run.participants} >= {"a"}


def test_a_folder_with_nothing_of_a_run(tmp_path: Path) -> None:
    for wrong in (tmp_path, tmp_path / "missing"):
        with pytest.raises(RunFault):
            read_run(wrong)


def test_folders_of_runs_by_name_and_nothing_else(tmp_path: Path) -> None:
    a_run(tmp_path / "b", stopped("a"))
    a_trace(tmp_path / "a", "agent-001", "x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    assert [one.name for one in run_folders(tmp_path)] == ["a", "b"]
    assert run_folders(tmp_path / "b") == (tmp_path / "b",)
    assert run_folders(tmp_path / "empty") == ()
    with pytest.raises(RunFault):
        run_folders(tmp_path / "file")


def test_a_pipe_in_the_folder_holds_nobody_up(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"))
    os.mkfifo(folder / "b.jsonl")
    assert [one.agent_id for one in read_run(folder).participants] == ["a"]


def test_a_score_that_is_none(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"))
    assert read_score(folder) is None
    (folder / "score.json").write_text("{}")
    with pytest.raises(RunFault, match="score the run again"):
        read_score(folder)
