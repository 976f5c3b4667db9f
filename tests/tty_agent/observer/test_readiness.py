"""Policies as values: what they ask for, and what they refuse."""

from __future__ import annotations

import msgspec
import pytest

from tty_agent.observer.pauses import Pauses
from tty_agent.observer.readiness import MAX_PATTERN_CHARS, Adaptive, Evidence, Fixed, PromptPattern, Rest, TurnPolicy


def evidence(
    rest: Rest = Rest.TEXT, *, answered: bool = True, fresh: bool = True, blank: bool = False, fast: bool = False
) -> Evidence:
    return Evidence(answered=answered, rest=rest, fresh=fresh, blank=blank, fast=fast)


def pauses(*seconds: float) -> Pauses:
    remembered = Pauses()
    for pause in seconds:
        remembered.add(pause)
    return remembered


def test_the_default_policy_is_the_specified_one() -> None:
    assert Fixed() == Fixed(quiet_s=0.35, timeout_s=15.0)


@pytest.mark.parametrize("policy", [Fixed(0.5), Adaptive(answer_s=1.0)])
def test_a_policy_survives_being_written_down(policy: TurnPolicy) -> None:
    assert msgspec.json.decode(msgspec.json.encode(policy), type=TurnPolicy) == policy


def test_fixed_asks_the_same_of_everything_that_is_not_blank() -> None:
    for rest in Rest:
        assert Fixed(0.5).quiet(evidence(rest), pauses(1.0)) == 0.5
    assert Fixed(0.5, blank_s=3.0).quiet(evidence(blank=True), Pauses()) == 3.0


def test_a_fast_prompt_never_waits_longer_than_the_quiet_time() -> None:
    assert Fixed(0.02, prompt_quiet_s=0.05).quiet(evidence(Rest.PROMPT, fast=True), Pauses()) == 0.02


def test_adaptive_follows_what_the_cursor_rests_behind() -> None:
    policy = Adaptive()
    asked = [policy.quiet(evidence(rest), Pauses()) for rest in (Rest.PROMPT, Rest.ECHO, Rest.LINE_START)]
    assert asked == sorted(asked)
    assert asked[0] < 0.1
    assert policy.quiet(evidence(Rest.PROMPT, fresh=False), Pauses()) == asked[1]
    assert policy.quiet(evidence(Rest.PROMPT, answered=False), Pauses()) == policy.answer_s


def test_adaptive_follows_the_pauses_between_floor_and_ceiling() -> None:
    policy = Adaptive(prompt_s=(0.03, 0.25), margin=1.5)
    asked = [policy.quiet(evidence(Rest.PROMPT), pauses(*[pause] * 9)) for pause in (0.005, 0.1, 1.0)]
    assert asked == pytest.approx([0.03, 0.15, 0.25])


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_times_that_make_no_sense_are_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        Fixed(seconds)
    with pytest.raises(ValueError, match="positive and finite"):
        Adaptive(answer_s=seconds)


def test_a_floor_above_its_ceiling_is_refused() -> None:
    with pytest.raises(ValueError, match="above its ceiling"):
        Adaptive(text_s=(0.5, 0.2))


def test_a_pattern_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'menu' is no regular expression"):
        PromptPattern("menu", "(")
    with pytest.raises(ValueError, match="'menu' is longer"):
        PromptPattern("menu", "x" * (MAX_PATTERN_CHARS + 1))
