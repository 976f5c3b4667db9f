"""Several runs side by side: by model and by agent, means with intervals over the runs. Pure; the order of the runs
does not matter.

The unit is a run: of a model that has several participants in one, their mean counts once, since one world does the
same to all of them. Void participants are left out of every figure and counted. Those of which the machine is suspected
(`infra_suspect`) count, and are marked.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations

import msgspec

from bbs_gym.scoring.intervals import LEVEL, mean_interval, paired_difference, wilson
from bbs_gym.scoring.pairwise import PairResult, Strength, strengths
from bbs_gym.scoring.result import Interval, MatchScore, ParticipantScore

UNNAMED: str = "(unnamed)"
"""A participant whose model nothing tells."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One participant's native score in one run."""

    name: str
    """The model, or the agent."""
    game: str
    match_id: str
    seed: int
    value: float
    suspect: bool = False


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One model, or one agent. None: no run tells anything of it."""

    name: str
    runs: int
    """In which it has a participant that counts."""
    counted: int
    """Participants that count."""
    void: int
    """Participants that do not."""
    suspect: int
    """Of those that count: the machine may have been what was slow."""
    skill: Mapping[str, Interval] = {}
    """By game: the native score."""
    rank: Interval | None = None
    checks: Mapping[str, Interval] = {}
    """By check: the share that passed, with Wilson's interval."""
    passed: Interval | None = None
    """Of all checks together."""
    untold: int = 0
    """Checks that could not be told."""
    marks: Mapping[str, Interval] = {}
    """By `rubric (judge)`."""
    decisions: Interval | None = None
    failure_rate: Interval | None = None
    """Decisions without a valid action, of all decisions of a run."""
    cost_usd: Interval | None = None
    """Of the runs whose cost is known."""
    tokens: Interval | None = None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Two models over the seeds that both played: how much more the first scores."""

    first: str
    second: str
    game: str
    difference: Interval
    """Its n is the number of pairs: matches of the same name and seed."""


class Meetings(msgspec.Struct, frozen=True, kw_only=True):
    """Who won against whom, models only, by one way of telling."""

    by: str
    """`skill in GAME`, or `RUBRIC (JUDGE)`."""
    strengths: tuple[Strength, ...]


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far a judge can be trusted."""

    judge: str
    rubric: str
    swapped: Interval | None
    """Of its pairs: the share in which both orders gave the same answer."""
    with_people: Interval | None
    """Of the pairs that people judged too: the share in which it takes the same side."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison."""

    by_model: tuple[Row, ...]
    """The best first: by mean rank, then by name."""
    by_agent: tuple[Row, ...]
    runs: int
    unfinished: int
    """Runs without an end: void altogether."""
    seeds: int
    void: int
    suspect: int
    differences: tuple[Difference, ...] = ()
    meetings: tuple[Meetings, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    points: tuple[Point, ...] = ()
    """By model."""
    level: float = LEVEL


Name = Callable[[ParticipantScore], str]


def compare(scores: Iterable[MatchScore], *, level: float = LEVEL) -> Table:
    """The table of these runs. One that is given twice counts once."""
    runs = _once(scores)
    everyone = [one for run in runs for one in run.participants]
    return Table(
        by_model=_rows(runs, model_of, level),
        by_agent=_rows(runs, _agent_of, level),
        runs=len(runs),
        unfinished=sum(run.extra.get("finished") is False for run in runs),
        seeds=len({(run.name, run.seed) for run in runs}),
        void=sum(one.void for one in everyone),
        suspect=sum(one.infra_suspect is not None and not one.void for one in everyone),
        differences=_differences(runs, level),
        meetings=_meetings(runs, level),
        agreements=_agreements(runs, level),
        points=_points(runs),
        level=level,
    )


def model_of(one: ParticipantScore) -> str:
    """The model's name, as the table has it."""
    return one.model or UNNAMED


def _agent_of(one: ParticipantScore) -> str:
    return one.agent_id


def _once(scores: Iterable[MatchScore]) -> list[MatchScore]:
    """In one order, whatever the order that they came in."""
    by_content = {msgspec.json.encode(one, order="deterministic"): one for one in scores}
    ordered = sorted(by_content.items(), key=lambda item: (item[1].match_id, item[1].name, item[1].seed, item[0]))
    return [one for _, one in ordered]


def _rows(runs: Iterable[MatchScore], name: Name, level: float) -> tuple[Row, ...]:
    of_name: dict[str, list[list[ParticipantScore]]] = defaultdict(list)
    for run in runs:
        of_run: dict[str, list[ParticipantScore]] = defaultdict(list)
        for one in run.participants:
            of_run[name(one)].append(one)
        for key, group in of_run.items():
            of_name[key].append(group)
    rows = (_row(key, groups, level) for key, groups in of_name.items())
    return tuple(sorted(rows, key=lambda row: (row.rank.mean if row.rank else math.inf, row.name)))


def _row(name: str, groups: list[list[ParticipantScore]], level: float) -> Row:
    counted = [[one for one in group if not one.void] for group in groups]
    counted = [group for group in counted if group]
    everyone = [one for group in counted for one in group]
    checks = [check for one in everyone for check in one.checks]
    told = [check for check in checks if not check.void]

    def mean(value: Callable[[ParticipantScore], float | None]) -> Interval | None:
        return _over_runs(counted, value, level)

    return Row(
        name=name,
        runs=len(counted),
        counted=len(everyone),
        void=sum(len(group) for group in groups) - len(everyone),
        suspect=sum(one.infra_suspect is not None for one in everyone),
        skill=_by_game(counted, level),
        rank=_within(mean(lambda one: one.skill.rank if one.skill else None), 1, math.inf),
        checks={
            check: _wilson([one.passed for one in told if one.name == check], level)
            for check in sorted({one.name for one in told})
        },
        passed=_wilson([one.passed for one in told], level) if told else None,
        untold=len(checks) - len(told),
        marks=_marks(counted, level),
        decisions=mean(lambda one: one.decisions),
        failure_rate=_within(
            mean(lambda one: one.validation_failures / one.decisions if one.decisions else None), 0, 1
        ),
        cost_usd=mean(lambda one: one.cost_usd),
        tokens=mean(lambda one: one.tokens),
    )


def _within(interval: Interval | None, low: float, high: float) -> Interval | None:
    """The interval, no wider than what its figure can be."""
    if interval is None:
        return None
    return msgspec.structs.replace(interval, low=max(low, interval.low), high=min(high, interval.high))


def _over_runs(
    groups: Iterable[list[ParticipantScore]], value: Callable[[ParticipantScore], float | None], level: float
) -> Interval | None:
    """The mean over the runs of the mean in each; who tells nothing is left out."""
    means = []
    for group in groups:
        values = [found for one in group if (found := value(one)) is not None]
        if values:
            means.append(math.fsum(values) / len(values))
    return mean_interval(means, level=level)


def _by_game(groups: list[list[ParticipantScore]], level: float) -> dict[str, Interval]:
    games = sorted({one.skill.game for group in groups for one in group if one.skill})
    found = {game: _over_runs(groups, _score_in(game), level) for game in games}
    return {game: interval for game, interval in found.items() if interval is not None}


def _score_in(game: str) -> Callable[[ParticipantScore], float | None]:
    return lambda one: one.skill.score if one.skill and one.skill.game == game else None


def _marks(groups: list[list[ParticipantScore]], level: float) -> dict[str, Interval]:
    keys = {(j.rubric, j.judge) for group in groups for one in group for j in one.judgements if j.against is None}
    found = {
        f"{rubric} ({judge})": _over_runs(groups, _mark_of(rubric, judge), level) for rubric, judge in sorted(keys)
    }
    return {key: interval for key, interval in found.items() if interval is not None}


def _mark_of(rubric: str, judge: str) -> Callable[[ParticipantScore], float | None]:
    def mark(one: ParticipantScore) -> float | None:
        marks = [j.mark for j in one.judgements if (j.rubric, j.judge, j.against) == (rubric, judge, None)]
        return math.fsum(marks) / len(marks) if marks else None

    return mark


def _wilson(passed: list[bool], level: float) -> Interval:
    share = wilson(sum(passed), len(passed), level=level)
    assert share is not None
    return share


def _points(runs: Iterable[MatchScore]) -> tuple[Point, ...]:
    return tuple(
        Point(
            name=model_of(one),
            game=one.skill.game,
            match_id=run.match_id,
            seed=run.seed,
            value=one.skill.score,
            suspect=one.infra_suspect is not None,
        )
        for run in runs
        for one in run.participants
        if one.skill and not one.void
    )


def _differences(runs: Iterable[MatchScore], level: float) -> tuple[Difference, ...]:
    """A pair is what two models have of one seed of one match, be it in one run or in two; the means, where a model
    played the seed more than once."""
    values: dict[tuple[str, str], dict[tuple[str, int], list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        for one in run.participants:
            if one.skill and not one.void:
                values[one.skill.game, model_of(one)][run.name, run.seed].append(one.skill.score)
    means = {
        key: {seed: math.fsum(found) / len(found) for seed, found in seeds.items()} for key, seeds in values.items()
    }
    found = []
    for (game, first), (other_game, second) in combinations(sorted(means), 2):
        if game != other_game:
            continue
        both = sorted(means[game, first].keys() & means[game, second].keys())
        between = paired_difference(
            ((means[game, first][seed], means[game, second][seed]) for seed in both), level=level
        )
        if between is not None:
            found.append(Difference(first=first, second=second, game=game, difference=between))
    return tuple(found)


def _meetings(runs: Iterable[MatchScore], level: float) -> tuple[Meetings, ...]:
    results: dict[str, list[PairResult]] = defaultdict(list)
    for run in runs:
        counted = [one for one in run.participants if not one.void]
        for first, second in combinations(sorted(counted, key=_agent_of), 2):
            if model_of(first) == model_of(second):
                continue
            if first.skill and second.skill and first.skill.game == second.skill.game:
                result = _side(first.skill.score - second.skill.score)
                results[f"skill in {first.skill.game}"].append(PairResult(model_of(first), model_of(second), result))
            for judged in first.judgements:
                if judged.against == second.agent_id:
                    pair = PairResult(model_of(first), model_of(second), judged.mark)
                    results[f"{judged.rubric} ({judged.judge})"].append(pair)
    return tuple(Meetings(by=by, strengths=strengths(found, level=level)) for by, found in sorted(results.items()))


def _side(difference: float) -> float:
    return 0.5 if difference == 0 else float(difference > 0)


def _agreements(runs: Iterable[MatchScore], level: float) -> tuple[Agreement, ...]:
    swapped: dict[tuple[str, str], list[bool]] = defaultdict(list)
    sides: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for run in runs:
        for one in run.participants:
            pairs = [j for j in one.judgements if j.against is not None and one.agent_id < j.against]
            people = {(j.rubric, j.against): j.mark for j in pairs if j.swapped_agree is None}
            for judged in pairs:
                if judged.swapped_agree is None:
                    continue
                key = (judged.judge, judged.rubric)
                swapped[key].append(judged.swapped_agree)
                human = people.get((judged.rubric, judged.against))
                if human is not None:
                    sides[key].append(_side(human - 0.5) == _side(judged.mark - 0.5))
    return tuple(
        Agreement(
            judge=judge,
            rubric=rubric,
            swapped=_wilson(swapped[judge, rubric], level),
            with_people=_wilson(sides[judge, rubric], level) if sides[judge, rubric] else None,
        )
        for judge, rubric in sorted(swapped)
    )
