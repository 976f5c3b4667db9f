"""Judges: language models that mark what participants wrote, or say which of two did better.

Models prefer what they are shown first, some of them always. So each pair is asked in both orders, and the mark is
the mean of the two: a judge that always takes the first says nothing, and it is a tie.
"""

from __future__ import annotations

import msgspec

from bbs_gym.scoring.judge_prompt import MAX_REASON_CHARS, BadAnswer, JudgePrompt, MarkAnswer, PairAnswer
from bbs_gym.scoring.result import Judgement
from bbs_gym.scoring.rubric import Rubric
from tty_agent.models.model import Model, ModelReply
from tty_agent.terminal.inert import inert


class JudgeFault(Exception):
    """The judge gave no answer of the form, twice: there is no judgement, and it counts against nobody."""


class Judge(msgspec.Struct, frozen=True):
    """A model with a question. Whoever made the model closes it."""

    model: Model
    rubric: Rubric


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question with the answer to it, for whoever reviews the judge."""

    prompt_sha256: str
    system: str
    user: str
    answer: str
    """As the model gave it, reasoning included."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement of one participant, with what it was made from."""

    agent_id: str
    judgement: Judgement
    asked: tuple[Asked, ...] = ()


async def mark(judge: Judge, agent_id: str, material: str) -> Verdict:
    """A mark for one participant. Raises JudgeFault, ProviderFault."""
    prompt = JudgePrompt(rubric=judge.rubric, first=material)
    answer, asked = await _ask(judge.model, prompt)
    assert isinstance(answer, MarkAnswer)
    judgement = Judgement(
        judge=judge.model.name,
        rubric=judge.rubric.name,
        mark=answer.mark / judge.rubric.scale,
        reason=_reason(answer.reason),
        prompt_sha256=prompt.sha256,
    )
    return Verdict(agent_id=agent_id, judgement=judgement, asked=(asked,))


async def pair(judge: Judge, first: tuple[str, str], second: tuple[str, str]) -> tuple[Verdict, Verdict]:
    """Which of two did better, asked in both orders: a verdict for each. They are pairs of agent id and material.

    Raises JudgeFault, ProviderFault.
    """
    (one, of_one), (other, of_other) = first, second
    forth = JudgePrompt(rubric=judge.rubric, first=of_one, second=of_other)
    back = JudgePrompt(rubric=judge.rubric, first=of_other, second=of_one)
    said, asked = await _ask(judge.model, forth)
    said_back, asked_back = await _ask(judge.model, back)
    assert isinstance(said, PairAnswer)
    assert isinstance(said_back, PairAnswer)
    won, won_back = said.for_first, 1 - said_back.for_first
    reason = _reason(f"{said.reason} / {said_back.reason}")

    def verdict(agent_id: str, against: str, result: float, sha256: str) -> Verdict:
        judgement = Judgement(
            judge=judge.model.name,
            rubric=judge.rubric.name,
            mark=result,
            against=against,
            swapped_agree=won == won_back,
            reason=reason,
            prompt_sha256=sha256,
        )
        return Verdict(agent_id=agent_id, judgement=judgement, asked=(asked, asked_back))

    mean = (won + won_back) / 2
    return verdict(one, other, mean, forth.sha256), verdict(other, one, 1 - mean, back.sha256)


async def _ask(model: Model, prompt: JudgePrompt) -> tuple[MarkAnswer | PairAnswer, Asked]:
    """The answer; asked once more, with the fault, if the first is none."""
    refused = ""
    for _ in range(2):
        sent = prompt.prompt(refused=refused)
        reply: ModelReply = await model.complete(sent)
        asked = Asked(prompt_sha256=prompt.sha256, system=sent.system, user=sent.user, answer=reply.raw)
        try:
            if prompt.second is None:
                return prompt.read_mark(reply.text), asked
            return prompt.read_pair(reply.text), asked
        except BadAnswer as fault:
            refused = str(fault)
    raise JudgeFault(f"the judge {inert(model.name)} gave no answer of the form, twice: {inert(refused)}")


def _reason(text: str) -> str:
    return inert(" ".join(text.split()), max_chars=MAX_REASON_CHARS)
