"""A run's score out of its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.bbs_gym.scoring.boards_sample import a_run, a_trace, boards, keep_state, mail, starlane, stopped

from bbs_gym.hosts.host import HostFault, NotSupported, Score
from bbs_gym.match.settings import CheckSettings, DoorSettings, MatchSettings
from bbs_gym.scoring.human import HumanJudgement
from bbs_gym.scoring.judge import Judge
from bbs_gym.scoring.kept_state import Moment, keep, keeper, needed, read_kept
from bbs_gym.scoring.rubric import Ask, Rubric
from bbs_gym.scoring.runs import read_score
from bbs_gym.scoring.score_run import score_run
from tty_agent.models.model import Prompt
from tty_agent.models.scripted import ScriptedModel

SETTINGS = {
    "door": {"game": "starlane"},
    "checks": [
        {"kind": "posted", "where": {"body": "sector"}},
        {"kind": "door_joined"},
        {"kind": "mail_sent", "agent": "b", "where": {"to": "a"}},
        {"kind": "score_at_least", "where": {"score": 500}},
    ],
}
SCORES = [Score(player="A", agent_id="a", score=900.0), Score(player="B", score=100.0)]
BEFORE = {"boards": boards(), "mail": mail(), "starlane": starlane()}
AFTER = {
    "boards": boards(("general", "hi", "A", "sector 7 is quiet")),
    "mail": mail(("B", "A", "hello", "there")),
    "starlane": starlane(A=3, B=1),
    "scores-starlane": SCORES,
}


def a_scored_run(folder: Path, **changes: Any) -> Path:
    run = a_run(folder, stopped("a"), stopped("b"), settings=SETTINGS, **changes)
    keep_state(run, BEFORE, AFTER)
    return run


class SmallHost:
    """Of a host what scoring asks, and who asked for what."""

    kind = "house"

    def __init__(self, state: Mapping[str, object], fault: HostFault | None = None) -> None:
        self.state = state
        self.fault = fault
        self.asked: list[str] = []

    async def export(self, what: str) -> object:
        self.asked.append(what)
        if self.fault is not None:
            raise self.fault
        return self.state[what]

    async def scores(self, game: str) -> tuple[Score, ...]:
        self.asked.append(f"scores {game}")
        return tuple(SCORES)


async def test_skill_and_checks_of_each(tmp_path: Path) -> None:
    score = await score_run(a_scored_run(tmp_path / "r", seed=3))
    first, second = score.participants
    assert (score.match_id, score.seed) == ("r", 3)
    assert first.skill is not None
    assert (first.skill.score, first.skill.rank) == (900.0, 1)
    assert second.skill is not None
    assert (second.skill.score, second.skill.rank) == (100.0, 2)
    assert [check.passed for check in first.checks] == [True, True, True]
    assert [check.passed for check in second.checks] == [False, True, True, False]
    assert score.extra["faults"] == []
    assert read_score(tmp_path / "r") == score


async def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = a_scored_run(tmp_path / "x" / "r"), a_scored_run(tmp_path / "y" / "r")
    await score_run(one)
    first = (one / "score.json").read_bytes()
    await score_run(one)
    await score_run(other)
    assert (one / "score.json").read_bytes() == (other / "score.json").read_bytes() == first
    assert [place.name for place in one.iterdir() if place.name.startswith(".")] == []


async def test_void_participants_have_nothing_and_are_not_ranked(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a", stop_reason="infra"), stopped("b"), settings=SETTINGS)
    keep_state(folder, BEFORE, AFTER)
    first, second = (await score_run(folder)).participants
    assert (first.void, first.skill, first.checks) == (True, None, ())
    assert second.skill is not None
    assert second.skill.rank == 1


async def test_a_run_that_was_killed_is_scored_as_void(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"), settings=SETTINGS, ended=False)
    a_trace(folder, "b", "x", ended=False)
    score = await score_run(folder)
    assert all(one.void for one in score.participants)
    assert score.extra["finished"] is False


async def test_what_was_not_kept_is_void_and_told(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"), settings=SETTINGS)
    score = await score_run(folder)
    assert [check.void for check in score.participants[0].checks] == [True, True, True]
    assert score.participants[0].skill is None
    assert "no scores of starlane" in score.extra["faults"][0]


async def test_a_host_gives_what_was_not_kept(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"), settings=SETTINGS)
    keep_state(folder, BEFORE, {"boards": AFTER["boards"]})
    host = SmallHost(AFTER)
    score = await score_run(folder, host=host)  # type: ignore[arg-type]  # as much of a host as is asked
    assert host.asked == ["mail", "starlane", "scores starlane"]
    assert [check.passed for check in score.participants[0].checks] == [True, True, True]
    assert await score_run(folder) == score


async def test_a_host_that_lacks_a_thing_loses_nothing_else(tmp_path: Path) -> None:
    host = SmallHost({}, NotSupported("this one exports nothing\x1b[2J"))
    faults = await keep(host, tmp_path, Moment.BEFORE, ("boards", "starlane"))  # type: ignore[arg-type]
    assert len(faults) == 2
    assert all("\x1b" not in fault for fault in faults)
    assert read_kept(tmp_path, Moment.BEFORE, "scores-starlane") is not None
    assert read_kept(tmp_path, Moment.BEFORE, "../../etc/passwd") is None


async def test_the_keeper_keeps_what_the_match_needs_once(tmp_path: Path) -> None:
    settings = MatchSettings(
        name="m",
        participants=(),
        door=DoorSettings(game="starlane"),
        checks=(CheckSettings(kind="score_at_least", where={"game": "tw2", "score": 1}),),
    )
    assert needed(settings) == ("boards", "mail", "starlane", "tw2")
    host = SmallHost({**BEFORE, "tw2": {}})
    keep_now = keeper(host, tmp_path, settings)  # type: ignore[arg-type]
    assert await keep_now("before") == ()
    asked = list(host.asked)
    await keep_now("before")
    assert host.asked == asked
    assert (tmp_path / "state" / "before-boards.json").stat().st_mode & 0o777 == 0o600


async def test_a_ranking_as_text_stands_in_for_scores(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"), stopped("b"), settings={"door": {"game": "bre"}})
    (folder / "state").mkdir()
    (folder / "state" / "after-ranking-bre.txt").write_text("1. B ....... 700\n2. A ....... 300\n")
    score = await score_run(folder)
    assert [one.skill.rank if one.skill else 0 for one in score.participants] == [2, 1]


def the_report_is_better(prompt: Prompt) -> str:
    if "second participant" not in prompt.user:
        return json.dumps({"reason": "clear", "mark": 5 if "sector 7" in prompt.user else 0})
    first, _, _ = prompt.user.partition("What the second participant wrote:")
    return json.dumps({"reason": "it reports", "better": "first" if "sector 7" in first else "second"})


RUBRIC = Rubric(name="clarity", text="Is it clear?", ask=Ask.BOTH)


async def test_judges_are_asked_once_and_kept(tmp_path: Path) -> None:
    folder = a_scored_run(tmp_path / "r")
    a_trace(folder, "a", "hello all", "anybody here?")
    model = ScriptedModel(the_report_is_better, name="judge")
    score = await score_run(folder, judges=[Judge(model, RUBRIC)])
    assert model.calls == 4
    first, second = score.participants
    assert [(j.against, j.mark) for j in first.judgements] == [(None, 1.0), ("b", 1.0)]
    assert [(j.against, j.mark) for j in second.judgements] == [(None, 0.0), ("a", 0.0)]
    assert await score_run(folder, judges=[Judge(model, RUBRIC)]) == score
    assert model.calls == 4
    assert await score_run(folder) == score
    kept = (folder / "judgements").iterdir()
    assert any("anybody here?" in place.read_text() for place in kept)


async def test_a_judge_that_gives_no_answer_counts_against_nobody(tmp_path: Path) -> None:
    folder = a_scored_run(tmp_path / "r")
    score = await score_run(folder, judges=[Judge(ScriptedModel(["no", "no"]), RUBRIC)])
    assert all(one.judgements == () for one in score.participants)
    assert len(score.extra["unjudged"]) == 3


async def test_judgements_of_people_are_kept_and_counted_once(tmp_path: Path) -> None:
    folder = a_scored_run(tmp_path / "r")
    rows = [HumanJudgement(agent_id="b", rubric="clarity", mark=0.5, against="a")]
    await score_run(folder, human=rows)
    score = await score_run(folder, human=rows)
    assert [len(one.judgements) for one in score.participants] == [1, 1]
    (folder / "judgements" / "broken.json").write_text("{")
    assert "broken.json" in (await score_run(folder)).extra["faults"][0]


async def test_a_check_that_is_no_check_is_told(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "r", stopped("a"), settings={"checks": [{"where": {}}, {"kind": "posted"}, 7]})
    keep_state(folder, BEFORE, AFTER)
    score = await score_run(folder)
    assert [check.passed for check in score.participants[0].checks] == [True]
    assert [fault.partition(":")[0] for fault in score.extra["faults"]] == ["checks[0]", "checks[2]"]
