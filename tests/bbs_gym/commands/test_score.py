"""`score` and `runs` as commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.bbs_gym.scoring.boards_sample import a_run, a_trace, keep_state, stopped
from tests.bbs_gym.scoring.test_score_run import AFTER, BEFORE, SETTINGS
from typer.testing import CliRunner

from bbs_gym.commands import runs, score
from tty_agent.commands.command_line import CommandLine, group


def _about() -> None:
    """The commands of this file."""


@pytest.fixture
def call() -> Callable[..., Any]:
    """`bbs-gym` with these commands alone."""
    app = group(_about, cls=CommandLine, name="bbs-gym")
    app.command()(score.score)
    of_runs = group(runs.runs)
    of_runs.command("list")(runs.list_runs)
    of_runs.command("show")(runs.show)
    app.add_typer(of_runs, name="runs")
    return lambda *args: CliRunner().invoke(app, [str(arg) for arg in args], prog_name="bbs-gym")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with two matches, one that was killed, and one without a run."""
    for seed in (1, 2):
        folder = a_run(tmp_path / "runs" / f"duel-{seed}", stopped("a"), stopped("b"), settings=SETTINGS, seed=seed)
        keep_state(folder, BEFORE, AFTER)
    a_run(tmp_path / "runs" / "killed", stopped("a"), ended=False)
    (tmp_path / "runs" / "empty").mkdir()
    return tmp_path / "runs"


def test_one_run_is_told_in_full(call: Any, root: Path) -> None:
    done = call("score", root / "duel-1")
    assert done.exit_code == 0
    assert "passed  posted body=sector" in done.stdout
    assert "failed  score_at_least" in done.stdout
    assert (root / "duel-1" / "score.json").is_file()


def test_all_runs_of_a_folder_and_a_page(call: Any, root: Path, tmp_path: Path) -> None:
    done = call("score", root, "--html", tmp_path / "scores.html")
    assert done.exit_code == 0
    assert "3 runs over 3 seeds, 1 without an end; 1 void participant left out." in done.stdout
    assert (tmp_path / "scores.html").read_text().startswith("<!DOCTYPE html>")
    assert (root / "killed" / "score.json").is_file()


def test_json_has_scores_and_table(call: Any, root: Path) -> None:
    told = json.loads(call("score", root, root / "duel-1", "--json").stdout)
    assert [one["match_id"] for one in told["scores"]] == ["duel-1", "duel-2", "killed"]
    assert [row["name"] for row in told["table"]["by_model"]] == ["model-a", "model-b"]


def test_a_judge_by_its_script(call: Any, root: Path, tmp_path: Path) -> None:
    script, rubric, people = tmp_path / "judge.jsonl", tmp_path / "r.toml", tmp_path / "people.csv"
    script.write_text('"{\\"reason\\": \\"so\\", \\"mark\\": 3}"\n"{\\"reason\\": \\"so\\", \\"mark\\": 1}"\n')
    rubric.write_text('name = "tone"\ntext = "Is it kind?"\n')
    people.write_text("agent_id,rubric,mark\na,tone,1\n")
    asked = ("--judge", f"scripted:{script}", "--rubric", rubric)
    done = call("score", root / "duel-1", *asked, "--human", people)
    assert done.exit_code == 0
    assert "0.6  tone by scripted" in done.stdout
    assert "1  tone by human" in done.stdout
    unanswered = call("score", root / "duel-1", root / "duel-2", "--judge", f"scripted:{rubric}", "--rubric", rubric)
    assert unanswered.exit_code != 0


def test_a_judge_that_does_not_answer_fails_the_command(call: Any, root: Path, tmp_path: Path) -> None:
    script, rubric = tmp_path / "judge.jsonl", tmp_path / "r.toml"
    script.write_text('"no"\n')
    rubric.write_text('name = "tone"\ntext = "Is it kind?"\n')
    done = call("score", root / "duel-1", "--judge", f"scripted:{script}", "--rubric", rubric)
    assert done.exit_code == 1
    assert "asked again by the same command" in done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        ("--rubric", "r.toml"),
        ("--judge", "scripted:x"),
        ("--judge", "nobody:x", "--rubric", "r.toml"),
        ("--base-url", "http://127.0.0.1:1/v1"),
    ],
)
def test_a_judge_and_its_question_go_together(wrong: tuple[str, ...], call: Any, root: Path) -> None:
    done = call("score", root, *wrong)
    assert done.exit_code == 2
    assert "--judge" in done.stderr
    assert "--model" not in done.stderr


def test_folders_without_runs_are_refused(call: Any, root: Path) -> None:
    for folder in (root / "empty", root / "missing"):
        done = call("score", folder)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1


def test_runs_are_listed_and_shown(call: Any, root: Path) -> None:
    a_trace(root / "alone", "agent-001", "x", ended=False)
    listed = call("runs", "list", "--runs-dir", root)
    assert listed.exit_code == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["RUN", "alone", "duel-1", "duel-2", "killed"]
    assert listed.stdout.count("no end: killed or still running") == 2
    call("score", root)
    shown = call("runs", "show", "duel-1", "--runs-dir", root)
    assert shown.exit_code == 0
    assert "model-a" in shown.stdout
    assert "900" in shown.stdout
    told = json.loads(call("runs", "show", root / "duel-1", "--json").stdout)
    assert told["score"]["participants"][0]["skill"]["score"] == 900
    assert len(json.loads(call("runs", "list", "--runs-dir", root, "--json").stdout)) == 4


def test_a_run_that_is_none(call: Any, root: Path) -> None:
    assert call("runs", "show", "nothing", "--runs-dir", root).exit_code == 1
    assert call("runs", "list", "--runs-dir", root / "missing").exit_code == 1
