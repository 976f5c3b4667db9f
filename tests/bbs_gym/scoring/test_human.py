"""Judgements of people, from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bbs_gym.scoring.human import HumanFault, HumanJudgement, read_human, verdicts_of

ROWS = (
    HumanJudgement(match_id="m1", agent_id="a", rubric="tone", mark=0.5, reason="well, yes"),
    HumanJudgement(agent_id="a", rubric="tone", mark=1.0, against="b"),
)


def test_the_same_rows_from_csv_and_json(tmp_path: Path) -> None:
    table, array = tmp_path / "j.csv", tmp_path / "j.json"
    table.write_text('\ufeffmatch_id,agent_id,rubric,mark,against,reason\nm1,a,tone,0.5,,"well, yes"\n,a,tone,1,b,\n')
    array.write_text(
        '[{"match_id": "m1", "agent_id": "a", "rubric": "tone", "mark": 0.5, "reason": "well, yes"},'
        ' {"agent_id": "a", "rubric": "tone", "mark": 1, "against": "b"}]'
    )
    assert read_human(table) == read_human(array) == ROWS


def test_a_pair_is_a_verdict_for_each() -> None:
    found = verdicts_of(ROWS, "m1", frozenset("ab"))
    assert [(one.agent_id, one.judgement.mark, one.judgement.against) for one in found] == [
        ("a", 0.5, None),
        ("a", 1.0, "b"),
        ("b", 0.0, "a"),
    ]
    assert all(one.judgement.judge == "human" for one in found)


def test_rows_of_other_runs_and_strangers_are_left_out() -> None:
    assert len(verdicts_of(ROWS, "m2", frozenset("ab"))) == 2
    assert verdicts_of(ROWS, "m1", frozenset("b")) == ()
    assert len(verdicts_of(ROWS, "m1", frozenset("a"))) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("j.csv", "agent_id,rubric,mark\na,tone,high\n"),
        ("j.csv", "agent_id,rubric,mark\na,tone,1.5\n"),
        ("j.csv", "agent_id,rubric,stars\na,tone,1\n"),
        ("j.csv", "agent_id,rubric,mark\na,tone,1,2,3\n"),
        ("j.csv", 'agent_id,rubric,mark\na,"tone'),
        ("j.json", "{}"),
        ("j.json", '[{"agent_id": "a", "rubric": "t", "mark": 1, "against": "a"}]'),
        ("j.json", '[{"agent_id": "a", "rubric": "t", "mark": NaN}]'),
        ("j.json", "\xff"),
    ],
)
def test_what_is_no_file_of_judgements(name: str, text: str, tmp_path: Path) -> None:
    place = tmp_path / name
    place.write_bytes(text.encode("latin-1"))
    with pytest.raises(HumanFault, match=name.replace(".", r"\.")):
        read_human(place)
