"""`run-match`: what people see of a match, and of what is wrong with one."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from bbs_gym.commands import match_play
from bbs_gym.commands.match_play import Interrupted, Progress, Scored
from bbs_gym.commands.run_match import run_match
from bbs_gym.match.events import EventLine, MatchEvent, StopReason
from bbs_gym.match.outcome import MatchOutcome, ParticipantOutcome
from bbs_gym.match.resume import CannotResume
from bbs_gym.match.settings import MatchSettings
from bbs_gym.scoring.result import CheckResult, MatchScore, ParticipantScore, Skill
from tty_agent.commands.command_line import CommandLine, group

DUEL = """
name = "duel"
objective = "{alias} v {rivals}"
profile = "shell"
seed = 3
[[participants]]
agent_id = "ann"
model = {provider = "scripted", replies = ["x"]}
[[participants]]
agent_id = "bob"
model = {provider = "scripted", replies = ["x"]}
"""


POSTED = CheckResult(name="posted area=general", passed=True, detail="in General: Hello")


def _about() -> None:
    """Commands."""


def call(*args: str) -> Result:
    app = group(_about, cls=CommandLine, name="bbs-gym")
    app.command()(run_match)
    app.command(name="other")(_about)
    return CliRunner().invoke(app, ["run-match", *args])


@pytest.fixture
def duel(tmp_path: Path) -> Path:
    (tmp_path / "duel.toml").write_text(DUEL)
    return tmp_path / "duel.toml"


class Plays:
    """Stands in for playing: `outcome` is what comes of it."""

    def __init__(self) -> None:
        self.calls: list[tuple[MatchSettings, Path, dict[str, Any]]] = []
        self.void = False
        self.fault: Exception | None = None

    def __call__(self, settings: MatchSettings, folder: Path, **rest: Any) -> Scored:
        self.calls.append((settings, folder, rest))
        if self.fault is not None:
            raise self.fault
        participants = tuple(
            ParticipantOutcome(
                agent_id=one.agent_id, alias="", model="m", provider="p", stop_reason=StopReason.ROUNDS, void=self.void
            )
            for one in settings.participants
        )
        outcome = MatchOutcome(
            match_id="m", name="duel", seed=settings.seed, scheduler="sequential", order="fixed", folder=folder,
            started_at="", finished_at="", wall_seconds=1.0, stopped_by="rounds", rounds=3, ticks=6, decisions=6,
            cost_usd=0.0, participants=participants, detail="the BBS was slow",
        )  # fmt: skip
        skill = Skill(game="starlane", score=41.5, rank=1)
        ann = ParticipantScore(agent_id="ann", model="m", stop_reason="rounds", skill=skill, checks=(POSTED,))
        score = MatchScore(match_id="m", name="duel", seed=settings.seed, participants=(ann,))
        return Scored(outcome=outcome, score=score, score_path=folder / "score.json")


@pytest.fixture
def plays(monkeypatch: pytest.MonkeyPatch) -> Plays:
    found = Plays()
    monkeypatch.setattr(match_play, "play", found)
    return found


def test_a_dry_run_shows_who_would_play_what_and_starts_nothing(duel: Path, plays: Plays) -> None:
    shown = call(str(duel), "--dry-run", "--repeat", "2")
    assert shown.exit_code == 0
    assert "ann    ann    scripted  shell  rlogin  ann v bob" in shown.stdout
    assert "duel: parallel_barrier, order fixed, on house, seeds 3, 4" in shown.stdout
    told = json.loads(call(str(duel), "--dry-run", "--json").stdout)
    assert told["participants"][1]["objective"] == "bob v ann"
    assert not plays.calls


def test_a_match_is_a_table_and_where_its_score_is(duel: Path, plays: Plays, tmp_path: Path) -> None:
    shown = call(str(duel), "--folder", str(tmp_path / "run"))
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[1].split() == ["ann", "m", "rounds", "0", "0", "0", "0.0000", "41.5"]
    assert "rounds: 3 rounds, 6 actions in 1.0 s" in shown.stdout
    assert shown.stdout.endswith(f"score: {tmp_path / 'run' / 'score.json'}\n")
    assert "ann  passed  posted area=general  (in General: Hello)" in shown.stdout.splitlines()
    assert "the BBS was slow" in shown.stderr


def test_overrides_reach_the_match(duel: Path, plays: Plays, tmp_path: Path) -> None:
    shown = call(
        str(duel), "--seed", "9", "--repeat", "2", "--max-cost", "1.5", "--folder", str(tmp_path / "runs"), "--json"
    )
    assert shown.exit_code == 0
    assert [settings.seed for settings, _, _ in plays.calls] == [9, 10]
    assert [folder.name for _, folder, _ in plays.calls] == ["001", "002"]
    assert {settings.budgets.max_cost_usd for settings, _, _ in plays.calls} == {1.5}
    lines = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [line["outcome"]["seed"] for line in lines] == [9, 10]


def test_without_a_folder_the_run_is_named_by_time_and_match(duel: Path, plays: Plays) -> None:
    call(str(duel))
    assert plays.calls[0][1].parent == Path("runtime/runs")
    assert "-duel-" in plays.calls[0][1].name


def test_a_void_match_fails_the_command(duel: Path, plays: Plays) -> None:
    plays.void = True
    shown = call(str(duel))
    assert shown.exit_code == 1
    assert "error: a match is void" in shown.stderr


def test_a_signal_is_an_exit_code(duel: Path, plays: Plays) -> None:
    plays.fault = Interrupted(signal.SIGTERM)
    shown = call(str(duel))
    assert shown.exit_code == 143
    assert "stopped: what was played is in" in shown.stderr


def test_a_match_that_can_not_be_gone_on_with_says_why(duel: Path, plays: Plays, tmp_path: Path) -> None:
    plays.fault = CannotResume("the match is over")
    shown = call(str(duel), "--resume", str(tmp_path))
    assert (shown.exit_code, shown.stderr) == (1, "error: the match is over\n")
    assert plays.calls[0][2]["resume"] is True
    shown = call(str(duel), "--resume", str(tmp_path), "--repeat", "2")
    assert shown.exit_code == 2


def test_each_wrong_field_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('name = "m"\nprofile = "shell"\nsedd = 3\nscheduler = "x"\nparticipants = []\n')
    shown = call(str(tmp_path / "m.toml"))
    assert shown.exit_code == 1
    lines = shown.stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("error: m.toml: ") for line in lines)
    assert call(str(tmp_path / "none.toml")).exit_code == 1


def test_a_check_that_is_wrongly_written_stops_it_before_anything_starts(duel: Path, plays: Plays) -> None:
    """At the end of a long match it could only be void."""
    duel.write_text(DUEL + '[[checks]]\nkind = "posted"\nwhere = {subjekt = "x"}\n')
    for more in ((), ("--dry-run",)):
        shown = call(str(duel), *more)
        assert shown.exit_code == 1
        assert shown.stderr.startswith("error: duel.toml: the check posted has no condition 'subjekt'")
    assert not plays.calls


def test_an_unknown_profile_is_named(duel: Path) -> None:
    duel.write_text(DUEL.replace('"shell"', '"bbs-main-men"'))
    shown = call(str(duel), "--dry-run")
    assert shown.exit_code == 1
    assert "bbs-main-menu" in shown.stderr


def test_a_match_that_does_not_begin_leaves_nothing(duel: Path, tmp_path: Path) -> None:
    duel.write_text(DUEL.replace('replies = ["x"]', 'replies_file = "none.jsonl"'))
    shown = call(str(duel), "--folder", str(tmp_path / "run"))
    assert (shown.exit_code, "none.jsonl: No such file" in shown.stderr) == (1, True)
    assert not (tmp_path / "run").exists()


def test_events_are_lines_for_people() -> None:
    told: list[str] = []
    progress = Progress(told.append)

    def event(name: MatchEvent, **rest: Any) -> None:
        progress(EventLine(event=name, timestamp="", seq=1, agent_id="ann", **rest))

    event(MatchEvent.ACTION_COMMITTED, round=2, tick=5, data={"action": "press_key P", "sent": False})
    event(MatchEvent.ACTION_COMMITTED, tick=6, data={"action": "wait 1", "sent": True, "queued_tick": 8})
    event(MatchEvent.DECISION_COMPLETED, data={})
    event(MatchEvent.DISCONNECTED, data={"detail": "reset"})
    event(
        MatchEvent.PARTICIPANT_STOPPED,
        data={"stop_reason": "infra", "void": True, "decisions": 3, "detail": "timeout: no answer"},
    )
    assert told == [
        "tick 5 (round 2) ann: press_key P (not sent)",
        "tick 6 (request 8) ann: wait 1",
        "ann is disconnected: reset",
        "ann stopped (infra, void) after 3 decisions: timeout: no answer",
    ]


def test_the_command_has_its_example() -> None:
    assert typer.main.get_command(group(_about)) is not None
    assert "bbs-gym run-match" in call("--help").stdout.partition("Example")[2]
