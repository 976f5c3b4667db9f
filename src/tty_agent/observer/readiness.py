"""When a turn counts as ready: the policies as values, and the named prompts of a profile.

A policy turns evidence about the screen into a quiet time. `observer.py` gathers the evidence and keeps the
time; nothing here looks at a screen or a clock.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import ClassVar, Final

import msgspec

from tty_agent.observer.nested_repeats import repeats_nest
from tty_agent.observer.pauses import Pauses

TIMEOUT_S: Final = 15.0
"""Hard limit of a turn: longer than any pause measured inside of a burst (5.1 s), short enough for a budget."""

MAX_PATTERN_CHARS: Final = 500
"""Of a prompt pattern: what describes one row is shorter."""


class Rest(StrEnum):
    """How the cursor rests, by the shape of its row alone."""

    PROMPT = "prompt"
    """Behind text that looks like a prompt, or where a named prompt matches."""
    ECHO = "echo"
    """In the row where it was when input went out, behind more text than then."""
    TEXT = "text"
    """Behind, or among, other text."""
    LINE_START = "line_start"
    """On an empty row."""


class Evidence(msgspec.Struct, frozen=True):
    """What is known beside the time, of the moment after the last byte."""

    answered: bool
    """Something came since the action, and it was not only a clock."""
    rest: Rest
    fresh: bool
    """The last bytes moved the cursor or wrote to its row: what it rests behind is what came last."""
    blank: bool
    """Nothing is on the screen."""
    fast: bool
    """A named prompt with a fast path matches."""
    prompt: str | None = None
    """The name of the named prompt that matches."""


class PromptPattern(msgspec.Struct, frozen=True):
    """A named prompt. It is looked for in the cursor's row, up to the cursor and as a whole.

    A match is a note on the observation (`matched_prompt`) and ends no turn, except that with `fast` the turn
    ends as soon as the policy's `prompt_quiet_s` passed behind it.
    """

    name: str
    pattern: str
    """A regular expression, searched, not anchored. It comes from a profile, never from the program."""
    fast: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for a pattern that can't be compiled, or that may take for ever."""
        if len(self.pattern) > MAX_PATTERN_CHARS:
            raise ValueError(f"the prompt pattern {self.name!r} is longer than {MAX_PATTERN_CHARS} characters")
        try:
            _compiled(self.pattern)
        except (re.error, OverflowError, RecursionError) as fault:
            raise ValueError(f"the prompt pattern {self.name!r} is no regular expression: {fault}") from fault
        if repeats_nest(self.pattern):
            raise ValueError(
                f"the prompt pattern {self.name!r} repeats what repeats itself, as (a+)+ does: a program could write a "
                "row on which it takes for ever"
            )

    def matches(self, before: str, line: str) -> bool:
        """Whether it is found in the row's text before the cursor, or in the whole row."""
        search = _compiled(self.pattern).search
        return search(before) is not None or search(line) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class Fixed(msgspec.Struct, frozen=True, tag="fixed"):
    """One quiet time for everything. The default."""

    quiet_s: float = 0.35
    """The turn is ready when the screen did not change for so long, nor since input went out."""
    timeout_s: float = TIMEOUT_S
    blank_s: float = 2.0
    """In place of `quiet_s`, if longer, while nothing is on the screen: there is nothing to act on yet."""
    mid_sequence_s: float = 1.0
    """How long after the last byte a half-arrived sequence or character delays the turn: its rest comes or
    will never come. The longest stall inside one was a query split over two chunks, far below."""
    prompt_fast: bool = False
    """Every named prompt has the fast path, not only those that say so."""
    prompt_quiet_s: float = 0.05
    """The quiet time behind a prompt with the fast path."""

    name: ClassVar[str] = "fixed"
    reads: ClassVar[bool] = False
    """It asks how the cursor rests, and learns from pauses."""

    def __post_init__(self) -> None:
        """Raise ValueError for times that make no sense."""
        _check_times(self.quiet_s, self.timeout_s, self.blank_s, self.mid_sequence_s, self.prompt_quiet_s)

    def quiet(self, evidence: Evidence, pauses: Pauses) -> float:
        """Seconds without a change after which the turn is ready."""
        del pauses  # nothing is learned
        if self.by_prompt(evidence):
            return min(self.prompt_quiet_s, self.quiet_s)
        return max(self.quiet_s, self.blank_s) if evidence.blank else self.quiet_s

    def by_prompt(self, evidence: Evidence) -> bool:
        """Whether a prompt is what lets the turn end."""
        return evidence.fast and evidence.answered


class Adaptive(msgspec.Struct, frozen=True, tag="adaptive"):
    """A short quiet time behind what looks like a prompt, a long one where a program hardly waits for input.

    Each lies between a floor and a ceiling; in between, it follows the pauses that this source made in the
    middle of its output so far, `margin` times their `quantile`.
    """

    timeout_s: float = TIMEOUT_S
    blank_s: float = 2.0
    """As in `Fixed`."""
    mid_sequence_s: float = 1.0
    """As in `Fixed`."""
    prompt_fast: bool = False
    """As in `Fixed`."""
    prompt_quiet_s: float = 0.02
    """As in `Fixed`."""
    answer_s: float = 0.4
    """How long the first byte after the action is waited for."""
    prompt_s: tuple[float, float] = (0.03, 0.25)
    """Floor and ceiling behind a prompt that came last."""
    text_s: tuple[float, float] = (0.25, 0.5)
    """Behind other text, an echo, or a prompt that was there before."""
    line_start_s: tuple[float, float] = (0.7, 0.8)
    """On an empty row: a program that asks something leaves no empty row behind the question."""
    margin: float = 1.5
    quantile: float = 0.95

    name: ClassVar[str] = "adaptive"
    reads: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raise ValueError for times that make no sense."""
        _check_times(self.timeout_s, self.blank_s, self.mid_sequence_s, self.prompt_quiet_s, self.answer_s)
        for floor, ceiling in (self.prompt_s, self.text_s, self.line_start_s):
            _check_times(floor, ceiling)
            if floor > ceiling:
                raise ValueError(f"a floor of {floor} s above its ceiling of {ceiling} s")

    def quiet(self, evidence: Evidence, pauses: Pauses) -> float:
        """Seconds without a change after which the turn is ready."""
        if evidence.blank:
            return self.blank_s
        if not evidence.answered:
            return self.answer_s
        if evidence.fast:
            return self.prompt_quiet_s
        floor, ceiling = self._bounds(evidence)
        return min(ceiling, max(floor, self.margin * pauses.quantile(self.quantile)))

    def by_prompt(self, evidence: Evidence) -> bool:
        """Whether a prompt is what lets the turn end."""
        return evidence.answered and evidence.rest is Rest.PROMPT and (evidence.fresh or evidence.fast)

    def _bounds(self, evidence: Evidence) -> tuple[float, float]:
        if evidence.rest is Rest.LINE_START:
            return self.line_start_s
        return self.prompt_s if self.by_prompt(evidence) else self.text_s


TurnPolicy = Fixed | Adaptive
"""What decides when a turn is ready. msgspec tells them apart by the key `type`."""


def _check_times(*seconds: float) -> None:
    for value in seconds:
        if not 0 < value < float("inf"):
            raise ValueError(f"a policy's times are positive and finite, not {value} s")
