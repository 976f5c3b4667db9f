from __future__ import annotations

import pytest

from tty_agent.activity.profiles import SHELL_PROMPTS
from tty_agent.observer.nested_repeats import repeats_nest
from tty_agent.observer.readiness import PromptPattern


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(?:a*b?)*",
        "((a+)b)*",
        "(?:x|(?:y{2,})?)+",
        r"([^)]+\))+",
        "(a{1,99}){40}",
        r"(\w+\s?){3,}",
        "(?:a+)*?",
    ],
)
def test_a_repetition_inside_of_another_is_found(pattern: str) -> None:
    assert repeats_nest(pattern)
    with pytest.raises(ValueError, match="repeats what repeats"):
        PromptPattern("slow", pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a+b*",
        "(ab)+",
        "(a+)?b",
        r"(\(+)[)*+]+",
        "[(a+)+]+",
        r"(a\+)+",
        "(a{1,3}){2}",
        "(?i)x+",
        "(a+)b+",
        "(?#(a+)x",
        "[]+)]+",
    ],
)
def test_others_are_not(pattern: str) -> None:
    assert not repeats_nest(pattern)
    PromptPattern("quick", pattern)


def test_the_prompts_of_shells_do_not() -> None:
    assert not any(repeats_nest(prompt.pattern) for prompt in SHELL_PROMPTS)
