"""Runs side by side."""

from __future__ import annotations

import random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from bbs_gym.scoring.html import score_page
from bbs_gym.scoring.result import CheckResult, Judgement, MatchScore, ParticipantScore, Skill
from bbs_gym.scoring.table import compare


def one(agent: str, model: str, score: float | None = None, rank: int = 1, **more: Any) -> ParticipantScore:
    skill = Skill(game="starlane", score=score, rank=rank) if score is not None else None
    fields: dict[str, Any] = {"stop_reason": "done", "decisions": 10, "skill": skill} | more
    return ParticipantScore(agent_id=agent, model=model, **fields)


def run(seed: int, *participants: ParticipantScore, name: str = "duel", **extra: Any) -> MatchScore:
    return MatchScore(
        match_id=f"{name}-{seed}", name=name, seed=seed, participants=participants, extra={"finished": True, **extra}
    )


def duels() -> list[MatchScore]:
    scores = [(900, 100), (800, 300), (5_000, 4_000), (700, 750)]
    return [
        run(
            seed,
            one("a", "big", first, 1 if first > second else 2),
            one("b", "small", second, 1 if second > first else 2),
        )
        for seed, (first, second) in enumerate(scores)
    ]


def test_by_model_and_by_agent_the_best_first() -> None:
    table = compare(duels())
    assert [row.name for row in table.by_model] == ["big", "small"]
    assert [row.name for row in table.by_agent] == ["a", "b"]
    best = table.by_model[0]
    assert (best.runs, best.counted, best.void) == (4, 4, 0)
    assert best.skill["starlane"].mean == 1_850
    assert best.skill["starlane"].n == 4
    assert best.rank is not None
    assert best.rank.mean == 1.25
    assert (table.runs, table.seeds) == (4, 4)


def test_void_participants_are_left_out_and_counted() -> None:
    void = run(9, one("a", "big", void=True, stop_reason="infra"), one("b", "small", 10.0))
    table = compare([*duels(), void])
    big, small = sorted(table.by_model, key=lambda row: row.name)
    assert (big.runs, big.counted, big.void) == (4, 4, 1)
    assert big.skill["starlane"].mean == 1_850
    assert small.skill["starlane"].n == 5
    assert table.void == 1
    assert compare([run(1, one("a", "big", void=True))]).by_model[0].skill == {}


def test_runs_without_an_end_are_counted() -> None:
    table = compare([*duels(), run(8, one("a", "big", void=True), finished=False)])
    assert (table.runs, table.unfinished, table.void) == (5, 1, 1)


def test_suspects_count_and_are_marked() -> None:
    table = compare([*duels(), run(7, one("a", "big", 1.0, infra_suspect="turns took 9 s"))])
    assert table.suspect == 1
    assert [row.suspect for row in table.by_model if row.name == "big"] == [1]
    assert [point.match_id for point in table.points if point.suspect] == ["duel-7"]
    assert "marked: the machine may have been slow" in score_page(table)


def test_a_model_that_plays_itself_counts_once_a_run() -> None:
    table = compare([run(seed, one("a", "m", 100.0), one("b", "m", 300.0)) for seed in range(3)])
    (row,) = table.by_model
    assert (row.runs, row.counted, row.skill["starlane"].n, row.skill["starlane"].mean) == (3, 6, 3, 200)
    assert table.meetings == ()


def test_differences_are_of_the_same_seed_of_the_same_match() -> None:
    apart = [run(seed, one("a", "big", 100.0 * seed + 10)) for seed in range(1, 6)]
    apart += [
        msgspec.structs.replace(run(seed, one("a", "small", 100.0 * seed)), match_id=f"again-{seed}")
        for seed in range(6)
    ]
    (between,) = compare(apart).differences
    assert (between.first, between.second, between.difference.n) == ("big", "small", 5)
    assert (between.difference.mean, between.difference.low) == (10, 10)
    other = [run(1, one("a", "big", 1.0)), run(1, one("a", "small", 1.0), name="other")]
    assert compare(other).differences == ()


def test_who_beat_whom() -> None:
    (skill,) = compare(duels()).meetings
    assert skill.by == "skill in starlane"
    assert [(each.name, each.wins, each.meetings) for each in skill.strengths] == [("big", 3, 4), ("small", 1, 4)]


def test_checks_have_wilsons_interval_and_what_cannot_be_told_is_left_out() -> None:
    checks = [CheckResult(name="posted", passed=True), CheckResult(name="posted", passed=False, void=True)]
    table = compare([run(seed, one("a", "m", checks=(checks[seed % 2],))) for seed in range(4)])
    (row,) = table.by_model
    assert row.passed is not None
    assert (row.passed.n, row.passed.mean, row.untold) == (2, 1.0, 2)
    assert row.checks["posted"].low < 0.5


def pair(judge: str, mark: float, against: str, agree: bool | None) -> Judgement:
    return Judgement(judge=judge, rubric="tone", mark=mark, against=against, swapped_agree=agree)


def test_judges_are_compared_with_themselves_and_with_people() -> None:
    runs = [
        run(
            seed,
            one("a", "big", judgements=(pair("gpt", mark, "b", mark != 0.5), pair("human", 1.0, "b", None))),
            one("b", "small", judgements=(pair("gpt", 1 - mark, "a", mark != 0.5), pair("human", 0.0, "a", None))),
        )
        for seed, mark in enumerate((1.0, 0.5, 1.0, 0.0))
    ]
    table = compare(runs)
    (agreement,) = table.agreements
    assert agreement.swapped is not None
    assert (agreement.judge, agreement.swapped.mean, agreement.swapped.n) == ("gpt", 0.75, 4)
    assert agreement.with_people is not None
    assert agreement.with_people.mean == 0.5
    assert [each.by for each in table.meetings] == ["tone (gpt)", "tone (human)"]
    assert table.meetings[0].strengths[0].wins == 2.5


def test_marks_cost_and_what_is_not_known() -> None:
    mark = Judgement(judge="gpt", rubric="tone", mark=0.75)
    runs = [
        run(seed, one("a", "m", judgements=(mark,), cost_usd=cost, validation_failures=2))
        for seed, cost in enumerate((0.5, None, 1.5))
    ]
    (row,) = compare(runs).by_model
    assert row.marks["tone (gpt)"].mean == 0.75
    assert row.cost_usd is not None
    assert (row.cost_usd.mean, row.cost_usd.n) == (1.0, 2)
    assert row.failure_rate is not None
    assert row.failure_rate.mean == 0.2
    assert row.tokens is None


def test_a_run_that_is_given_twice_counts_once() -> None:
    assert compare([*duels(), *duels()]) == compare(duels())
    assert compare([]).by_model == ()


@settings(max_examples=8, deadline=None)
@given(st.randoms(use_true_random=False), st.lists(st.floats(0, 1e9), min_size=2, max_size=5))
def test_permuted_runs_give_the_same_table_and_the_same_page(chance: random.Random, scores: list[float]) -> None:
    runs = [
        run(seed, one("a", "big", score, cost_usd=score / 3), one("b", "small", score / 7), one("c", "", score / 11))
        for seed, score in enumerate(scores)
    ]
    mixed = runs[:]
    chance.shuffle(mixed)
    assert compare(mixed) == compare(runs)
    assert score_page(compare(mixed)) == score_page(compare(runs))
