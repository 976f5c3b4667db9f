"""A run before its judges: each participant marked, each pair compared, all of it kept in the run's folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Final

from bbs_gym.scoring import kept_judgements, material
from bbs_gym.scoring.checks import BoardState, Doer
from bbs_gym.scoring.judge import Judge, JudgeFault, Verdict, mark, pair
from bbs_gym.scoring.judge_prompt import JudgePrompt
from bbs_gym.scoring.participants import Participant
from bbs_gym.scoring.rubric import Ask
from tty_agent.models.model import ProviderFault
from tty_agent.terminal.inert import inert

MAX_PAIRS: Final = 1_000
"""Of one run, two questions each: 45 participants. A larger melee is compared in part, and that is said."""


async def judge_run(
    folder: Path, participants: Iterable[Participant], state: BoardState, judges: Iterable[Judge]
) -> tuple[str, ...]:
    """Ask what was not asked yet, and keep the answers. Void participants are not judged.

    Returns what came to nothing, one line each: a judge that gives no answer counts against nobody. Raises OSError.
    """
    faults: list[str] = []
    judged = [one for one in participants if not one.void]
    for judge in judges:
        shown = {one.agent_id: _shown(folder, one, state, judge) for one in judged}
        if judge.rubric.ask in {Ask.MARK, Ask.BOTH}:
            for agent in sorted(shown):
                await _settle(folder, judge, {agent: shown[agent]}, faults)
        if judge.rubric.ask in {Ask.PAIR, Ask.BOTH}:
            pairs = list(combinations(sorted(shown), 2))
            if len(pairs) > MAX_PAIRS:
                faults.append(f"of {len(pairs)} pairs the first {MAX_PAIRS} are compared")
            for first, second in pairs[:MAX_PAIRS]:
                await _settle(folder, judge, {first: shown[first], second: shown[second]}, faults)
    return tuple(faults)


async def _settle(folder: Path, judge: Judge, shown: Mapping[str, str], faults: list[str]) -> None:
    """One question: from its file, or asked and kept."""
    name = kept_judgements.question(judge.model.name, judge.rubric.name, shown)
    if kept_judgements.find(folder, name, _prompts(judge, shown)):
        return
    try:
        verdicts = await _ask(judge, shown)
    except (JudgeFault, ProviderFault) as fault:
        faults.append(f"{' and '.join(shown)} by {inert(judge.rubric.name)}: {inert(str(fault))}")
        return
    kept_judgements.keep(folder, name, verdicts)


async def _ask(judge: Judge, shown: Mapping[str, str]) -> tuple[Verdict, ...]:
    texts = tuple(shown.items())
    if len(texts) == 1:
        return (await mark(judge, *texts[0]),)
    return await pair(judge, texts[0], texts[1])


def _prompts(judge: Judge, shown: Mapping[str, str]) -> set[str]:
    texts = tuple(shown.values())
    if len(texts) == 1:
        return {JudgePrompt(rubric=judge.rubric, first=texts[0]).sha256}
    orders = (texts, texts[::-1])
    return {JudgePrompt(rubric=judge.rubric, first=first, second=second).sha256 for first, second in orders}


def _shown(folder: Path, one: Participant, state: BoardState, judge: Judge) -> str:
    traces = [folder / name for name in one.traces]
    return material.shown(material.excerpts(state, Doer(one.agent_id, one.names), traces, judge.rubric.sources))
