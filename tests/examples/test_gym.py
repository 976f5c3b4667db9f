"""The matches of examples/gym, played as they are, and their scores beside the game's own books."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bbs_gym.campaign.config import read_campaign
from bbs_gym.campaign.schedule import make_schedule
from bbs_gym.hosts.catalog import make_host
from bbs_gym.match.config import read_match
from bbs_gym.match.run import run_match
from bbs_gym.profiles.catalog import profile
from bbs_gym.scoring.checks import check_settings
from bbs_gym.scoring.kept_state import keeper
from bbs_gym.scoring.result import MatchScore
from bbs_gym.scoring.score_run import score_run
from tty_agent.actions.parsing import parse
from tty_agent.models.catalog import model_config
from tty_agent.models.scripted import read_script

EXAMPLES = Path(__file__).parents[2] / "examples" / "gym"
MATCHES = sorted(path.name for path in EXAMPLES.glob("*.toml") if path.name != "campaign.toml")

LIMIT_S = 240.0
"""For what takes half a minute on a quiet machine."""


def bbs_gym(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command as a user calls it, without anything of a provider in its environment."""
    return subprocess.run(
        [sys.executable, "-m", "bbs_gym", *map(str, words)],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def played(name: str, folder: Path) -> MatchScore:
    """The score of a match that was played by the command, once it said where that is."""
    done = bbs_gym("run-match", EXAMPLES / name, "--folder", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "score: run/score.json"
    assert not (folder / "run" / "host").exists()
    return msgspec.json.decode((folder / "run" / "score.json").read_bytes(), type=MatchScore)


def passed(score: MatchScore) -> dict[str, bool]:
    return {one.agent_id: all(check.passed and not check.void for check in one.checks) for one in score.participants}


def skills(score: MatchScore) -> dict[str, float]:
    return {one.agent_id: one.skill.score for one in score.participants if one.skill is not None}


@pytest.mark.parametrize("name", MATCHES)
def test_every_match_is_well_written(name: str) -> None:
    settings = read_match(EXAMPLES / name)
    check_settings(settings.checks)
    assert settings.budgets.max_wall_seconds is not None
    assert (EXAMPLES / "README.md").read_text("utf-8").count(f"[{name}]({name})") == 1
    for one in settings.participants:
        assert one.model["provider"] == "scripted"
        assert Path(one.model["replies_file"]).is_relative_to(EXAMPLES)


@pytest.mark.parametrize("script", sorted((EXAMPLES / "replies").iterdir()), ids=lambda path: path.stem)
def test_every_reply_is_an_action(script: Path) -> None:
    for reply in read_script(script):
        assert isinstance(reply, str)
        parse(reply, profile("message-board").policy)


def test_the_campaign_has_its_matches() -> None:
    schedule = make_schedule(read_campaign(EXAMPLES / "campaign.toml"))
    assert [[one.agent_id for one in match.seats] for match in schedule.matches] == [["ann", "bob"], ["bob", "ann"]]
    assert {match.seed for match in schedule.matches} == {7}


async def test_the_better_trader_wins_the_duel_as_the_game_itself_says(tmp_path: Path) -> None:
    settings = read_match(EXAMPLES / "duel.toml")
    run = tmp_path / "run"
    host = make_host(settings.host, tmp_path / "host")
    try:
        outcome = await run_match(settings, run, host=host, keep=keeper(host, run, settings))
    finally:
        await host.stop()
    assert not any(one.void for one in outcome.participants), outcome.detail
    score = await score_run(run)
    assert skills(score) == own_books(tmp_path / "host")
    assert skills(score)["ann"] > skills(score)["bob"] > 4365, "nobody is worth more than that at the beginning"
    assert [one.skill.rank for one in score.participants if one.skill is not None] == [1, 2]
    assert {one.stop_reason for one in score.participants} == {"rounds"}


def own_books(host: Path) -> dict[str, float]:
    """What `starlane scores` says of the world of a private venue."""
    world = host / "venue" / "doors" / "starlane"
    asked = [sys.executable, "-m", "starlane", "scores", "--json", "--data", str(world)]
    told: dict[str, Any] = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    return {line["name"]: float(line["net_worth"]) for line in told["scores"]}


def test_who_saves_its_post_has_done_the_task(tmp_path: Path) -> None:
    score = played("posting.toml", tmp_path)
    assert passed(score) == {"ann": True, "bob": False}
    assert {one.stop_reason for one in score.participants} == {"closed"}
    again = bbs_gym("score", "run", cwd=tmp_path)
    assert "ann  passed  posted body=(?i)sector [0-9]+  (in General: Prices at Haven)" in again.stdout
    assert "bob  failed  posted body=(?i)sector [0-9]+  (it wrote no post)" in again.stdout


@pytest.mark.slow
def test_the_way_to_the_door(tmp_path: Path) -> None:
    score = played("routed.toml", tmp_path)
    assert passed(score) == {"ann": True}
    shown = bbs_gym("trace", "show", "run/ann.jsonl", cwd=tmp_path).stdout
    assert "starlane-entry" in shown
    assert "starlane-game" in shown


@pytest.mark.slow
def test_six_pilots_are_ranked_by_what_they_did(tmp_path: Path) -> None:
    score = played("melee.toml", tmp_path)
    worth = skills(score)
    assert sorted(worth, key=lambda agent: -worth[agent])[:2] == ["ann", "bob"]
    assert worth["dee"] == worth["fay"] == 4365, "they did not trade"
    assert worth["eve"] == min(worth.values())
    assert passed(score) == {agent: agent in {"ann", "bob"} for agent in worth}


def test_a_model_takes_the_place_of_a_script_as_the_page_says(tmp_path: Path) -> None:
    table = (EXAMPLES / "README.md").read_text("utf-8").partition("```toml\n")[2].partition("```")[0]
    head, _, rest = (EXAMPLES / "duel.toml").read_text("utf-8").partition("[[participants]]")
    bob = rest.partition("[[participants]]")[2].replace("replies/", f"{EXAMPLES}/replies/")
    (tmp_path / "duel.toml").write_text(f"{head}{table}[[participants]]{bob}", "utf-8")
    ann, _ = read_match(tmp_path / "duel.toml").participants
    assert ann.variables == {"hint": "Tools are worth the most."}
    assert str(model_config(ann.model).provider) == "openai"
