"""`campaign` as a command: the schedule, the faults, and a small real campaign."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bbs_gym.commands import campaign
from tty_agent.commands.command_line import CommandLine, group

SPRING = """
name = "spring"
seed = 7

[[agents]]
agent_id = "ada"
models = ["one"]

[[agents]]
agent_id = "ben"
models = ["other"]

[models.one]
provider = "scripted"
model = "one"
replies = ['{"action": "submit_line", "arguments": {"text": ""}}']
loop = true

[models.other]
provider = "scripted"
model = "other"
replies = ['{"action": "submit_line", "arguments": {"text": ""}}']
loop = true

[match]
route_set = "starlane-auto"

[match.door]
game = "starlane"

[match.budgets]
max_decision_ticks = 2
max_wall_seconds = 120

[[turns]]
name = "duel"
"""


def _about() -> None:
    """The commands of this file."""


def _more() -> None:
    """Another, so that this is a group."""


@pytest.fixture
def call() -> Callable[..., Any]:
    """`bbs-gym` with this command alone."""
    app = group(_about, cls=CommandLine, name="bbs-gym")
    app.command()(campaign.campaign)
    app.command("more")(_more)

    def invoke(*words: object, code: int = 0) -> Any:
        done = CliRunner().invoke(app, ["campaign", *map(str, words)], prog_name="bbs-gym")
        assert done.exit_code == code, (done.stdout, done.stderr, done.exception)
        return done

    return invoke


@pytest.fixture
def config(tmp_path: Path) -> Path:
    place = tmp_path / "spring.toml"
    place.write_text(SPRING)
    return place


def test_a_dry_run_shows_the_schedule_and_how_even_it_is(
    config: Path, tmp_path: Path, call: Callable[..., Any]
) -> None:
    shown = call(config, "--dry-run", "--folder", tmp_path / "out").stdout
    assert "ada (one) - ben (other)" in shown
    assert "ben (other) - ada (one)" in shown
    told = json.loads(call(config, "--dry-run", "--json").stdout)
    assert told["schedule"]["sha256"] in shown
    assert [one["seats"] for one in told["balance"]] == [[1, 1], [1, 1]]
    assert not (tmp_path / "out").exists()


def test_faults_are_one_line_each(tmp_path: Path, call: Callable[..., Any]) -> None:
    place = tmp_path / "bad.toml"
    place.write_text(SPRING.replace("turns", "truns").replace("seed = 7", 'seed = "x"'))
    said = call(place, "--dry-run", code=1).stderr
    assert "bad.toml: seed is wrong" in said
    assert "bad.toml: turns is missing: add it" in said


def test_there_is_nothing_to_resume(config: Path, tmp_path: Path, call: Callable[..., Any]) -> None:
    said = call(config, "--resume", "--folder", tmp_path / "out", code=1).stderr
    assert "is not there: run the campaign without --resume" in said


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_matches_are_played_on_venues_of_their_own(config: Path, tmp_path: Path, call: Callable[..., Any]) -> None:
    out = tmp_path / "out"
    done = call(config, "--folder", out, "--workers", 2, "--json")
    summary = json.loads(done.stdout)
    assert (summary["finished"], summary["left"], summary["void"], summary["unscored"]) == (2, 0, [], [])
    assert [row["runs"] for row in summary["scores"]["by_model"]] == [2, 2]
    assert "completed: 2 of 2 finished" in done.stderr
    orders = []
    for folder in sorted((out / "matches").iterdir()):
        manifest = json.loads((folder / "manifest.json").read_text())
        orders.append([one["agent_id"] for one in manifest["participants"]])
        assert not (folder / "host").exists(), "the private BBS is gone"
    assert orders == [["ada", "ben"], ["ben", "ada"]]
    assert "without --resume" not in call(config, "--folder", out, code=1).stderr
    call(config, "--folder", out, "--resume")
