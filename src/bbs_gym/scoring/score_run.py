"""The score of a run: `score.json` out of its folder. The same folder gives the same bytes."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.hosts.host import Host, Score
from bbs_gym.match.settings import CheckSettings
from bbs_gym.scoring import kept_judgements
from bbs_gym.scoring.checks import BoardState, Doer, run_check
from bbs_gym.scoring.human import HumanJudgement, verdicts_of
from bbs_gym.scoring.judge import Judge
from bbs_gym.scoring.judging import judge_run
from bbs_gym.scoring.kept_state import Moment, keep, kept_ranking, kept_scores, read_kept
from bbs_gym.scoring.native import skills
from bbs_gym.scoring.participants import Participant, said, settings_of
from bbs_gym.scoring.rankings import read_ranking
from bbs_gym.scoring.result import CheckResult, Judgement, MatchScore, ParticipantScore, Skill
from bbs_gym.scoring.runs import SCORE, Run, read_run
from tty_agent.terminal.inert import inert

_FILE_MODE: Final = 0o644


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """What a run's settings say of its scoring."""

    game: str | None
    checks: tuple[CheckSettings, ...]

    @property
    def exports(self) -> tuple[str, ...]:
        """As of `Host.export`."""
        named = {str(check.where["game"]) for check in self.checks if "game" in check.where}
        return ("boards", "mail", *sorted(named | ({self.game} if self.game else set())))


async def score_run(
    folder: Path,
    *,
    host: Host | None = None,
    judges: Sequence[Judge] = (),
    human: Iterable[HumanJudgement] = (),
    scored_at: str = "",
) -> MatchScore:
    """Score a run and write its `score.json`, whole or not at all.

    What was kept of the BBS's state is used; with `host` the state of now is kept first where that of after the match
    is missing. Judges are asked what they were not asked before, and people's judgements are kept beside theirs. What
    could not be had stands in `extra.faults` of the result, what no judge answered in `extra.unjudged`.

    Raises RunFault, OSError.
    """
    run = read_run(folder)
    faults = list(run.faults)
    declared = declared_by(run.manifest, faults)
    if host is not None:
        faults.extend(await keep(host, folder, Moment.AFTER, declared.exports))
    state = _state(folder, declared, faults)
    unjudged = await judge_run(folder, run.participants, state, judges)
    _keep_human(folder, run, human)
    score = _scored(run, declared, state, faults)
    score = msgspec.structs.replace(score, scored_at=scored_at, extra=score.extra | {"unjudged": list(unjudged)})
    write_score(folder, score)
    return score


def declared_by(manifest: Mapping[str, Any], faults: list[str]) -> Declared:
    """The game and the checks of a manifest's settings; what is wrongly written is added to `faults`."""
    settings = settings_of(manifest)
    door = settings.get("door")
    game = door.get("game") if isinstance(door, Mapping) else None
    checks = []
    listed = settings.get("checks", ())
    for number, one in enumerate(listed if isinstance(listed, list | tuple) else ()):
        try:
            check = msgspec.convert(one, CheckSettings)
        except msgspec.ValidationError as fault:
            faults.append(f"checks[{number}]: {said(fault)}")
            continue
        takes_game = check.kind in {"door_joined", "score_at_least"} and isinstance(game, str)
        where = {"game": game, **check.where} if takes_game else check.where
        checks.append(msgspec.structs.replace(check, where=where))
    return Declared(game=game if isinstance(game, str) else None, checks=tuple(checks))


def write_score(folder: Path, score: MatchScore) -> None:
    """Write `score.json`, whole or not at all. Raises OSError."""
    place = folder / SCORE
    draft = place.with_name(f".{SCORE}.{secrets.token_hex(4)}")
    try:
        draft.touch(_FILE_MODE, exist_ok=False)
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(score, order="deterministic"), indent=2) + b"\n")
        os.replace(draft, place)  # noqa: PTH105 - as atomic as it gets
    finally:
        draft.unlink(missing_ok=True)


def _state(folder: Path, declared: Declared, faults: list[str]) -> BoardState:
    kept = {
        moment: {what: value for what in declared.exports if (value := read_kept(folder, moment, what)) is not None}
        for moment in Moment
    }
    scores: dict[str, tuple[Score, ...]] = {}
    for game in declared.exports[2:]:
        found = _scores(folder, game)
        if found is None:
            faults.append(f"there are no scores of {inert(game)}: they were not kept, and no host gave them")
        else:
            scores[game] = found
    return BoardState(before=kept[Moment.BEFORE], after=kept[Moment.AFTER], scores=scores)


def _scores(folder: Path, game: str) -> tuple[Score, ...] | None:
    """As the host gave them, else out of a ranking that an operator put there."""
    found = kept_scores(folder, Moment.AFTER, game)
    if found is None and (ranking := kept_ranking(folder, game)) is not None:
        found = read_ranking(ranking, game)
    return found


def _keep_human(folder: Path, run: Run, human: Iterable[HumanJudgement]) -> None:
    agents = frozenset(one.agent_id for one in run.participants)
    verdicts = verdicts_of(human, run.match_id, agents)
    if verdicts:
        kept_judgements.keep(folder, kept_judgements.human_file(verdicts), verdicts)


def _scored(run: Run, declared: Declared, state: BoardState, faults: list[str]) -> MatchScore:
    everyone = tuple(Doer(one.agent_id, one.names) for one in run.participants)
    playing = {one.agent_id: one.names for one in run.participants if not one.void}
    skill: Mapping[str, Skill] = {}
    if declared.game is not None and declared.game in state.scores:
        skill = skills(declared.game, state.scores[declared.game], playing)
    judgements: dict[str, list[Judgement]] = {}
    for verdict in kept_judgements.read_all(run.folder, faults):
        judgements.setdefault(verdict.agent_id, []).append(verdict.judgement)
    participants = tuple(
        _participant(
            one,
            skill=skill.get(one.agent_id),
            checks=_checks(one, declared.checks, state, everyone),
            judgements=() if one.void else tuple(judgements.get(one.agent_id, ())),
        )
        for one in run.participants
    )
    return MatchScore(
        match_id=run.match_id,
        name=run.name,
        seed=run.seed,
        participants=participants,
        manifest_sha256=run.manifest_sha256,
        extra={"finished": run.finished, "stopped_by": run.stopped_by, "faults": faults},
    )


def _checks(
    one: Participant, checks: Iterable[CheckSettings], state: BoardState, everyone: tuple[Doer, ...]
) -> tuple[CheckResult, ...]:
    """Those that are about this participant; a void one has none."""
    if one.void:
        return ()
    doer = Doer(one.agent_id, one.names)
    return tuple(
        run_check(check, doer, state, everyone=everyone) for check in checks if check.agent in {None, one.agent_id}
    )


def _participant(
    one: Participant, *, skill: Skill | None, checks: tuple[CheckResult, ...], judgements: tuple[Judgement, ...]
) -> ParticipantScore:
    return ParticipantScore(
        agent_id=one.agent_id,
        model=one.model,
        stop_reason=one.stop_reason,
        void=one.void,
        infra_suspect=one.infra_suspect,
        decisions=one.decisions,
        validation_failures=one.validation_failures,
        cost_usd=one.cost_usd,
        tokens=one.tokens,
        skill=skill,
        checks=checks,
        judgements=judgements,
    )
